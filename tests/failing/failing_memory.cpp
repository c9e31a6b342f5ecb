// Makes the extension's n-th allocation from now on fail. The linker redirects calls of heddle_obtain to this file
// (src/support/allocations/obtain.h).

#include "support/allocations/obtain.h"
#include "support/os/guarded_run.h"

#include <atomic>
#include <csignal>

namespace {

/// Selects the allocations that fail.
enum How {
  Succeed,   ///< none; only counts
  FailOne,   ///< the n-th fails
  FailFrom,  ///< the n-th and all later ones fail
  FaultAtOne ///< the n-th in a guarded run faults; allocations outside runs are not counted
};

std::atomic<bool> open{false};
std::atomic<long> left{0};
std::atomic<long> seen{0};
How how = Succeed;

/// True if this allocation succeeds.
bool succeeds() {
  if (!open.load(std::memory_order_relaxed) || (how == FaultAtOne && !heddle::os::inGuardedRun()))
    return true;
  ++seen;
  long now = --left;
  if (how == FailOne)
    return now != 0;
  if (how == FailFrom)
    return now > 0;
  if (how == FaultAtOne && now == 0)
    raise(SIGSEGV);
  return true;
}

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void fail_memory(int howToFail, long n) {
  how = How(howToFail);
  left = n;
  seen = 0;
  open = true;
}

/// Ends the failures and returns the number of allocations.
EXPORTED long restore_memory() {
  open = false;
  return seen;
}

extern "C" {
void *__real_heddle_obtain(size_t bytes, size_t alignment);
void *__real_heddle_resize(void *block, size_t bytes);

void *__wrap_heddle_obtain(size_t bytes, size_t alignment) {
  return succeeds() ? __real_heddle_obtain(bytes, alignment) : nullptr;
}

void *__wrap_heddle_resize(void *block, size_t bytes) {
  return succeeds() ? __real_heddle_resize(block, bytes) : nullptr;
}
}
