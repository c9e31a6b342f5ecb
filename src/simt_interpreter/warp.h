// The results of a warp operation, by the rules of the PTX ISA.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/ADT/APInt.h"

#include <array>
#include <cstdint>

namespace heddle::interpreter {

using LaneMask = uint32_t;

/// The operands of one lane. `value` is the vote's, the match's, the shuffle's or the reduction's.
struct WarpRequest {
  simt::Op op;
  LaneMask mask = 0;
  llvm::APInt value{1, 0};
  uint32_t lane = 0;   ///< a shuffle's source lane or distance
  uint32_t width = 32; ///< a shuffle's

  /// Lanes meet when these are the same.
  bool meets(const WarpRequest &other) const {
    return op == other.op && mask == other.mask && value.getBitWidth() == other.value.getBitWidth();
  }
};

/// What `lane` is given when the lanes `together` meet; requests of other lanes are not read. A barrier gives nothing that
/// means anything. `undefinedReads` counts values that are read from lanes which do not take part: they are 0.
llvm::APInt warpResult(unsigned lane, LaneMask together,
                       const std::array<WarpRequest, 32> &requests, uint64_t &undefinedReads);

} // namespace heddle::interpreter
