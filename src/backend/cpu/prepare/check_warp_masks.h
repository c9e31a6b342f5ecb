#pragma once

#include "simt/analysis/divergence.h"

namespace heddle::cpu {

/// Stops a kernel whose threads name lanes that do not come to an operation of the warp. Where threads run one at a time,
/// the runtime sees it; in vectors nobody waits.
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
/// A lane must be in its own mask. And where one side of a divergent branch has operations of the warp, the lanes that they
/// name must not be on the other side, if all that way leads to a barrier or another operation: there they would wait.
///
/// Leaves: traps that are not the end of their blocks, until structurize.
void checkWarpMasks(llvm::Function &kernel, simt::DivergenceAnalyses &analyses);

} // namespace heddle::cpu
