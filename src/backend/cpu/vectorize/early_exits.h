#pragma once

#include "simt/analysis/divergence.h"

#include "llvm/IR/Function.h"

#include <optional>
#include <string>

namespace heddle::cpu {

class LaneShapes;

/// Makes lanes that leave early run the rest of the kernel before the other lanes go on to a barrier.
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
/// `StructurizeCFGPass` places the blocks of successor 1 first, so the side without a barrier becomes successor 1. A rest that
/// the other side reaches, too, is copied. In a loop with a barrier, the rest ends at a new latch, which leaves the loop: so
/// it stays inside.
///
/// Needs: divergent branches, simplified loops, no switch. Traps are `trapStandIn`.
/// Leaves: simplified loops; several returns. `whyOutOfOrder` tells of effects for which this was too much.
void finishEarlyExits(llvm::Function &f, simt::DivergenceAnalyses &analyses);

/// Checks the order that a group's lanes keep: an access to memory before a barrier must not run after the barrier of other
/// lanes. Lanes that skip a barrier, or leave a loop with one, wait for the others; so they must not access memory
/// afterwards, unless they come to another barrier first. Returns the line of an access that is out of order; nothing where
/// there is none.
///
/// Needs: the forms of branches that `LaneShapes` supports.
std::optional<std::string> whyOutOfOrder(llvm::Function &f, const LaneShapes &shapes);

} // namespace heddle::cpu
