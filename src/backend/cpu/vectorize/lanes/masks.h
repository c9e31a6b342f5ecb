#pragma once

#include "backend/cpu/vectorize/lanes/threads.h"
#include "backend/cpu/vectorize/lanes/values.h"

namespace heddle::cpu {

/// Converts a mask to an integer, lane 0 in the lowest bit.
llvm::Value *maskToInteger(llvm::IRBuilderBase &b, llvm::Value *mask);

/// Extracts an element of a vector whose length is a power of 2. The index is masked, because the extraction may be
/// speculated with a poison index, and code generation assumes a valid index.
llvm::Value *extractElementAt(llvm::IRBuilderBase &b, llvm::Value *vector, llvm::Value *number);

/// Emits the lanes of `mask` (null: all) for which the condition holds, as a select instead of an `and`, so that poison
/// in inactive lanes does not propagate.
llvm::Value *andMask(llvm::IRBuilderBase &b, llvm::Value *mask, llvm::Value *condition);

/// The active lanes of each block of a function, which is widened in reverse post-order.
///
///     If      br any(mask and condition), then, join      `then` gets the mask and condition, `join` gets the mask
///             br row and any(mask and column), ...        uniform conditions stay out of the mask of `then`
///     Latch   br any(mask and condition), header, join    a phi in the header is the mask; `join` gets the preheader's
class LaneMasks {
public:
  LaneMasks(llvm::Function &f, const ThreadGroups &groups, const LaneShapes &shapes,
            LaneValues &values, LaneThreads &threads, llvm::IRBuilderBase &b);

  /// Creates the mask of a block after its predecessors; null if all lanes are active.
  llvm::Value *createMask(llvm::BasicBlock &block);
  /// Replaces the condition of a divergent branch so that the group takes it if any lane does.
  void widenBranch(llvm::BasicBlock &block, const DivergentBranch &branch);

  /// The mask of a block; null if all lanes run the block.
  llvm::Value *maskOf(const llvm::BasicBlock &block) const { return masks.lookup(&block); }
  /// The lanes that take a divergent branch: into the conditional block, or back to the loop header.
  llvm::Value *takenLanes(const llvm::BasicBlock &block) const { return taken_.lookup(&block); }
  llvm::Value *maskOrAllOnes(llvm::Value *mask);
  /// Emits an i1: true if all lanes are in `mask` (null: all) and the condition holds in each lane.
  llvm::Value *emitAllActiveAndHold(llvm::Value &condition, llvm::Value *mask);
  /// Emits an i1: true if the condition holds in no lane of `mask`.
  llvm::Value *emitNoneHolds(llvm::Value &condition, llvm::Value *mask);

  /// The block whose divergent branch joins at `join`; null if there is none.
  const llvm::BasicBlock *branchJoiningAt(const llvm::BasicBlock &join) const {
    return ifs.lookup(&join);
  }
  /// The loop latch whose divergent branch exits to `join`; null if there is none.
  const llvm::BasicBlock *latchExitingTo(const llvm::BasicBlock &join) const {
    return latches.lookup(&join);
  }

private:
  /// A conjunction, split into uniform and varying conditions.
  struct Parts {
    llvm::Value *uniform = nullptr;                               ///< null for none
    llvm::SmallVector<std::pair<llvm::Value *, bool>, 4> varying; ///< with the required value
  };
  /// Splits a condition at the builder's position.
  void splitUniformAndVaryingParts(llvm::Value *condition, bool isTrue, Parts &parts);
  /// Widens the branch of `block` around `then`, and creates the mask of `then`.
  void widenOneSidedIf(llvm::BasicBlock &block, llvm::BasicBlock &then, bool isTrue);

  llvm::Type *maskType() const;
  llvm::Value *computeMask(llvm::BasicBlock &block);
  llvm::Value *makeLoopMask(const DivergentBranch &branch);
  /// Emits an i1 without using vectors: true if a comparison with values that increase from lane to lane holds in any
  /// lane of `mask`. Returns null if that needs vectors. isTrue: false negates the condition.
  llvm::Value *emitAnyHoldsWithoutVectors(llvm::Value *condition, bool isTrue, llvm::Value *mask);
  /// Like emitAnyHoldsWithoutVectors(), but true if the comparison holds in all lanes.
  llvm::Value *emitAllHoldWithoutVectors(llvm::Value *condition, bool isTrue);
  /// The lanes of `mask` that satisfy a condition, if known at compile time (null: all lanes).
  std::optional<llvm::Value *> constantMaskIfKnown(llvm::Value &condition, bool isTrue,
                                                   llvm::Value *mask);

  const ThreadGroups groups;
  const LaneShapes &shapes;
  LaneValues &values;
  LaneThreads &threads;
  llvm::IRBuilderBase &b;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::Value *> masks, taken_;
  llvm::Value *existingLanes_ = nullptr; ///< lanes with a thread: a prefix; null for all
  llvm::DenseMap<const llvm::BasicBlock *, const llvm::BasicBlock *> ifs, latches;
  llvm::DenseMap<const llvm::BasicBlock *, const DivergentBranch *> loopOfHeader;
};

} // namespace heddle::cpu
