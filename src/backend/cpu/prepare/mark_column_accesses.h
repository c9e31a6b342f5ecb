#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Marks kernels that access array columns: neighbors along y, not along x, are adjacent in memory, as for one array of
/// a transposition. If rows of several blocks ran together, each thread would touch its own cache line, and the line
/// would be evicted before the next row (blocks/block_runs).
///
/// Needs: SIMT IR; order_threads has run.
struct MarkColumnAccesses : llvm::PassInfoMixin<MarkColumnAccesses> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

bool accessesColumns(const llvm::Function &kernel);

} // namespace heddle::cpu
