#pragma once

#include "llvm/IR/Function.h"

namespace heddle::cpu {

class LaneShapes;

/// The bundle of an operation's call that tells which lane of a group makes it: an i32.
inline constexpr const char *laneBundle = "heddle.lane";

/// Rewrites a kernel for one thread as one for `width` threads that are neighbours along x, all of which exist: the
/// thread index becomes that of lane 0. What is the same in all lanes stays scalar, what has a stride keeps lane 0's
/// scalar, what varies becomes vectors; divergent branches become masks.
///
/// Needs: `shapes` of the function supports all its branches (LaneShapes::supported), their joins are separate
/// (separateJoins), and each instruction is one that canWiden() takes. Leaves no analysis valid.
void widen(llvm::Function &f, unsigned width, const LaneShapes &shapes);

/// Whether `widen` knows the instruction.
bool canWiden(const llvm::Instruction &i);

} // namespace heddle::cpu
