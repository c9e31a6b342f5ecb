// Rejects declarations that Clang accepts and kernels do not support.
#pragma once

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle::cudacpp {

/// Reports assembly outside functions, reserved symbol names (asm labels), and classes nested too deeply for the
/// compiler's stack. Must receive declarations before code generation.
class DeclarationCheck : public clang::ASTConsumer {
public:
  /// Sets `ended` to true when the rest of the program must not be read.
  DeclarationCheck(clang::CompilerInstance &compiler, bool &ended)
      : compiler_(compiler), ended_(ended) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override;
  void HandleTagDeclDefinition(clang::TagDecl *tag) override;

  /// True during a check: a crash is then not Clang's fault.
  bool isChecking() const { return checking_; }

private:
  unsigned nestingDepth(clang::QualType type) const;

  clang::CompilerInstance &compiler_;
  bool &ended_;
  bool checking_ = false;
  /// Depths of classes with bases or members of class type.
  llvm::DenseMap<const clang::TagDecl *, unsigned> depths_;
};

/// Reports parameters that no launch can pass: references, and "..." (variadic functions).
void checkKernelParameters(const clang::FunctionDecl &kernel);

} // namespace heddle::cudacpp
