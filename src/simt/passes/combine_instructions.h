#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Runs InstCombine, but does not let it sink computations into a block merely because the block returns:
///
///     before                          InstCombine alone
///       %xy = fmul float %x, %y         br i1 %c, label %then, label %end
///       br i1 %c, label %then, ...    then:
///     then:                             ...
///       ...                           end:
///     end:                              call void @simt.barrier()
///       call void @simt.barrier()       %xy = fmul float %x, %y
///       store float %xy, ptr %p         store float %xy, ptr %p
///       ret void                        ret void
///
/// On their way past barriers and other computations, the operands would occupy registers instead of the result. Past a
/// loop, sinking leaves a register to the loop if the operands are in registers anyway.
struct CombineInstructions : llvm::PassInfoMixin<CombineInstructions> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::simt
