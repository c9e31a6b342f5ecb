// Warp operations on the CPU device: tracks waiting lanes, decides which can continue, and computes their results.
#pragma once

#include "backend/cpu/abi/block_context.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <string>

namespace heddle::cpu {

/// A bit mask of lanes 0 to 31.
using LaneMask = uint32_t;

/// Eight hexadecimal digits after "0x".
std::string formatMask(LaneMask mask);

inline unsigned firstLane(LaneMask lanes) { return unsigned(std::countr_zero(lanes)); }

/// The threads of one warp. Each lane is inactive (returned, or past the end of the block), or waits at a warp
/// operation or a barrier. The owner holds the coroutine frames and resumes the lanes.
///
///     arriveAndCheckMask() or leave() for each lane
///     while lanes wait at warp operations:
///       ready = completeOperations()                 0: the lanes wait for lanes that cannot arrive
///       resume each of them with result(), and again arriveAndCheckMask() or leave()
class Warp {
public:
  /// Makes every lane inactive.
  void reset() { live_ = atOperation_ = 0; }

  /// Records that the lane waits at `site`. simt::Op::Barrier means a barrier of the block or the grid. Returns false if
  /// the lane is not in its operation's mask, which is an error.
  bool arriveAndCheckMask(unsigned lane, const WarpArrival &arrival, uint32_t site);
  /// Records that the lane has returned.
  void leave(unsigned lane) { live_ &= ~bit(lane); }

  LaneMask live() const { return live_; }
  LaneMask atOperation() const { return atOperation_; }
  const WarpArrival &arrival(unsigned lane) const { return arrivals_[lane]; }
  uint32_t site(unsigned lane) const { return sites_[lane]; }
  /// The lanes that wait at `site`.
  LaneMask lanesAt(uint32_t site) const;
  /// The lanes that wait at named barriers.
  LaneMask lanesAtNamedBarriers() const;
  /// The operands of the named barrier at which all live lanes wait; null if some wait elsewhere.
  const WarpArrival *arrivalAtNamedBarrier() const;
  /// The live lanes that do not wait at the named barrier of `lane`, or pass other operands.
  LaneMask lanesThatWaitElsewhere(unsigned lane) const;
  /// The number of live lanes that have arrived with a true predicate.
  uint32_t countTrueLanes() const;
  /// Sets the result of the barrier at which all live lanes wait.
  void setBarrierResult(uint32_t result) { setResults(live_, result); }

  /// Completes operations: computes their results and returns the lanes that can continue. A set of lanes with the same
  /// operation and mask is complete when it contains all live lanes of the mask. If no set is complete, the lanes at
  /// the first activemask in source order continue, because lanes before it may still reach later ones. Returns 0 if no
  /// lane can continue.
  LaneMask completeOperations();
  uint64_t result(unsigned lane) const { return results_[lane]; }
  /// Calls `visit(lanes)` for each set of lanes whose operation is complete.
  template <class Visit> void forEachCompleteSet(Visit visit) const;
  /// The lane from which a lane reads at its shuffle; nullopt if it waits at another operation.
  std::optional<unsigned> sourceLane(unsigned lane) const;
  // These two functions complete an operation whose mask is wrong: the operation of a lane that the mask does not name,
  // or one that waits for lanes that cannot arrive. completeWithoutMissingLanes() returns the lanes that can continue.
  void completeAlone(unsigned lane) { arrivals_[lane].mask = bit(lane); }
  LaneMask completeWithoutMissingLanes(unsigned lane);

  /// The lanes that `lane` waits for at its operation.
  LaneMask lanesThatDidNotArrive(unsigned lane) const;

private:
  static LaneMask bit(unsigned lane) { return LaneMask(1) << lane; }
  /// The lanes that wait for the same operation with the same mask as `lane`.
  LaneMask lanesAtSameOperation(unsigned lane) const;
  LaneMask completeSetsOfLanes();
  LaneMask completeActiveMaskQueries();

  /// Computes the results of the operation at which the lanes `together` wait.
  void computeResults(LaneMask together);
  void vote(LaneMask together, LaneMask (*count)(LaneMask yes, LaneMask all));
  void matchAny(LaneMask together);
  void matchAll(LaneMask together);
  /// The lanes in `lanes` with the same value as the first one.
  LaneMask lanesWithValueOfFirst(LaneMask lanes) const;
  void shuffle(LaneMask together);
  void reduce(LaneMask together, uint64_t (*combine)(uint64_t, uint64_t));
  void setResults(LaneMask lanes, uint64_t result);

  LaneMask live_ = 0;
  LaneMask atOperation_ = 0;
  uint32_t sites_[warpSize];
  WarpArrival arrivals_[warpSize];
  uint64_t results_[warpSize] = {};
};

template <class Visit> void Warp::forEachCompleteSet(Visit visit) const {
  for (LaneMask rest = atOperation_; rest;) {
    unsigned lane = firstLane(rest);
    LaneMask together = lanesAtSameOperation(lane);
    rest &= ~together;
    const WarpArrival &arrival = arrivals_[lane];
    if (arrival.operation != simt::Op::WarpActive && !(arrival.mask & live_ & ~together))
      visit(together);
  }
}

} // namespace heddle::cpu
