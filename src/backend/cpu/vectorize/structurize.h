#pragma once

#include "backend/cpu/abi/plan.h"
#include "simt/analysis/divergence.h"

#include "llvm/IR/Function.h"

namespace heddle::cpu {

/// Name prefix of the functions that stand in for traps while control flow is rewritten. They take the trap's
/// operands, but they return.
inline constexpr const char *trapPlaceholder = "heddle.lanes.trap";

/// Structurizes control flow: each divergent branch either skips blocks or closes a loop without other exits. The
/// result is in LCSSA form with a single return. Traps become calls of `trapPlaceholder`, which return.
///
/// Uses LLVM's passes, in an order found by fuzzing random control flow graphs; other orders silently miscompile. The
/// result is verified: LaneShapes rejects unsupported branches.
///
/// Needs: reducible control flow. Returns true if the result is valid IR. Sets CodeVersions::earlyExits.
bool structurize(llvm::Function &f, simt::DivergenceAnalyses &analyses, CodeVersions &versions);

/// Gives each divergent branch of kind If a separate join with a single predecessor among the skipped blocks. Returns
/// true if it changed anything, which invalidates all analyses.
bool splitSharedJoins(llvm::Function &f, const class LaneShapes &shapes,
                      llvm::DominatorTree &dominators);

} // namespace heddle::cpu
