// Registration of the shared passes, and the pipeline that every back end starts with.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
}

namespace heddle::simt {

/// Registers the passes of passes.def with `builder`'s pipeline parser.
void registerPasses(llvm::PassBuilder &builder);
/// Registers the analyses that these passes use.
void registerAnalyses(llvm::FunctionAnalysisManager &functions);

/// Promotes a thread's scalars to registers and simplifies expressions, so that later SIMT passes can analyze them.
/// keepApproximate: see SimplifyMath.
llvm::FunctionPassManager simplificationPasses(bool keepApproximate);

} // namespace heddle::simt
