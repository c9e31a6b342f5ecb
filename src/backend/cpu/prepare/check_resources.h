#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Refuses what a CPU cannot run and decides which device functions stay functions.
///
/// A device function is copied into its callers unless it recurses or is large; then it is marked "heddle.out-of-line"
/// ("heddle.recursive" too when it recurses). Only a kernel can be suspended, so an out-of-line function that may
/// reach a barrier is refused. Each kernel is given "heddle.local-bytes": the stack that the local arrays along its
/// deepest chain of calls take.
///
/// Throws CompileError: Unsupported for a recursive function that can reach a barrier or a warp operation, Lowering for a kernel whose
/// threads need more local memory than `maxLocalBytes`. Changes nothing but attributes.
struct CheckResources : llvm::PassInfoMixin<CheckResources> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

/// What a GPU gives a thread as local memory (CUDA C++ Programming Guide, technical specifications).
inline constexpr uint64_t maxLocalBytes = 512 * 1024;

} // namespace heddle::cpu
