#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Calls that each lane makes separately: atomics, math, traps. During widening, a placeholder stands for the calls of
/// the group; replacePlaceholders() turns it into a loop over the active lanes, lowest lane first. For calls of a few
/// instructions, a branch selects code without a loop if all lanes are active:
///
///       br (mask is all lanes), all, some
///     all:                                      some:
///       call(lane 0's operands) ...               store vectors of operands
///       call(lane 15's operands)                lane:
///                                                 call(operands of the lowest lane left); br (any left), lane, ...
class LaneCalls {
public:
  explicit LaneCalls(llvm::Function &f, unsigned width) : f(f), width(width) {}

  /// Adds a call at the builder's position and returns the vector of results; null for void. operands: of `call`, each
  /// a vector if the lanes differ. mask: active lanes; null for all.
  llvm::Value *emitPlaceholderCall(llvm::IRBuilderBase &b, const llvm::CallInst &call,
                                   llvm::ArrayRef<llvm::Value *> operands, llvm::Value *mask);
  void replacePlaceholders();

private:
  struct Group {
    llvm::CallInst *placeholder;
    llvm::Function *callee;
    llvm::Type *result;
    llvm::AttributeList attributes;
    llvm::FastMathFlags flags;
    bool masked;
  };
  static bool isSharedMemoryAtomic(const Group &group);
  void replacePlaceholders(const Group &group);
  /// Emits the calls at the builder's position and returns the vector of results; null if they are unused.
  llvm::Value *callEachLane(llvm::IRBuilderBase &b, const Group &group,
                            llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *callActiveLanesInLoop(llvm::IRBuilderBase &b, const Group &group,
                                     llvm::SmallVector<llvm::Value *, 8> operands,
                                     llvm::Value *lanes, llvm::BasicBlock *after);
  llvm::CallInst *createLaneCall(llvm::IRBuilderBase &b, const Group &group,
                                 llvm::ArrayRef<llvm::Value *> operands, llvm::Value *lane);
  llvm::Value *createLaneMemory(llvm::Type *type);

  llvm::Function &f;
  unsigned width;
  llvm::SmallVector<Group> groups_;
};

} // namespace heddle::cpu
