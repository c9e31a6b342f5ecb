#include "runtime/device.h"

#include <atomic>

namespace heddle {

namespace {

// A check that has been replaced stays alive: a waiting thread may be inside it. They are few. No lock, so that a
// process forked at any moment can go on.
std::atomic<const InterruptCheck *> current{nullptr};

} // namespace

void setInterruptCheck(InterruptCheck check) {
  current = check ? new InterruptCheck(std::move(check)) : nullptr;
}

bool interruptRequested() {
  const InterruptCheck *check = current;
  return check && (*check)();
}

} // namespace heddle
