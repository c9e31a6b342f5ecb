// Emits the blocks of one function, in an order that puts definitions before uses.
#pragma once

#include "frontend/python/emit/debug_variables.h"

namespace heddle::python {

class FunctionEmitter {
public:
  /// `function` is the declaration of `f` in the module.
  FunctionEmitter(ModuleEmitter &module, TypedFunction &f, llvm::Function &function)
      : e_(module, f, function) {}
  /// Emits the body.
  void run();
  Emitter &emitter() { return e_; }

private:
  void bindParameters();
  void emitBlock(Block &block);
  void bindUnassignedVariableToZero(Value &v);
  /// Records the instruction position of the assignments that follow `v`, or of those at the start of the block if `v`
  /// is null.
  void recordAssignmentPositions(const Block &block, const Value *v);
  void emitTerminator(Value &v);
  void completePhis();
  /// The block that exceptions raised in `block` branch to; null if they leave the call.
  llvm::BasicBlock *getOrCreateLandingBlock(Block &block);

  Emitter e_;
  std::map<Block *, llvm::BasicBlock *> entries_; ///< the first LLVM block of each block
  std::map<Block *, llvm::BasicBlock *> exits_;   ///< the LLVM block with its terminator
  /// Landing blocks, by the block whose Protect leads there. The key is null for exceptions that leave the function.
  std::map<Block *, llvm::BasicBlock *> landings_;
  std::vector<Value *> phis_;
  std::vector<AssignmentPlace> assigned_; ///< for debuggers
};

} // namespace heddle::python
