// How a value differs from lane to lane.
#pragma once

#include "backend/cpu/blocks/thread_groups.h"
#include "simt/analysis/divergence.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace heddle::cpu {

/// A value in the lanes of a group of threads.
struct LaneShape {
  enum Kind : uint8_t {
    Unknown, ///< not visited yet
    Strided, ///< an integer or a pointer: lane 0's value plus `stride` for each lane; 0: uniform
    Even, ///< the same with a stride that is known at run time: what lane 1's value and lane 0's differ by
    Varying ///< anything else
  };
  Kind kind = Unknown;
  int64_t stride = 0;

  bool isUniform() const { return kind == Strided && stride == 0; }
  bool isStrided() const { return kind == Strided && stride != 0; }
  /// Lane 0's value does not tell the others'.
  bool isVarying() const { return kind == Even || kind == Varying; }
  bool isEven() const { return kind == Even; }
  bool operator==(const LaneShape &) const = default;
};

/// Which threads are neighbours in such groups.
inline simt::Neighbours neighboursIn(const ThreadGroups &groups) {
  return groups.linear ? simt::Neighbours::InOrder : simt::Neighbours::AlongX;
}

/// Whether lane numbers count on in a group: it does not begin anywhere in a warp.
inline bool lanesCountOn(const ThreadGroups &groups) { return groups.linear || !groups.partial; }

/// A branch whose condition differs between lanes, of a form that masks can follow.
struct DivergentBranch {
  enum Form {
    Refused,
    If,   ///< to `then` or to `join`: `then` has no other way in, its ways out end at `join`
    Latch ///< the only way out of `loop`, at its end: to its header or to `join`
  };
  Form form = Refused;
  llvm::BasicBlock *then = nullptr; ///< If: the successor that is not `join`
  llvm::BasicBlock *join = nullptr;
  llvm::Loop *loop = nullptr; ///< Latch
};

/// A comparison of a number that counts up from lane to lane with one that is the same in all.
struct Counting {
  llvm::ICmpInst::Predicate predicate;
  llvm::Value *counted, *bound;
};

/// `if (tid.x < 4)` holds in these lanes of a block's first group, `if (tid.x % 32 == 0)` of every group.
struct KnownLanes {
  uint64_t bits;
  bool inEveryGroup;
};

/// The shapes of a function's values for groups whose first lane's x (linear: number in the block) is a multiple of the
/// width.
///
/// Needs: structured control flow in LCSSA form. A group's lanes run together, and the function's divergent branches are
/// of the forms above.
class LaneShapes {
public:
  LaneShapes(llvm::Function &f, const ThreadGroups &groups,
             const llvm::PostDominatorTree &postDominators, const llvm::LoopInfo &loops);

  LaneShape of(const llvm::Value &v) const;
  /// By block, in reverse post-order.
  const llvm::MapVector<const llvm::BasicBlock *, DivergentBranch> &branches() const {
    return branches_;
  }
  /// Whether each lane's integer is greater than the one before it, read as signed or unsigned.
  bool countsUp(const llvm::Value &v) const;
  /// What a condition compares, where that counts up; its opposite if `isTrue` is false.
  std::optional<Counting> countingIn(llvm::Value &condition, bool isTrue = true) const;
  /// The lanes of a group in which a condition holds; nothing where that is not known before it runs.
  std::optional<KnownLanes> knownLanes(llvm::Value &condition, bool isTrue = true) const;
  const DivergentBranch *branchOf(const llvm::BasicBlock &block) const;
  bool supported() const;

private:
  /// Visits the blocks until nothing changes.
  void settle();
  /// A value that is undefined before its loop has no shape to begin with: gives one such value one. Whether there was
  /// one.
  bool startUnknownLoop();
  bool visit(llvm::Instruction &i);
  LaneShape shapeOf(llvm::Instruction &i) const;
  LaneShape shapeOfPhi(llvm::PHINode &phi) const;
  LaneShape shapeOfCall(llvm::CallInst &call) const;
  LaneShape shapeOfProduct(llvm::Instruction &i) const;
  LaneShape shapeOfBits(llvm::Instruction &i) const;
  LaneShape shapeOfAddress(llvm::GetElementPtrInst &address) const;
  LaneShape shapeOfExtension(llvm::CastInst &cast) const;
  /// Whether a value that is narrower than 64 bits is what its operands make in numbers of any size, read as signed or
  /// unsigned: nothing has wrapped around in a lane that runs.
  bool isExact(const llvm::Value &v, bool isSigned, unsigned depth = 0) const;
  /// Whether no lane's value has wrapped around between lane 0's and its own, read as signed or unsigned.
  bool staysInPiece(const llvm::Value &v, int64_t stride) const;
  DivergentBranch classify(llvm::BranchInst &branch) const;

  llvm::Function &f;
  ThreadGroups groups;
  const llvm::PostDominatorTree &postDominators;
  const llvm::LoopInfo &loops;
  llvm::DenseMap<const llvm::Value *, LaneShape> shapes_;
  llvm::MapVector<const llvm::BasicBlock *, DivergentBranch> branches_;
};

} // namespace heddle::cpu
