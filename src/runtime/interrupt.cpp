#include "runtime/device.h"

#include "support/os/code_interrupts.h"

#include <atomic>

namespace heddle {

namespace {

// A check that has been replaced stays alive: a waiting thread may be inside it. They are few. No lock, so that a
// process forked at any moment can go on.
struct Installed {
  InterruptCheck check;
  Installed *before;
};
std::atomic<Installed *> current{nullptr};

} // namespace

void setInterruptCheck(InterruptCheck check) {
  if (check)
    os::watchMainThread();
  auto *next = new Installed{std::move(check), current};
  while (!current.compare_exchange_weak(next->before, next)) {
  }
}

bool interruptRequested() {
  const Installed *installed = current;
  return installed && installed->check && installed->check();
}

} // namespace heddle
