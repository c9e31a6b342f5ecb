#pragma once

#include "backend/cpu/abi/thread_groups.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Thread indices of a group's lanes as vectors, each emitted once at the function's entry.
class LaneThreads {
public:
  LaneThreads(llvm::Function &f, const ThreadGroups &groups) : f(f), groups(groups) {}

  /// Emits the lanes of a partial group that have a thread, as a mask.
  llvm::Value *emitMaskOfExistingLanes();
  /// Emits the vector of a thread or lane index operation; returns null for other operations.
  llvm::Value *getOrEmitIndexVector(simt::Op op);

private:
  llvm::IRBuilder<> builderAtEntry() const;
  llvm::Value *emitIndexOp(llvm::IRBuilderBase &b, simt::Op op) const;
  /// Emits the vector first + 0, first + 1, ...; `first` is the operation for lane 0's index.
  llvm::Value *emitConsecutiveIndices(llvm::IRBuilderBase &b, simt::Op first) const;
  llvm::Value *emitThreadIdOfLinearGroup(llvm::IRBuilderBase &b, simt::Op op) const;

  llvm::Function &f;
  ThreadGroups groups;
  llvm::DenseMap<simt::Op, llvm::Value *> vectors_;
};

} // namespace heddle::cpu
