// The code of one function: its blocks, in an order in which definitions come before their uses.
#pragma once

#include "frontend/python/emit/debug_variables.h"

namespace heddle::python {

class FunctionEmitter {
public:
  /// `function` is the declaration of `f` in the module.
  FunctionEmitter(ModuleEmitter &module, TypedFunction &f, llvm::Function &function)
      : e_(module, f, function) {}
  /// Fills in the body.
  void run();
  Emitter &emitter() { return e_; }

private:
  void bindParameters();
  void emitBlock(Block &block);
  void bindUnassigned(Value &v);
  /// Remembers where the instructions stand that follow an assignment after `v`, or at the start of the block.
  void noteAssignments(const Block &block, const Value *v);
  void emitTerminator(Value &v);
  void completePhis();
  /// Where what is raised in the block goes; null: out of the call.
  llvm::BasicBlock *landingOf(Block &block);

  Emitter e_;
  std::map<Block *, llvm::BasicBlock *> entries_; ///< where a block starts
  std::map<Block *, llvm::BasicBlock *> exits_;   ///< where its terminator stands
  /// By the block whose Protect leads there; null for what leaves the function.
  std::map<Block *, llvm::BasicBlock *> landings_;
  std::vector<Value *> phis_;
  std::vector<AssignmentPlace> assigned_; ///< for debuggers
};

} // namespace heddle::python
