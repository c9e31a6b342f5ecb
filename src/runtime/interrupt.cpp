#include "runtime/device.h"

#include "support/os/code_interrupts.h"

#include <atomic>

namespace heddle {

namespace {

// Replaced checks stay alive, because a waiting thread may be inside one; there are few. A lock-free list, because the
// process may fork at any time.
struct Installed {
  InterruptCheck check;
  Installed *before;
};
std::atomic<Installed *> current{nullptr};

std::atomic<void (*)(const std::function<void()> &)> callWithLock{nullptr};

} // namespace

void setInterruptCheck(InterruptCheck check) {
  if (check)
    os::enableMainThreadWatch();
  auto *next = new Installed{std::move(check), current};
  while (!current.compare_exchange_weak(next->before, next)) {
  }
}

bool callInterruptCheck() {
  const Installed *installed = current;
  return installed && installed->check && installed->check();
}

void setEmbedderLockCaller(void (*call)(const std::function<void()> &)) { callWithLock = call; }

void releaseWithEmbedderLock(const std::function<void()> &release) {
  if (auto *call = callWithLock.load())
    call(release);
  else
    release();
}

} // namespace heddle
