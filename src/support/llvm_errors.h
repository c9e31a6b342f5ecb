// Converts errors that LLVM reports through its context to exceptions.
#pragma once

#include "llvm/IR/LLVMContext.h"

#include <memory>
#include <string>

namespace heddle {

/// Collects the errors that LLVM reports through `context` while the object lives.
class LlvmErrorScope {
public:
  explicit LlvmErrorScope(llvm::LLVMContext &context);
  ~LlvmErrorScope();
  LlvmErrorScope(const LlvmErrorScope &) = delete;
  LlvmErrorScope &operator=(const LlvmErrorScope &) = delete;

  /// Throws CompileError (Lowering) with the errors collected so far, if there are any.
  void throwIfErrors();

private:
  llvm::LLVMContext &context_;
  std::unique_ptr<llvm::DiagnosticHandler> outer_;
  std::string errors_;
};

} // namespace heddle
