#pragma once

#include "simt/analysis/divergence.h"

namespace heddle::cpu {

/// Stops a kernel whose mask names lanes that do not reach the warp operation. If threads run one at a time, the
/// runtime detects this; vectorized lanes do not wait for each other.
///
///     before                                          after
///       %r = call @simt.warp.ballot(5, %mask, %p)       %not = %mask lacks the bit of simt.laneid
///                                                       %lanes = call @simt.warp.ballot(5, active, %not)
///                                                       br %lanes is not 0, bad, go.on
///                                                     bad:
///                                                       call @simt.trap.index(5, a WarpMaskError, %mask)
///                                                       br go.on
///                                                     go.on:
///                                                       %r = call @simt.warp.ballot(5, %mask, %p)
///
/// A lane must be in its own mask. If one side of a divergent branch contains warp operations, the lanes in their masks
/// must not be on the other side when all paths there lead to a barrier or another warp operation: the lanes would wait
/// there.
///
/// Leaves: traps that do not end their blocks, until structurize.
void checkWarpMasks(llvm::Function &kernel, simt::DivergenceAnalyses &analyses);

} // namespace heddle::cpu
