#include "support/os/standard_output.h"

#include "support/os/threads.h"

#include <cerrno>
#include <mutex>
#include <new>
#include <poll.h>
#include <unistd.h>
#include <utility>

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

/// What is kept instead of written, under the lock; it outlives those threads, too.
struct Kept {
  std::string text;
  bool (*announce)() = nullptr;
  bool announced = false;
};

Kept &kept() {
  static Kept &kept = *new Kept;
  return kept;
}

} // namespace

void writeStandardOutput(std::string_view text) {
  std::lock_guard lock(writing());
  if (kept().announce) {
    kept().text += text;
    if (!kept().announced)
      kept().announced = kept().announce();
    return;
  }
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

void keepStandardOutput(bool (*announce)()) {
  std::lock_guard lock(writing());
  kept().announce = announce;
}

std::string takeStandardOutput() {
  std::lock_guard lock(writing());
  kept().announced = false;
  return std::exchange(kept().text, {});
}

} // namespace heddle::os
