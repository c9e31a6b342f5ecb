// Moves loads of neighboring elements together, if LLVM has moved some of them into a branch.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Moves a load out of a branch, next to an unconditional load from the same 16 bytes, so that one instruction loads
/// both. InstCombine separates the elements of a float4 if some of them are used only in a branch.
///
///     before                                 after
///       %y = load float, ptr %y.address        %y = load float, ptr %y.address
///       br i1 %c, label %then, label %end      %x = load float, ptr %x.address
///     then:                                    br i1 %c, label %then, label %end
///       %x = load float, ptr %x.address
///
/// Aligned 16 bytes are in one page, so the load cannot fault.
struct HoistNeighborLoads : llvm::PassInfoMixin<HoistNeighborLoads> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
