#pragma once

#include "simt/compile_options.h"

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Metadata of a floating-point operation that keeps its own rounding: neither contracted nor relaxed.
inline constexpr const char *exactMetadata = "simt.exact";

/// Says how far floating-point operations may be changed: a product and a sum may become one FMA, as in CUDA C++, or
/// operations may be reordered and approximated.
struct RelaxFloats : llvm::PassInfoMixin<RelaxFloats> {
  explicit RelaxFloats(FastMath allowed) : allowed(allowed) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  FastMath allowed;
};

} // namespace heddle::simt
