// Arrival counters in shared memory that the CPU device and GPUs of compute capability 8.0 and later have (mbarrier, PTX
// ISA 9.0, 9.7.13.15).
#pragma once
#include "heddle/arrivals.h"

// The compute capability whose instructions the device has. The CPU device has those of 9.0.
#define __HEDDLE_INSTRUCTIONS__ (__HEDDLE_GPU__ ? __HEDDLE_GPU__ : 900)

#if __HEDDLE_INSTRUCTIONS__ >= 800

typedef unsigned long long __heddle_mbarrier; // opaque; tokens too

__HEDDLE_FN void __heddle_mbarrier_init(__heddle_mbarrier *b, unsigned expected) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(__heddle_shared_address(b)), "r"(expected)
               : "memory");
}
__HEDDLE_FN void __heddle_mbarrier_invalidate(__heddle_mbarrier *b) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(__heddle_shared_address(b)) : "memory");
}
// Counts `count` arrivals and returns the token of their phase.
__HEDDLE_FN unsigned long long __heddle_mbarrier_arrive(__heddle_mbarrier *b, unsigned count) {
  unsigned long long token;
#if __HEDDLE_INSTRUCTIONS__ < 900 // several arrivals cannot complete a phase
  if (count > 1)
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
                 : "=l"(token)
                 : "r"(__heddle_shared_address(b)), "r"(count - 1)
                 : "memory");
#else
  if (count > 1) {
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;"
                 : "=l"(token)
                 : "r"(__heddle_shared_address(b)), "r"(count)
                 : "memory");
    return token;
  }
#endif
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
               : "=l"(token)
               : "r"(__heddle_shared_address(b))
               : "memory");
  return token;
}
__HEDDLE_FN unsigned long long __heddle_mbarrier_drop(__heddle_mbarrier *b) {
  unsigned long long token;
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
               : "=l"(token)
               : "r"(__heddle_shared_address(b))
               : "memory");
  return token;
}

// On GPUs of capability 9.0, try_wait suspends the thread for a while before it returns false.
#if __HEDDLE_INSTRUCTIONS__ >= 900
#define __HEDDLE_WAIT "mbarrier.try_wait"
#else
#define __HEDDLE_WAIT "mbarrier.test_wait"
#endif
__HEDDLE_FN bool __heddle_mbarrier_is_over(const __heddle_mbarrier *b, unsigned long long token) {
  unsigned over;
  asm volatile("{ .reg .pred p; " __HEDDLE_WAIT ".shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(over)
               : "r"(__heddle_shared_address(b)), "l"(token)
               : "memory");
  return over;
}
__HEDDLE_FN bool __heddle_mbarrier_is_parity_over(const __heddle_mbarrier *b, bool parity) {
  unsigned over;
  asm volatile("{ .reg .pred p; " __HEDDLE_WAIT
               ".parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(over)
               : "r"(__heddle_shared_address(b)), "r"((unsigned)parity)
               : "memory");
  return over;
}
#undef __HEDDLE_WAIT
__HEDDLE_FN void __heddle_mbarrier_include_copies(__heddle_mbarrier *b) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(__heddle_shared_address(b))
               : "memory");
}

#if __HEDDLE_INSTRUCTIONS__ >= 900
// Makes the current phase wait for `bytes` bytes of bulk copies.
__HEDDLE_FN void __heddle_mbarrier_expect_bytes(__heddle_mbarrier *b, unsigned bytes) {
  asm volatile(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(__heddle_shared_address(b)),
      "r"(bytes)
      : "memory");
}
#endif

// Arrivals of threads of a block, with the functions of __heddle_arrivals. They are an mbarrier in shared memory, and
// software elsewhere.
class __heddle_block_arrivals {
public:
  typedef unsigned long long token;

  __HEDDLE_FN void begin(unsigned count) {
    if (__isShared(this))
      __heddle_mbarrier_init(&hardware_, count);
    else
      software_.begin(count);
  }
  __HEDDLE_FN void end() {
    if (__isShared(this))
      __heddle_mbarrier_invalidate(&hardware_);
  }
  template <class Complete> __HEDDLE_FN token arrive(unsigned count, Complete complete) {
    return __isShared(this) ? __heddle_mbarrier_arrive(&hardware_, count)
                            : software_.arrive(count, complete);
  }
  __HEDDLE_FN token arrive(unsigned count) {
    return arrive(count, [] {});
  }
  template <class Complete> __HEDDLE_FN token drop(Complete complete) {
    return __isShared(this) ? __heddle_mbarrier_drop(&hardware_) : software_.drop(complete);
  }
  __HEDDLE_FN bool isOver(token which) const {
    return __isShared(this) ? __heddle_mbarrier_is_over(&hardware_, which)
                            : software_.isOver((unsigned)which);
  }
  __HEDDLE_FN bool isParityOver(bool parity) const {
    return __isShared(this) ? __heddle_mbarrier_is_parity_over(&hardware_, parity)
                            : software_.isParityOver(parity);
  }
  __HEDDLE_FN void wait(token which) const {
    while (!isOver(which)) {
    }
  }
  __HEDDLE_FN void waitForParity(bool parity) const {
    while (!isParityOver(parity)) {
    }
  }
  __HEDDLE_FN void waitForPhase(unsigned number) const { waitForParity(number & 1); }
  __HEDDLE_FN void includeCopies() {
    if (__isShared(this))
      __heddle_mbarrier_include_copies(&hardware_);
    else
      software_.includeCopies();
  }
  __HEDDLE_FN __heddle_mbarrier *mbarrier() { return &hardware_; }

private:
  union {
    __heddle_mbarrier hardware_;
    __heddle_arrivals software_;
  };
};

#else

typedef __heddle_arrivals __heddle_block_arrivals;

#endif
