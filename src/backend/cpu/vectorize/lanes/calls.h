#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// The calls that each lane of a group makes by itself: atomics, math, traps. While a function is widened such a call is
/// a stand-in for the whole group; expand() makes loops over the lanes of them, lowest lane first. Where a call is a few
/// instructions and all lanes make it, there is no loop:
///
///       br (mask is all lanes), all, some
///     all:                                      some:
///       call(lane 0's operands) ...               store vectors of operands
///       call(lane 15's operands)                lane:
///                                                 call(operands of the lowest lane that is left); br (any left), lane, ...
class LaneCalls {
public:
  explicit LaneCalls(llvm::Function &f, unsigned width) : f(f), width(width) {}

  /// At the builder's position: the vector of what each lane's call returns; null where the call returns nothing.
  /// operands: of `call`, each a vector where the lanes differ. mask: the lanes that make it; null for all.
  llvm::Value *add(llvm::IRBuilderBase &b, const llvm::CallInst &call,
                   llvm::ArrayRef<llvm::Value *> operands, llvm::Value *mask);
  void expand();

private:
  struct Group {
    llvm::CallInst *standIn;
    llvm::Function *callee;
    llvm::Type *result;
    llvm::AttributeList attributes;
    llvm::FastMathFlags flags;
    bool masked;
  };
  static bool isShort(const Group &group);
  void expand(const Group &group);
  /// Each makes the calls at the builder's position; the vector of results, null where nobody wants them.
  llvm::Value *callInTurn(llvm::IRBuilderBase &b, const Group &group,
                          llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *callInLoop(llvm::IRBuilderBase &b, const Group &group,
                          llvm::SmallVector<llvm::Value *, 8> operands, llvm::Value *lanes,
                          llvm::BasicBlock *after);
  llvm::CallInst *callOf(llvm::IRBuilderBase &b, const Group &group,
                         llvm::ArrayRef<llvm::Value *> operands, llvm::Value *lane);
  llvm::Value *memoryFor(llvm::Type *type);

  llvm::Function &f;
  unsigned width;
  llvm::SmallVector<Group> groups_;
};

} // namespace heddle::cpu
