#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
}

namespace heddle::ptx {

/// Writes inline PTX as what it does.
///
///     before                                              after
///       %s = call i32 asm "add.s32 $0, $1, $2;",            %s = add i32 %x, %y
///            "=r,r,r"(i32 %x, i32 %y)
///       %l = call i32 asm "mov.u32 $0, %laneid;", "=r"()     %l = call i32 @simt.laneid()
///
/// Registers become places on the stack, which the simplification that follows takes away. Throws CompileError
/// (Unsupported), with the line of the source, for an instruction that the tables here have no row for and for what is no PTX.
/// Leaves: no inline assembly; SIMT IR.
struct LowerInlinePtx : llvm::PassInfoMixin<LowerInlinePtx> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

/// Runs the pass on every function of `module`, for devices that have no PTX of their own.
void translateInlinePtx(llvm::Module &module);

/// Makes the pass known to `builder`'s pipeline parser.
void registerPasses(llvm::PassBuilder &builder);

} // namespace heddle::ptx
