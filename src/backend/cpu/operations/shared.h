#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Assigns each shared variable an offset in the block's shared memory.
///
///     before                                       after
///       @tile = internal addrspace(3) global         %base = load ptr, ptr (BlockContext::shared)
///       getelementptr ..., @tile, ...                %tile = getelementptr i8, %base, i64 <offset of tile>
///                                                    getelementptr ..., %tile, ...
///       call ptr addrspace(3) @simt.shared.dynamic() %base + <static bytes, rounded up to 16>
///
/// Variables keep their alignment (at most 64, that of the block's memory). Those of 16 bytes and more are aligned for bulk
/// copies. In modules with factors of warpgroups,
/// variables of 1024 bytes and more, and dynamic memory, start at multiples of 1024. Variables used by out-of-line functions
/// come first, at the same offset in every kernel; a kernel's other variables follow. Sets
/// Plan::sharedBytes of kernels.
/// Needs: bind-context has run.
/// Leaves: no global variables in address space 3.
struct LowerShared : llvm::PassInfoMixin<LowerShared> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
