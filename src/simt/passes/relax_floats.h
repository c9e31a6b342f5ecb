#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Metadata of a floating-point operation that keeps its own rounding: neither contracted nor relaxed.
inline constexpr const char *exactMetadata = "simt.exact";

/// Says how far floating-point operations may be changed: a product and a sum may become one FMA, as in CUDA C++;
/// with `fast` (cuda.jit(fastmath=True)) operations may also be reordered and approximated.
struct RelaxFloats : llvm::PassInfoMixin<RelaxFloats> {
  explicit RelaxFloats(bool fast) : fast(fast) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  bool fast;
};

} // namespace heddle::simt
