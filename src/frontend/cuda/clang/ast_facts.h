// Extracts kernels, parameters and variables from Clang's syntax tree, as launches need them.
#pragma once

#include "frontend/cuda/compiled_program.h"

#include "llvm/ADT/ArrayRef.h"

namespace clang {
class ASTContext;
class Decl;
} // namespace clang

namespace heddle::cudacpp {

struct AstFacts {
  std::vector<KernelInfo> kernels; ///< without slots
  std::vector<VariableInfo> variables;
  std::vector<FunctionInfo> functions; ///< callable from outside
  std::vector<std::string> functionTemplates;
};

/// Lists the kernels defined in these top-level declarations, including template instantiations, and the variables in
/// device memory.
AstFacts collectAstFacts(clang::ASTContext &context, llvm::ArrayRef<clang::Decl *> declarations);

} // namespace heddle::cudacpp
