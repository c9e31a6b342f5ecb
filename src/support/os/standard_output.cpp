#include "support/os/standard_output.h"

#include "support/os/threads.h"

#include <cerrno>
#include <mutex>
#include <new>
#include <poll.h>
#include <unistd.h>

namespace heddle::os {

namespace {

/// Lets one text through at a time: a pipe may take a long one in parts. It outlives the threads that may still write
/// when the process ends, and is free in a fork's child, where the thread that held it does not exist.
std::mutex &writing() {
  static std::mutex &mutex = *[] {
    atFork(nullptr, nullptr, [] { new (&writing()) std::mutex; });
    return new std::mutex;
  }();
  return mutex;
}

} // namespace

void writeStandardOutput(std::string_view text) {
  std::lock_guard lock(writing());
  while (!text.empty()) {
    ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(size_t(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd room{STDOUT_FILENO, POLLOUT, 0};
      poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

} // namespace heddle::os
