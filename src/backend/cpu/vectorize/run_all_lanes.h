#pragma once

#include "backend/cpu/vectorize/lanes/shapes.h"

#include "llvm/Analysis/TargetTransformInfo.h"

namespace heddle::cpu {

/// Gives what a divergent branch skips a copy for groups of which all lanes run it.
///
///     before                          after
///       br %in, then, join              %all = call i1 @heddle.lanes.all(i1 %in)
///     then:                             br %all, then.all, some
///       body                          some:
///                                       br %in, then, join
///
/// The copy needs no masks, which take longer to make than short code takes to run, and its accesses with a stride can be
/// wide. So it is made for what accesses memory in order, and for any access where masks are slow; for branches that all
/// lanes of a group may come to, and code that is not large.
///
/// Needs: structured control flow with separate joins. Returns whether there are such copies; shapes are to be found anew.
bool runAllLanes(llvm::Function &f, const LaneShapes &shapes, const llvm::DominatorTree &dominators,
                 const llvm::TargetTransformInfo &target, unsigned width);

/// The same for loops that count up to a bound, which lanes leave in rounds of their own: a copy runs until a lane has
/// left, the loop runs what rounds are left.
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
///                                       br %on, loop, exit        ; %on of the last round, true where there was none
bool runLoopsOfAllLanes(llvm::Function &f, const LaneShapes &shapes,
                        const llvm::DominatorTree &dominators,
                        const llvm::TargetTransformInfo &target, unsigned width);

} // namespace heddle::cpu
