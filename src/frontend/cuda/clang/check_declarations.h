// Rejects declarations that Clang accepts but kernels do not support.
#pragma once

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle::cudacpp {

/// Reports assembly outside functions, reserved symbol names (asm labels), and classes nested so deeply that the
/// compiler would overflow its stack. Must receive declarations before code generation.
class DeclarationCheck : public clang::ASTConsumer {
public:
  /// Sets `ended` if Clang must not read the rest of the program.
  DeclarationCheck(clang::CompilerInstance &compiler, bool &ended)
      : compiler_(compiler), ended_(ended) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override;
  void HandleTagDeclDefinition(clang::TagDecl *tag) override;

  /// True during a check. A crash during a check is not Clang's fault.
  bool isChecking() const { return checking_; }

private:
  unsigned nestingDepth(clang::QualType type) const;

  clang::CompilerInstance &compiler_;
  bool &ended_;
  bool checking_ = false;
  /// The nesting depths of classes with bases or members of class type.
  llvm::DenseMap<const clang::TagDecl *, unsigned> depths_;
};

/// Reports parameters that no launch can pass: references, and "..." (variadic functions).
void checkKernelParameters(const clang::FunctionDecl &kernel);

} // namespace heddle::cudacpp
