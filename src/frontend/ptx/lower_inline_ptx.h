#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
}

namespace heddle::ptx {

/// Translates inline PTX to LLVM IR and SIMT operations.
///
///     before                                              after
///       %s = call i32 asm "add.s32 $0, $1, $2;",            %s = add i32 %x, %y
///            "=r,r,r"(i32 %x, i32 %y)
///       %l = call i32 asm "mov.u32 $0, %laneid;", "=r"()     %l = call i32 @simt.laneid()
///
/// PTX registers become stack slots, which later passes promote. Throws CompileError (Unsupported), with the source
/// line, for invalid PTX and for instructions without a table row. Leaves: no inline assembly; valid SIMT IR.
struct LowerInlinePtx : llvm::PassInfoMixin<LowerInlinePtx> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

/// Runs the pass on all functions of `module`, for devices that cannot execute PTX.
void translateInlinePtx(llvm::Module &module);

/// Registers the pass with `builder`'s pipeline parser.
void registerPasses(llvm::PassBuilder &builder);

} // namespace heddle::ptx
