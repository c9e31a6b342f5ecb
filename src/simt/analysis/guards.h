// Finds the branches that decide whether a basic block runs, and which threads reach it.
#pragma once

#include "simt/analysis/accesses.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"

namespace heddle::simt {

/// A comparison of integers that holds: `left == right`, `!=`, `<` or `<=`, signed or unsigned.
struct Comparison {
  llvm::CmpInst::Predicate predicate;
  llvm::Value *left, *right;
};

/// Calls `visit` with the edges from other blocks' branches on which every path to a block lies, inner ones first.
/// Returns true and stops as soon as `visit` returns true.
bool anyGuardingEdge(const llvm::BasicBlock &block, const llvm::DominatorTree &dominators,
                     llvm::function_ref<bool(const llvm::BasicBlockEdge &)> visit);

/// Calls `visit` with the comparisons that branches imply for a block, those of inner branches first. Returns true and
/// stops as soon as `visit` returns true.
bool anyImpliedComparison(
    const llvm::BasicBlock &block, const llvm::DominatorTree &dominators,
    llvm::function_ref<bool(const Comparison &, const llvm::BasicBlock &from)> visit);

/// Returns the comparisons that branches imply for a block, those of inner branches first.
llvm::SmallVector<Comparison, 4> collectImpliedComparisons(const llvm::BasicBlock &block,
                                                           const llvm::DominatorTree &dominators);

/// `if (index == value)`, where `index` differs between threads: a single thread enters.
struct SingleThread {
  llvm::Value *index;
  llvm::Value *value;
  bool operator==(const SingleThread &) const = default;
};

/// A set of branches, which are the ends of their blocks, and loops.
struct DivergentRegions {
  llvm::SmallPtrSet<const llvm::BasicBlock *, 4> branches;
  llvm::SmallPtrSet<const llvm::Loop *, 2> loops;

  unsigned size() const { return branches.size() + loops.size(); }
  bool contains(const DivergentRegions &others) const;
};

/// Returns true for a thread's index along y or z.
bool isRowIndex(std::optional<Op> op);

using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 16>;

/// Returns `ends` and the blocks from which a thread may reach one of them.
Blocks findBlocksBefore(const Blocks &ends);

/// Branches that decide which threads reach a block, among threads that differ only along x, or among all threads of a
/// warp if `considersRows`. Threads that have left a loop around the block do not count, and neither do those that run
/// no relevant block any more.
class ThreadGuards {
public:
  ThreadGuards(const llvm::Function &f, const llvm::DominatorTree &dominators,
               const llvm::LoopInfo &loops, const Accesses &accesses, const Blocks &relevant,
               bool considersRows);

  /// Returns true if threads differ along y or z, possibly in a warp.
  bool hasRows() const { return hasRows_; }
  /// Returns true if no thread-dependent branch guards the block.
  bool allThreadsReach(const llvm::BasicBlock &block) const;
  /// Returns true if each thread that reaches one block also reaches the other: no further thread-dependent branch
  /// guards it.
  bool threadsOfOneReachOther(const llvm::BasicBlock &one, const llvm::BasicBlock &other) const;
  /// The single thread that may reach the block; nullopt if several may.
  std::optional<SingleThread> singleThreadAt(const llvm::BasicBlock &block) const;
  /// Returns true if no threads bypass the block.
  bool areConvergedAt(const llvm::BasicBlock &block) const;
  /// The branches and loops around the block that only some threads run.
  DivergentRegions divergentRegionsAt(const llvm::BasicBlock &block) const;

private:
  bool hasUniformTripCount(const llvm::Loop &loop) const;
  /// Calls `visit` with the edges that lead to a block from branches where only some threads may take them,
  /// except back edges. Returns true and stops as soon as `visit` returns true.
  bool anyGuardSatisfies(const llvm::BasicBlock &block,
                         llvm::function_ref<bool(const llvm::BasicBlockEdge &)> visit) const;
  /// Returns true if all threads leave a loop at `from` before they reach the block.
  bool doAllThreadsLeaveBefore(const llvm::BasicBlock &from, const llvm::BasicBlock &block) const;
  bool differsBetweenLanes(const llvm::Value &v) const;
  bool isLoopExitAround(const llvm::BasicBlock &branch, const llvm::BasicBlock &block) const;
  /// Returns true if the condition is the same in the threads of a warp, or in those that differ only along x.
  bool isUniformInWarp(llvm::Value &condition) const;

  const llvm::DominatorTree &dominators_;
  const llvm::LoopInfo &loops_;
  const Accesses &accesses_;
  const ThreadStrides &alongX_;
  const bool hasRows_, considersRows_;
  /// The edges after which all paths reach a block, unless they trap, and that other edges of the same branches bypass.
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallVector<llvm::BasicBlockEdge, 2>>
      controllingEdges_;
};

} // namespace heddle::simt
