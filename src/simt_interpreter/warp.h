// Results of warp operations, by the rules of the PTX ISA.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/ADT/APInt.h"

#include <array>
#include <cstdint>

namespace heddle::interpreter {

using LaneMask = uint32_t;

/// The operands of one lane. `value` is the operand of a vote, match, shuffle or reduction, or a barrier's predicate.
struct WarpRequest {
  simt::Op op;
  LaneMask mask = 0;
  llvm::APInt value{1, 0};
  uint32_t lane = 0;   ///< for a shuffle: source lane or distance; for a named barrier: its number
  uint32_t width = 32; ///< for a shuffle; for a named barrier: its threads, 0 for all of the block

  /// True if the lanes take part in the same operation.
  bool matches(const WarpRequest &other) const {
    return op == other.op && mask == other.mask && value.getBitWidth() == other.value.getBitWidth();
  }
};

/// Computes the result for `lane` when the lanes in `together` participate; other lanes' requests are ignored. For a
/// barrier the result is meaningless. `undefinedReads` counts reads from non-participating lanes, which return 0.
llvm::APInt computeWarpResult(unsigned lane, LaneMask together,
                              const std::array<WarpRequest, 32> &requests,
                              uint64_t &undefinedReads);

} // namespace heddle::interpreter
