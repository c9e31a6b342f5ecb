#pragma once

#include "simt/compile_options.h"

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Metadata of a floating-point operation that must keep its rounding: neither contracted nor relaxed.
inline constexpr const char *exactMetadata = "simt.exact";

/// Adds the fast-math flags in `allowed` to floating-point operations without exactMetadata.
struct RelaxFloats : llvm::PassInfoMixin<RelaxFloats> {
  explicit RelaxFloats(FastMath allowed) : allowed(allowed) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  FastMath allowed;
};

} // namespace heddle::simt
