#pragma once

#include "simt/analysis/divergence.h"

namespace heddle::cpu {

/// Inserts checks that stop the kernel if a mask names lanes that do not reach the warp operation. Vectorized kernels
/// need these checks, because their lanes do not wait for each other; otherwise the runtime detects such masks.
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
/// A lane must be in its own mask. If one side of a divergent branch contains warp operations, their masks must not
/// name lanes on the other side if all paths on that side lead to a barrier or another warp operation, where the lanes
/// would wait.
///
/// Leaves: traps that do not end their blocks, until structurize.
void insertWarpMaskChecks(llvm::Function &kernel, simt::DivergenceAnalyses &analyses);

} // namespace heddle::cpu
