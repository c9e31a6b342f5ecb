// Synchronization points: barriers and warp operations, where threads wait for each other.
#pragma once

#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace heddle::simt {

bool isSyncPoint(const llvm::Instruction &i);
/// Returns true for a barrier of the block, with or without a count or vote.
bool isBlockBarrier(const llvm::Instruction &i);
/// Returns true for a named barrier, which may be one for some threads of the block.
bool isNamedBarrier(const llvm::Instruction &i);
/// Returns true for an operation that reads another lane's value.
bool isShuffle(const llvm::Instruction &i);
/// Returns true if the waiting threads see each other's earlier accesses: for block barriers, grid barriers, and warp
/// barriers with an explicit lane mask. Votes, shuffles and barriers of the active lanes do not order memory.
bool isMemoryOrderingBarrier(const llvm::Instruction &i);
bool hasSyncPoints(const llvm::Function &f);
bool hasNamedBarriers(const llvm::Function &f);
/// Returns true if the function contains a warp operation (isWarpOperation).
bool hasWarpOperations(const llvm::Function &f);

/// Returns true if a thread may reach a synchronization point from `begin` before it reaches `end` (null: the
/// function's end).
bool mayReachSyncPoint(const llvm::BasicBlock &begin, const llvm::BasicBlock *end);
/// Returns true if a thread may reach a synchronization point from `branch` before its join, which is its immediate
/// post-dominator.
bool mayReachSyncPointBeforeJoin(const llvm::BasicBlock &branch,
                                 const llvm::PostDominatorTree &postDominators);

/// Returns the wanted instructions that threads may reach from `branch` before its join.
llvm::SmallVector<const llvm::Instruction *, 4>
collectInstructionsBeforeJoin(const llvm::BasicBlock &branch,
                              const llvm::PostDominatorTree &postDominators,
                              llvm::function_ref<bool(const llvm::Instruction &)> isWanted);
/// Counts the successors of `branch` from which a wanted instruction is reachable before the join.
unsigned countSuccessorsReaching(const llvm::BasicBlock &branch,
                                 const llvm::PostDominatorTree &postDominators,
                                 llvm::function_ref<bool(const llvm::Instruction &)> isWanted);

/// Returns a divergent branch whose sides may reach different synchronization points; null if there is none. `analyses`
/// comes from DivergenceAnalyses.
const llvm::BasicBlock *findBranchToDifferentSyncPoints(llvm::Function &f,
                                                        llvm::FunctionAnalysisManager &analyses);

} // namespace heddle::simt
