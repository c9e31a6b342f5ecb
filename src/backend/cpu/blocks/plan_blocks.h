#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Plans how a block's threads pass barriers, and which kernels run neighboring blocks together:
///
///   - without barriers: BarrierForm::None. Blocks may run together (chooseBlockInterleaving).
///   - if all threads of a block reach the same barriers: BarrierForm::Regions
///   - otherwise, or with warp operations, grid barriers or spin loops, or in large kernels: BarrierForm::Coroutines
///
/// Without `regions`, every kernel with barriers gets coroutines, and no blocks run together.
///
/// Needs: all operations except barriers are lowered.
/// Leaves: loops with barriers are in LCSSA form.
struct PlanBlocks : llvm::PassInfoMixin<PlanBlocks> {
  explicit PlanBlocks(bool regions) : regions(regions) {}
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
  bool regions;
};

} // namespace heddle::cpu
