#include "support/os/standard_output.h"

#include "support/os/threads.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace heddle::os {

namespace {

/// Never destroyed, because threads may still write when the process ends. Free in a fork's child, where a thread that
/// held a lock does not exist.
struct Locks {
  std::mutex writeMutex; ///< serializes texts: a pipe may take a long text in parts
  std::mutex diverting;  ///< held while file descriptor 1 is redirected
};

Locks &locks() {
  static Locks &locks_ = *[] {
    atFork(nullptr, nullptr, [] { new (&locks()) Locks; });
    return new Locks;
  }();
  return locks_;
}

std::mutex &writeMutex() { return locks().writeMutex; }

/// Collected text, guarded by the lock. Never destroyed, like the locks.
struct Kept {
  std::string text;
  bool (*announce)() = nullptr;
  bool announced = false;
};

Kept &collectedOutput() {
  static Kept &kept = *new Kept;
  return kept;
}

bool isCollecting() {
  std::lock_guard lock(writeMutex());
  return collectedOutput().announce != nullptr;
}

/// Reads the whole file, from its beginning.
std::string readWholeFile(int file) {
  std::string text(size_t(std::max<off_t>(lseek(file, 0, SEEK_END), 0)), '\0');
  size_t read = 0;
  for (ssize_t more = 1; more > 0 && read < text.size(); read += size_t(std::max<ssize_t>(more, 0)))
    more = pread(file, text.data() + read, text.size() - read, off_t(read));
  text.resize(read);
  return text;
}

} // namespace

void writeStandardOutput(std::string_view text) {
  std::lock_guard lock(writeMutex());
  if (collectedOutput().announce) {
    collectedOutput().text += text;
    if (!collectedOutput().announced)
      collectedOutput().announced = collectedOutput().announce();
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

void setOutputAnnouncer(bool (*announce)()) {
  std::lock_guard lock(writeMutex());
  collectedOutput().announce = announce;
}

std::string takeStandardOutput() {
  std::lock_guard lock(writeMutex());
  collectedOutput().announced = false;
  return std::exchange(collectedOutput().text, {});
}

DivertedOutput::DivertedOutput() {
  if (!isCollecting())
    return;
  only_ = std::unique_lock(locks().diverting);
  file_ = memfd_create("standard output", MFD_CLOEXEC);
  output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  fflush(stdout); // text written through C streams before the redirection
  if (file_ < 0 || output_ < 0 || dup2(file_, STDOUT_FILENO) < 0)
    close();
}

DivertedOutput::~DivertedOutput() {
  if (output_ < 0)
    return;
  fflush(stdout);
  dup2(output_, STDOUT_FILENO);
  std::string text = readWholeFile(file_);
  close();
  if (!text.empty())
    writeStandardOutput(text);
}

void DivertedOutput::close() {
  for (int *descriptor : {&file_, &output_})
    if (int number = std::exchange(*descriptor, -1); number >= 0)
      ::close(number);
}

} // namespace heddle::os
