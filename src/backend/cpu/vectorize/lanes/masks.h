#pragma once

#include "backend/cpu/vectorize/lanes/threads.h"
#include "backend/cpu/vectorize/lanes/values.h"

namespace heddle::cpu {

/// A mask as an integer, lane 0 in the lowest bit.
llvm::Value *bitsOf(llvm::IRBuilderBase &b, llvm::Value *mask);

/// An element of a vector with as many as a power of 2. It may be read ahead of the branch that guards it, at a number that
/// is poison there: the code generator takes that for one of the vector's.
llvm::Value *elementAt(llvm::IRBuilderBase &b, llvm::Value *vector, llvm::Value *number);

/// The lanes of `mask` (null: of all) for which the condition holds. What is poison in a lane that is not in the mask does
/// not matter: a select drops it, an and would not.
llvm::Value *lanesOf(llvm::IRBuilderBase &b, llvm::Value *mask, llvm::Value *condition);

/// The lanes that run each block of a function that is widened, visited in reverse post-order.
///
///     If      br any(mask and condition), then, join      `then` has that mask, `join` this block's
///             br row and any(mask and column), ...        what is the same in all lanes stays out of the mask of `then`
///     Latch   br any(mask and condition), header, join    a phi of the header has the mask, `join` the preheader's
class LaneMasks {
public:
  LaneMasks(llvm::Function &f, const ThreadGroups &groups, const LaneShapes &shapes,
            LaneValues &values, LaneThreads &threads, llvm::IRBuilderBase &b);

  /// Makes the mask of a block whose predecessors have theirs; null when all lanes run it.
  llvm::Value *enter(llvm::BasicBlock &block);
  /// Makes a divergent branch one that is taken if any lane takes it.
  void widenBranch(llvm::BasicBlock &block, const DivergentBranch &branch);

  /// Null when all lanes run the block.
  llvm::Value *of(const llvm::BasicBlock &block) const { return masks.lookup(&block); }
  /// The lanes that a divergent branch's block sends on: into what it may skip, or round its loop.
  llvm::Value *taken(const llvm::BasicBlock &block) const { return taken_.lookup(&block); }
  llvm::Value *orAllLanes(llvm::Value *mask);
  /// At the builder's position, whether all lanes are in `mask` (null: they are) and the condition holds in each.
  llvm::Value *allHold(llvm::Value &condition, llvm::Value *mask);
  /// The same, whether the condition holds in no lane of `mask`.
  llvm::Value *noneHolds(llvm::Value &condition, llvm::Value *mask);

  /// The block of the divergent branch that `join` belongs to; null where there is none.
  const llvm::BasicBlock *ifOf(const llvm::BasicBlock &join) const { return ifs.lookup(&join); }
  const llvm::BasicBlock *latchOf(const llvm::BasicBlock &join) const {
    return latches.lookup(&join);
  }

private:
  /// Conditions that hold together: what is the same in all lanes, and what differs from lane to lane.
  struct Parts {
    llvm::Value *ofAll = nullptr;                                ///< null for none
    llvm::SmallVector<std::pair<llvm::Value *, bool>, 4> ofEach; ///< and whether it is to be true
  };
  /// At the builder's position.
  void split(llvm::Value *condition, bool isTrue, Parts &parts);
  /// Makes a branch around `then` and its mask.
  void widenIf(llvm::BasicBlock &block, llvm::BasicBlock &then, bool isTrue);

  llvm::Type *type() const;
  llvm::Value *make(llvm::BasicBlock &block);
  llvm::Value *makeLoopMask(const DivergentBranch &branch);
  /// Whether a condition on numbers that count up from lane to lane holds in any lane, without vectors; null where that
  /// takes them. `isTrue`: whether it does not hold, if false. `mask`: of the lanes that ask.
  llvm::Value *anyOfNeighbours(llvm::Value *condition, bool isTrue, llvm::Value *mask);
  /// Whether it holds in all lanes.
  llvm::Value *allOfNeighbours(llvm::Value *condition, bool isTrue);
  /// The lanes of `mask` that run what a condition guards, if they are known before it runs: null for all.
  std::optional<llvm::Value *> knownMask(llvm::Value &condition, bool isTrue, llvm::Value *mask);

  const ThreadGroups groups;
  const LaneShapes &shapes;
  LaneValues &values;
  LaneThreads &threads;
  llvm::IRBuilderBase &b;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::Value *> masks, taken_;
  llvm::Value *existing_ = nullptr; ///< the lanes that have a thread: the first ones; null for all
  llvm::DenseMap<const llvm::BasicBlock *, const llvm::BasicBlock *> ifs, latches;
  llvm::DenseMap<const llvm::BasicBlock *, const DivergentBranch *> loopOfHeader;
};

} // namespace heddle::cpu
