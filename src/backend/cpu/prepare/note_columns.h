#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Notes which kernels access columns of an array: neighbours along y, not along x, are neighbours in memory, as where one
/// array of a transposition is read or written. Rows of several blocks, run together, would touch a line of the cache for
/// each thread and lose it before they come to the next row (blocks/block_runs).
///
/// Needs: SIMT IR, threads in their order (order_threads).
struct NoteColumns : llvm::PassInfoMixin<NoteColumns> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

bool accessesColumns(const llvm::Function &kernel);

} // namespace heddle::cpu
