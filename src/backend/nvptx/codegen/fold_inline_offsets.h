#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Moves constants that are added to the addresses of inline PTX into the instructions, so that addresses with the same
/// base share one register. ptxas does this for plain loads, but not for wmma.load, because it first adds a lane's
/// offset to the address.
///
///     before                                          after
///       %row = add i64 %first, 16                       %at = mul i64 %first, 144
///       %at = mul i64 %row, 144                         %p = getelementptr i8, ptr addrspace(3) %tile, i64 %at
///       %p = getelementptr i8, ptr addrspace(3)         %a = trunc (ptrtoint %p) to i32
///                %tile, i64 %at                         call asm "ldmatrix... [$1+2304];" (i32 %a)
///       %a = trunc (ptrtoint %p) to i32
///       call asm "ldmatrix... [$1];" (i32 %a)
///
/// Needs: code after all loop optimizations. The code generator removes old computations that no other code uses.
struct FoldInlineOffsets : llvm::PassInfoMixin<FoldInlineOffsets> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
