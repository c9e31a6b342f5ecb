// Extracts from Clang's syntax tree the facts that launches need: kernels, parameters and variables.
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
  std::vector<FunctionInfo> functions; ///< __device__ functions callable from other programs
  std::vector<std::string> functionTemplates;
};

/// Collects the facts about these top-level declarations, including template instantiations.
AstFacts collectAstFacts(clang::ASTContext &context, llvm::ArrayRef<clang::Decl *> declarations);

} // namespace heddle::cudacpp
