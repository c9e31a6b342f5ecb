#pragma once

#include "simt/analysis/divergence.h"

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// What a trap is while control flow is rewritten: the same operands, but it returns.
inline constexpr const char *trapStandIn = "heddle.lanes.trap";

/// Rewrites control flow such that each divergent branch either skips blocks or closes a loop that has no other way out,
/// in LCSSA form, with one return. Traps become calls of `trapStandIn` that return.
///
/// LLVM's passes do it, in the order that fuzzing random graphs found right; another order, or one of them left out,
/// silently breaks code. What they leave is checked: LaneShapes refuses branches of other forms.
///
/// Needs: reducible control flow. Returns whether the function is valid IR afterwards.
bool structurize(llvm::Function &f, simt::DivergenceAnalyses &analyses);

/// Gives each divergent branch of the form If a join of its own, which one block of those that it skips leads to.
/// Returns whether it changed anything: then every analysis is out of date.
bool separateJoins(llvm::Function &f, const class LaneShapes &shapes,
                   llvm::DominatorTree &dominators);

} // namespace heddle::cpu
