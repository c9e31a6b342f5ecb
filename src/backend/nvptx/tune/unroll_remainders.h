// Unrolls the loops for the remaining iterations of unrolled loops.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class LLVMContext;
class MDNode;
} // namespace llvm

namespace heddle::nvptx {

/// Marks the loop that LLVM emits for the iterations that remain of a loop unrolled by `copies`, a power of two.
llvm::MDNode *makeRemainderMark(llvm::LLVMContext &c, unsigned copies);

/// Splits a loop for remaining iterations into parts: one for each bit of the number of iterations. LLVM's full unrolling
/// then copies the bodies.
///
///     before: n < 8                                  after
///       do body while (--n);                           if (n & 4) for (4 times) body
///       ; !llvm.loop with heddle.remainder               ; !llvm.loop with llvm.loop.unroll.full
///                                                      if (n & 2) for (2 times) body
///                                                      if (n & 1) body
///
/// Each part ends where the next begins. ptxas replaces the branches around short parts by predicates, so that the loads
/// of all these parts overlap.
///
/// Needs: loops in simplified form; LLVM has unrolled the loop to which the iterations belong.
struct UnrollRemainders : llvm::PassInfoMixin<UnrollRemainders> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
