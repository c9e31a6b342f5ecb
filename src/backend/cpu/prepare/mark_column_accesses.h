#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Marks kernels that access array columns: threads that are neighbors along y, not along x, access adjacent memory, as
/// for one array of a transposition. If rows of several blocks ran together (blocks/block_runs), each thread would
/// touch a separate cache line, which would be evicted before the next row uses it.
///
/// Needs: SIMT IR; order_threads has run.
struct MarkColumnAccesses : llvm::PassInfoMixin<MarkColumnAccesses> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

bool accessesColumns(const llvm::Function &kernel);

} // namespace heddle::cpu
