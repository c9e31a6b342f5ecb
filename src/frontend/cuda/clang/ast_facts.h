// What a launch needs to know of a program and Clang's syntax tree says: kernels with their parameters, variables.
#pragma once

#include "frontend/cuda/compiled_program.h"

#include "llvm/ADT/ArrayRef.h"

namespace clang {
class ASTContext;
class Decl;
} // namespace clang

namespace heddle::cudacpp {

struct AstFacts {
  std::vector<KernelInfo> kernels; ///< slots are not filled in
  std::vector<VariableInfo> variables;
  std::vector<FunctionInfo> functions; ///< that can be called from outside
  std::vector<std::string> functionTemplates;
};

/// Every kernel that these top-level declarations define, instances of templates among them, and every variable in
/// device memory.
AstFacts factsOf(clang::ASTContext &context, llvm::ArrayRef<clang::Decl *> declarations);

} // namespace heddle::cudacpp
