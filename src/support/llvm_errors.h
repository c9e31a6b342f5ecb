// Errors that LLVM reports of the code that it is given, as exceptions.
#pragma once

#include "llvm/IR/LLVMContext.h"

#include <memory>
#include <string>

namespace heddle {

/// While it lives, errors that LLVM reports for code of `context` are collected.
class LlvmErrorScope {
public:
  explicit LlvmErrorScope(llvm::LLVMContext &context);
  ~LlvmErrorScope();
  LlvmErrorScope(const LlvmErrorScope &) = delete;
  LlvmErrorScope &operator=(const LlvmErrorScope &) = delete;

  /// Throws CompileError (Lowering) with the errors collected so far, if there are any.
  void check();

private:
  llvm::LLVMContext &context_;
  std::unique_ptr<llvm::DiagnosticHandler> outer_;
  std::string errors_;
};

} // namespace heddle
