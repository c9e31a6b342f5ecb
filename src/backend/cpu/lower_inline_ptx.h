#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Writes inline PTX as what it does.
///
///     before                                              after
///       %s = call i32 asm "add.s32 $0, $1, $2;",            %s = add i32 %x, %y
///            "=r,r,r"(i32 %x, i32 %y)
///       %l = call i32 asm "mov.u32 $0, %laneid;", "=r"()     %l = call i32 @simt.laneid()
///
/// Registers become places on the stack, which the simplification that follows takes away. Throws CompileError
/// (Unsupported), with the line of the source, for an instruction that ptx/ has no row for and for what is no PTX.
/// Leaves: no inline assembly; else SIMT IR, and `heddle.shared.start` for lower_shared.
struct LowerInlinePtx : llvm::PassInfoMixin<LowerInlinePtx> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
