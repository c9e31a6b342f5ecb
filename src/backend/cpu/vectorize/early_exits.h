#pragma once

#include "simt/analysis/divergence.h"

#include "llvm/IR/Function.h"

#include <optional>
#include <string>

namespace heddle::cpu {

class LaneShapes;

/// Makes lanes that exit early run the rest of the kernel before the other lanes proceed to a barrier.
///
///     before                                  after
///       br %leaves, out, work                   br %works, work, out.early
///     work:                                   out.early:
///       barrier                                 store
///       br out                                  ret
///     out:                                    work:
///       store                                   barrier
///       ret                                     br out
///                                             out:
///                                               store
///                                               ret
///
/// `StructurizeCFGPass` places the blocks of successor 1 first, so the side without a barrier becomes successor 1. The
/// rest of the kernel is copied if the other side also reaches it. In a loop with a barrier, the rest ends at a new
/// latch that exits the loop, so that it stays inside the loop.
///
/// Needs: divergent branches, simplified loops, no switch. Traps are `trapPlaceholder`.
/// Leaves: simplified loops; several returns. `describeOutOfOrderAccess` reports effects that could not be handled. Returns the
/// number of early exits.
unsigned runEarlyExitsFirst(llvm::Function &f, simt::DivergenceAnalyses &analyses);

/// Checks the order of effects in a group: a memory access that precedes a barrier must not run after other lanes have
/// passed the barrier. Lanes that skip a barrier, or exit a loop with one, wait for the others; so they must not access
/// memory afterwards, unless they reach another barrier first. Returns a description of an access that is out of order;
/// nullopt if there is none.
///
/// Needs: only branches that `LaneShapes` supports.
std::optional<std::string> describeOutOfOrderAccess(llvm::Function &f, const LaneShapes &shapes);

} // namespace heddle::cpu
