#pragma once

#include "backend/nvptx/compile.h"

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Refuses what a GPU cannot run, by name and number, and decides which device functions stay functions.
///
/// A device function is copied into its callers unless it recurses or is large; then it is marked
/// "heddle.out-of-line". A kernel that can reach a grid barrier is marked "heddle.cooperative", one that can reach a
/// recursion "heddle.recursive".
///
/// Throws CompileError: Lowering for a kernel with too much local memory, static shared memory, constants or too many
/// parameter bytes; Unsupported for conversions between floats and 128-bit integers, and for names that PTX or
/// libdevice keeps. Changes nothing but attributes, and nothing at all when it throws.
struct CheckResources : llvm::PassInfoMixin<CheckResources> {
  explicit CheckResources(Target target) : target(target) {}
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  Target target;
};

// CUDA C++ Programming Guide, technical specifications.
inline constexpr uint64_t maxLocalBytes = 512 * 1024;
inline constexpr uint64_t maxStaticSharedBytes = 48 * 1024;
inline constexpr uint64_t maxConstantBytes = 64 * 1024;

} // namespace heddle::nvptx
