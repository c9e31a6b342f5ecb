#pragma once

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Function.h"

namespace heddle::cpu {

class LaneShapes;
struct ThreadGroups;

/// The bundle of an operation's call that tells which lane of a group makes it: an i32.
/// Operands of RuntimeEntryPoints::checkLanesOfRanges from `site` on.
inline constexpr const char *checkLanesStandIn = "heddle.lanes.stop";
inline constexpr const char *laneBundle = "heddle.lane";

/// The bundle of a barrier's call with a vote: how many lanes of the group arrive, and how many of them with true.
inline constexpr const char *arrivedBundle = "heddle.arrived";

/// Rewrites a kernel for one thread as one for a group of them: the thread index along x becomes that of lane 0 (linear
/// groups: its number in the block). What is the same in all lanes stays scalar, what has a stride keeps lane 0's scalar,
/// what varies becomes vectors; divergent branches become masks, and so do the lanes of a partial group.
///
/// Needs: `shapes` of the function supports all its branches (LaneShapes::supported), their joins are separate
/// (separateJoins), and each instruction is one that canWiden() takes (can_widen.h). Leaves no analysis valid.
/// `aliases` says which accesses may be made together.
void widen(llvm::Function &f, const ThreadGroups &groups, const LaneShapes &shapes,
           llvm::AAResults &aliases);

} // namespace heddle::cpu
