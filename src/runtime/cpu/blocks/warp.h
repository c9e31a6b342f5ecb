// A warp of a block that runs on the CPU device: what its lanes wait for, who may go on, and with what result.
#pragma once

#include "backend/cpu/blocks/block_context.h"

#include <bit>
#include <cstdint>

namespace heddle::cpu {

/// Lanes 0 to 31 as the bits of a word.
using LaneMask = uint32_t;

inline unsigned firstOf(LaneMask lanes) { return unsigned(std::countr_zero(lanes)); }

/// The threads of one warp, each of which is away (returned, or never there), or waits: at a warp operation, or at a
/// barrier of the block. Knows nothing of coroutines; the frames are its owner's.
///
///     arrive() or leave() for each lane
///     while lanes wait at warp operations:
///       ready = meet()                 0: these lanes wait for ones that cannot come
///       resume each of them with result(), and again arrive() or leave()
class Warp {
public:
  /// Every lane is away.
  void reset() { live_ = atOperation_ = 0; }

  /// The lane waits at `site`. An arrival with simt::Op::Barrier waits for the block. Whether the lane is in
  /// its own mask; it must be.
  bool arrive(unsigned lane, const WarpArrival &arrival, uint32_t site);
  /// The lane has returned and holds nobody up.
  void leave(unsigned lane) { live_ &= ~bit(lane); }

  LaneMask live() const { return live_; }
  LaneMask atOperation() const { return atOperation_; }
  const WarpArrival &arrival(unsigned lane) const { return arrivals_[lane]; }
  uint32_t site(unsigned lane) const { return sites_[lane]; }
  /// The lanes that wait at that site.
  LaneMask at(uint32_t site) const;

  /// Takes the lanes whose operation is complete from those that wait, and computes their results. Each set of lanes
  /// with one operation and one mask is complete when all of the mask's live lanes are in it. When none is, the lanes
  /// that ask which lanes are active go on, those at the first such place in the source: later ones may yet be joined
  /// by them. 0 when nobody can go on.
  LaneMask meet();
  uint64_t result(unsigned lane) const { return results_[lane]; }

  /// The lanes that `lane`, which waits at an operation, waits for.
  LaneMask missing(unsigned lane) const;

private:
  static LaneMask bit(unsigned lane) { return LaneMask(1) << lane; }
  /// Those that wait for the same as `lane` does.
  LaneMask companions(unsigned lane) const;
  LaneMask completed();
  LaneMask activeTogether();
  void exchange(LaneMask together);
  void vote(LaneMask together);
  void match(LaneMask together);
  void shuffle(LaneMask together);
  void reduce(LaneMask together);
  void giveAll(LaneMask lanes, uint64_t result);

  LaneMask live_ = 0;
  LaneMask atOperation_ = 0;
  uint32_t sites_[warpSize];
  WarpArrival arrivals_[warpSize];
  uint64_t results_[warpSize] = {};
};

} // namespace heddle::cpu
