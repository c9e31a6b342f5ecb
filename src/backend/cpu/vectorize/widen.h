#pragma once

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Function.h"

namespace heddle::cpu {

class LaneShapes;
struct ThreadGroups;

/// Placeholder for index checks of all lanes. Its operands are the parameters of RuntimeEntryPoints::checkLanesOfRanges
/// from `site` on.
inline constexpr const char *checkLanesPlaceholder = "heddle.lanes.stop";
/// Operand bundle with the lane that executes an operation, an i32.
inline constexpr const char *laneBundle = "heddle.lane";

/// Operand bundle of a barrier with a vote: the number of arriving lanes, and the number of arriving lanes with a true
/// predicate.
inline constexpr const char *arrivedBundle = "heddle.arrived";

/// Widens a kernel of one thread to a group of threads. The thread index along x becomes the index of lane 0 (for
/// linear groups, the linear index). Uniform values stay scalar, strided values keep lane 0's scalar, and varying
/// values become vectors. Divergent branches and partial groups become masks.
///
/// Needs: `shapes` supports all branches of the function (LaneShapes::supportsAllBranches), their joins are separate
/// (splitSharedJoins), and canWiden() holds for all instructions (can_widen.h). Invalidates all analyses. `aliases`
/// determines which accesses may be combined.
void widen(llvm::Function &f, const ThreadGroups &groups, const LaneShapes &shapes,
           llvm::AAResults &aliases);

} // namespace heddle::cpu
