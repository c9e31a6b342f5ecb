// Stands between the extension's allocations and its memory (src/support/allocations/obtain.h): the n-th from now on
// fails. The linker sends calls of heddle_obtain here.

#include "support/allocations/obtain.h"
#include "support/os/guarded_run.h"

#include <atomic>
#include <csignal>

namespace {

/// What becomes of the allocations.
enum How {
  Succeed,   ///< they are counted only
  FailOne,   ///< the n-th finds no memory
  FailFrom,  ///< ... and none after it does
  FaultAtOne ///< the n-th of a guarded run faults; those outside runs are not counted
};

std::atomic<bool> open{false};
std::atomic<long> left{0};
std::atomic<long> seen{0};
How how = Succeed;

/// Whether this allocation finds memory.
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

/// Ends the failures; how many allocations there were.
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
