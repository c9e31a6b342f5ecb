// Declarations that Clang takes and kernels cannot have.
#pragma once

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle::cudacpp {

/// Reports assembly outside functions, names (asm labels) that the compiler has for itself, and classes that hold each
/// other too deeply for the compiler's stack. To be told of declarations before code is generated for them.
class DeclarationCheck : public clang::ASTConsumer {
public:
  /// `ended` becomes true where the rest of the program must not be read.
  DeclarationCheck(clang::CompilerInstance &compiler, bool &ended)
      : compiler_(compiler), ended_(ended) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override;
  void HandleTagDeclDefinition(clang::TagDecl *tag) override;

  /// Whether it is at work: what crashes then is not Clang.
  bool isChecking() const { return checking_; }

private:
  unsigned depthOf(clang::QualType type) const;

  clang::CompilerInstance &compiler_;
  bool &ended_;
  bool checking_ = false;
  llvm::DenseMap<const clang::TagDecl *, unsigned>
      depths_; ///< of classes with bases or members that are classes
};

/// Reports parameters that no launch can pass: references, and "..." for any number.
void checkKernelParameters(const clang::FunctionDecl &kernel);

} // namespace heddle::cudacpp
