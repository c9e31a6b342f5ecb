// The shapes of values in a group of threads.
#pragma once

#include "backend/cpu/abi/thread_groups.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/lane_shapes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace heddle::cpu {

using simt::LaneShape;

/// The order that makes threads of these groups neighboring lanes: by linear index, or along x.
inline simt::Neighbors neighborsIn(const ThreadGroups &groups) {
  return groups.linear ? simt::Neighbors::InOrder : simt::Neighbors::AlongX;
}

/// Returns true if a group's lane indices are consecutive: the group does not start in the middle of a warp.
inline bool haveConsecutiveLaneIds(const ThreadGroups &groups) {
  return groups.linear || !groups.partial;
}

/// A branch whose condition differs between lanes.
struct DivergentBranch {
  enum Kind {
    Unsupported,
    If,   ///< branches to `then` or `join`; `then` has no other entry, and its exits lead to `join`
    Latch ///< the only exit of `loop`, at its end: branches to the header or `join`
  };
  Kind kind = Unsupported;
  llvm::BasicBlock *then = nullptr; ///< If: the successor other than `join`
  llvm::BasicBlock *join = nullptr;
  llvm::Loop *loop = nullptr; ///< for Latch
};

/// A comparison of a value that increases from lane to lane with a uniform bound.
struct IncreasingCompare {
  llvm::ICmpInst::Predicate predicate;
  llvm::Value *increasing, *bound;
};

/// The lanes of a group in which a condition holds: of the block's first group for `if (tid.x < 4)`, of every group for
/// `if (tid.x % 32 == 0)`.
struct KnownLanes {
  uint64_t bits;
  bool inEveryGroup;
};

/// Proves the shapes of a function's values, for groups whose first x (linear: linear index) is a multiple of the
/// width.
///
/// Needs: structured control flow in LCSSA form, with only the divergent branches above.
class LaneShapes final : public simt::ShapeRules {
public:
  LaneShapes(llvm::Function &f, const ThreadGroups &groups,
             const llvm::PostDominatorTree &postDominators, const llvm::LoopInfo &loops);

  LaneShape shapeOf(const llvm::Value &v) const override;
  /// Divergent branches by block, in reverse post-order.
  const llvm::MapVector<const llvm::BasicBlock *, DivergentBranch> &branches() const {
    return branches_;
  }
  /// Returns true if the integer increases from lane to lane, both as a signed and as an unsigned number.
  bool isIncreasing(const llvm::Value &v) const;
  /// Matches a comparison of an increasing value with a uniform bound. If `isTrue` is false, matches the negated
  /// comparison.
  std::optional<IncreasingCompare> matchIncreasingCompare(llvm::Value &condition,
                                                          bool isTrue = true) const;
  /// The lanes of a group in which a condition holds; nullopt if unknown at compile time.
  std::optional<KnownLanes> lanesWhereConditionHolds(llvm::Value &condition,
                                                     bool isTrue = true) const;
  const DivergentBranch *divergentBranchOf(const llvm::BasicBlock &block) const;
  bool supportsAllBranches() const;

private:
  /// Visits the blocks until a fixpoint is reached.
  void propagate();
  /// Gives one phi an initial shape: a value that is undefined before its loop has none. Returns false if there was no
  /// such phi.
  bool seedUnknownPhi();
  bool updateShape(llvm::Instruction &i);
  LaneShape computeShape(llvm::Instruction &i) const;
  LaneShape shapeOfPhi(llvm::PHINode &phi) const;
  bool hasNoWrapAcrossLanes(const llvm::Value &v, int64_t stride) const override;
  DivergentBranch classifyBranch(llvm::BranchInst &branch) const;

  llvm::Function &f;
  ThreadGroups groups;
  const llvm::PostDominatorTree &postDominators;
  const llvm::LoopInfo &loops;
  llvm::DenseMap<const llvm::Value *, LaneShape> shapes_;
  llvm::MapVector<const llvm::BasicBlock *, DivergentBranch> branches_;
};

} // namespace heddle::cpu
