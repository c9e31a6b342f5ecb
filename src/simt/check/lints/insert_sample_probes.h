// Inserts probes that record the path of each thread in a sample of a launch, for the lints of `heddle check`.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Makes a thread record each basic block of the kernel that it executes.
///
///     before                          after
///       loop:                           loop:
///         %i = phi i32 ...                %i = phi i32 ...
///         %v = load ...                   %goes_on = call i1 @simt.check.block(5)
///                                         %v = load ...
///
/// Site 5 has the kind "block". Its arguments are a SampledBlock. Its position is that of the innermost divergent
/// branch or loop that decides how many lanes of a warp execute the block; its message is "branch" or "loop", or empty
/// if there is none.
///
/// Needs: SIMT IR from a front end, device functions inlined. Leaves SIMT IR.
struct InsertSampleProbes : llvm::PassInfoMixin<InsertSampleProbes> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

/// Ends a thread at a loop header whose probe returns false.
///
/// Needs: InsertSampleProbes has run; no later pass relies on the points at which branches reconverge. Leaves SIMT IR.
struct EndSampledThreads : llvm::PassInfoMixin<EndSampledThreads> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::simt
