// Where threads wait for one another: at barriers and at operations of a warp.
#pragma once

#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace heddle::simt {

bool isMeeting(const llvm::Instruction &i);
/// Whether the threads that meet see each other's accesses from before: barriers of the block, the grid and a warp's named
/// lanes. Votes and shuffles order nothing, and a barrier of the active lanes waits for no others.
bool ordersMemory(const llvm::Instruction &i);
bool hasMeetings(const llvm::Function &f);
/// Whether the function has operations of a warp (isWarpOperation).
bool hasWarpOperations(const llvm::Function &f);

/// Whether a thread may come to one on its way from `begin`, before `end` (null: the function's).
bool mayMeet(const llvm::BasicBlock &begin, const llvm::BasicBlock *end);
/// The same on a way from `branch`, before the block where all its ways come together again.
bool mayMeetApart(const llvm::BasicBlock &branch, const llvm::PostDominatorTree &postDominators);

/// The meetings of one kind that threads may come to from `branch` before all its ways come together again.
llvm::SmallVector<const llvm::Instruction *, 4>
apartFrom(const llvm::BasicBlock &branch, const llvm::PostDominatorTree &postDominators,
          llvm::function_ref<bool(const llvm::Instruction &)> isOfKind);
/// Of meetings of one kind: how many ways from `branch` may come to one before all its ways come together again.
unsigned waysThatMeetApart(const llvm::BasicBlock &branch,
                           const llvm::PostDominatorTree &postDominators,
                           llvm::function_ref<bool(const llvm::Instruction &)> isOfKind);

/// A branch at which threads part that may then wait at different meetings; null where there is none. `analyses`:
/// of DivergenceAnalyses.
const llvm::BasicBlock *partingToMeetings(llvm::Function &f,
                                          llvm::FunctionAnalysisManager &analyses);

} // namespace heddle::simt
