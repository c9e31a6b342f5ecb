#pragma once

#include "backend/cpu/blocks/thread_groups.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Which threads a group's lanes are, as vectors, each made once at the function's entry.
class LaneThreads {
public:
  LaneThreads(llvm::Function &f, const ThreadGroups &groups) : f(f), groups(groups) {}

  /// The lanes that have a thread, of a partial group.
  llvm::Value *existing();
  /// Each lane's value of an operation that tells a thread's index or lane; null for any other.
  llvm::Value *index(simt::Op op);

private:
  llvm::IRBuilder<> atEntry() const;
  llvm::Value *call(llvm::IRBuilderBase &b, simt::Op op) const;
  /// The first lane's number plus 0, 1, 2...: along x, in the block, or in the warp.
  llvm::Value *countedFrom(llvm::IRBuilderBase &b, simt::Op first) const;
  llvm::Value *linearIndex(llvm::IRBuilderBase &b, simt::Op op) const;

  llvm::Function &f;
  ThreadGroups groups;
  llvm::DenseMap<simt::Op, llvm::Value *> made_;
};

} // namespace heddle::cpu
