#pragma once

#include "backend/cpu/vectorize/lanes/shapes.h"

#include "llvm/Analysis/TargetTransformInfo.h"

namespace heddle::cpu {

/// Copies the code guarded by a divergent branch for groups in which all lanes take the branch.
///
///     before                          after
///       br %in, then, join              %all = call i1 @heddle.lanes.all(i1 %in)
///     then:                             br %all, then.all, some
///       body                          some:
///                                       br %in, then, join
///
/// The copy needs no masks, which cost more to compute than short code takes to run, and its strided accesses can be
/// wide. Only code with strided accesses is copied, or with any accesses if masks are slow. The branch must be
/// reachable by all lanes of a group, and the code must not be large.
///
/// Needs: structured control flow with separate joins. Returns the number of copies; if there are any, LaneShapes must
/// be recomputed.
unsigned addUnmaskedBranches(llvm::Function &f, const LaneShapes &shapes,
                             const llvm::DominatorTree &dominators,
                             const llvm::TargetTransformInfo &target, unsigned width);

/// Adds unmasked copies of loops that count up to a bound and that lanes exit in different iterations: the unmasked
/// copy runs until the first lane exits, and the original loop runs the remaining iterations.
///
///     before                          after
///     before:                         before:
///       br loop                         %full = call i1 @heddle.lanes.all(i1 true)
///     loop:                             br %full, loop.all, rest
///       body                          loop.all:
///       br %on, loop, exit              body
///                                       %all = call i1 @heddle.lanes.all(i1 %on.all)
///                                       br %all, loop.all, rest
///                                     rest:
///                                       br %on, loop, exit        ; %on of the last iteration, true if there was none
unsigned addUnmaskedLoops(llvm::Function &f, const LaneShapes &shapes,
                          const llvm::DominatorTree &dominators,
                          const llvm::TargetTransformInfo &target, unsigned width);

} // namespace heddle::cpu
