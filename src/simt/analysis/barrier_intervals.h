// Barrier intervals: the parts of a kernel that the threads of a block may run at the same time.
#pragma once

#include "simt/analysis/divergence.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"

#include <map>
#include <vector>

namespace heddle::simt {

/// Orders instructions of a kernel by the barriers of its blocks. An interval begins at the kernel's start or at a
/// barrier, and ends at the next barrier.
///
/// Needs: no thread skips a barrier (maySkipBarrier).
class BarrierIntervals {
public:
  explicit BarrierIntervals(llvm::Function &kernel);

  /// Returns false if two threads of a block never run the instructions in the same interval.
  bool mayRunInSameInterval(const llvm::Instruction &a, const llvm::Instruction &b) const;
  /// Returns true if all threads of a block that run the instruction in an interval see the same value there: a uniform
  /// value that changes at most once in an interval.
  bool isUniformPerInterval(const llvm::Value &v) const;
  /// Returns true if a thread that runs `a` and one that runs `b` in the same interval see the same steady value.
  bool haveSameValueAt(const llvm::Instruction &v, const llvm::Instruction &a,
                       const llvm::Instruction &b) const;
  /// Returns true if all threads of the block run `a` in the same interval, and a thread that runs `b` has run `a`.
  bool isBefore(const llvm::Instruction &a, const llvm::Instruction &b) const;
  /// Returns true if a thread may run `b` after `a` without a barrier in between.
  bool mayRunAfter(const llvm::Instruction &a, const llvm::Instruction &b) const;
  const llvm::DominatorTree &dominators() const { return dominators_; }

private:
  using Segment = unsigned; ///< a part of a basic block without a barrier

  Segment segmentOf(const llvm::Instruction &i) const;
  void makeSegments();
  /// The segments that a thread may reach from a segment, itself included, without a barrier.
  llvm::BitVector reachableFrom(Segment from, const llvm::BitVector *avoided = nullptr) const;
  bool reaches(Segment from, Segment to) const { return reachable_[from][to]; }
  bool isOnCycle(Segment segment) const;
  bool mayReachInOneInterval(Segment start, Segment a, Segment b) const;
  /// For each start, the segments that a thread may reach from it without passing a definition's segment.
  const std::vector<llvm::BitVector> &reachableWithoutPassing(Segment definition) const;
  /// Returns true if all threads of the block run the basic block when the first of them reaches it.
  bool isRunByAllThreads(const llvm::BasicBlock &target) const;

  llvm::Function &kernel_;
  DivergenceAnalyses analyses_;
  llvm::UniformityInfo &uniformity_;
  const llvm::DominatorTree dominators_;
  const llvm::PostDominatorTree postDominators_;
  bool isKnown_ = true; ///< false if all instructions may be in one interval
  llvm::SmallVector<const llvm::Instruction *> firsts_; ///< of segments
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallVector<Segment, 2>> segments_;
  llvm::SmallVector<Segment> starts_, divergent_;
  std::vector<llvm::BitVector> reachable_;
  mutable std::map<Segment, std::vector<llvm::BitVector>> around_; ///< known results
  mutable llvm::DenseMap<const llvm::BasicBlock *, bool> runByAll_;
};

} // namespace heddle::simt
