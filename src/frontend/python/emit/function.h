// The code of one function: its blocks, in an order in which definitions come before their uses.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

class FunctionEmitter {
public:
  /// `function` is the declaration of `f` in the module.
  FunctionEmitter(ModuleEmitter &module, TypedFunction &f, llvm::Function &function)
      : e_(module, f, function) {}
  /// Fills in the body.
  void run();

private:
  void bindParameters();
  void emitBlock(Block &block);
  void emitTerminator(Value &v);
  void completePhis();

  Emitter e_;
  std::map<Block *, llvm::BasicBlock *> entries_; ///< where a block starts
  std::map<Block *, llvm::BasicBlock *> exits_;   ///< where its terminator stands
  std::vector<Value *> phis_;
};

} // namespace heddle::python
