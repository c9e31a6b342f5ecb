#pragma once

#include "backend/nvptx/compile.h"

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Rejects code that a GPU cannot run, and decides which device functions are not inlined.
///
/// Device functions that recurse or are large are marked "heddle.out-of-line"; all others are inlined. A kernel that
/// can reach a grid barrier is marked "heddle.cooperative", and a kernel that can reach a recursive function
/// "heddle.recursive".
///
/// Throws CompileError: Lowering for a kernel with too much local memory, static shared memory, constants or too many
/// parameter bytes; Unsupported for conversions between floats and 128-bit integers, and for names that PTX or
/// libdevice reserve. Changes only attributes, and nothing if it throws.
struct CheckResources : llvm::PassInfoMixin<CheckResources> {
  explicit CheckResources(Target target) : target(target) {}
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  Target target;
};

// CUDA C++ Programming Guide, technical specifications.
inline constexpr uint64_t maxStaticSharedBytes = 48 * 1024;
inline constexpr uint64_t maxConstantBytes = 64 * 1024;

} // namespace heddle::nvptx
