// The named barriers of a block on the CPU device: counts arriving warps, and decides which of them can continue.
#pragma once

#include "backend/cpu/abi/block_context.h"

#include <cstdint>

namespace heddle::cpu {

/// A bit mask of a block's warps.
using WarpSet = uint32_t;

/// Wrong operands of a named barrier.
enum class BarrierMisuse {
  None,
  Number,       ///< the block has no barrier with this number
  Threads,      ///< not a multiple of 32
  NoThreads,    ///< an arrival without a number of threads
  OtherThreads, ///< not the number with which other warps have arrived
  OtherKind     ///< some warps count and others do not
};

/// Counts arrivals as in PTX (PTX ISA 9.0, "bar, barrier"): by barrier number and by warp. A complete barrier can be used
/// again at once.
class NamedBarriers {
public:
  /// Forgets all arrivals. `threads`: of the block. If the run is checked, a barrier at which all threads of the block
  /// wait is left incomplete, for the checks to decide.
  void reset(uint32_t threads, bool isChecked);

  /// Records that all threads of the warp have arrived with these operands. `yes`: those with a true predicate. Unless
  /// the operation is an arrival, the warp waits until it is released.
  BarrierMisuse arrive(unsigned warp, const WarpArrival &arrival, uint32_t yes);
  /// Records that the warp's threads have returned.
  void leave(unsigned warp);
  /// Returns the warps whose barriers are complete, to be resumed before others.
  WarpSet takeReleased();
  /// Lets a waiting warp continue although its barrier is not complete.
  void release(unsigned warp);

  /// True from the warp's arrival until it is released, by takeReleased() or release().
  bool isWaiting(unsigned warp) const { return (waiting_ | released_) >> warp & 1; }
  /// For a warp that has been released: the number of threads that arrived with a true predicate.
  uint32_t result(unsigned warp) const { return results_[warp]; }

  // For a waiting warp.
  uint32_t numberAt(unsigned warp) const { return numbers_[warp]; }
  bool waitsForBlock(unsigned warp) const { return barriers_[numbers_[warp]].isForBlock; }
  uint32_t threadsExpectedAt(uint32_t number) const { return barriers_[number].threads; }
  uint32_t threadsArrivedAt(uint32_t number) const { return barriers_[number].arrivals * warpSize; }

private:
  struct Barrier {
    uint32_t threads = 0, arrivals = 0, yes = 0;
    WarpSet arrived = 0, waiting = 0;
    bool isForBlock = false; ///< does not wait for threads that have returned
    bool counts = false;     ///< is one with a predicate
  };

  void completeIfPossible(Barrier &barrier);

  Barrier barriers_[simt::namedBarriers];
  uint32_t numbers_[32], results_[32];
  uint32_t blockThreads_ = 0; ///< rounded up to whole warps
  WarpSet live_ = 0, waiting_ = 0, released_ = 0;
  bool isChecked_ = false;
};

} // namespace heddle::cpu
