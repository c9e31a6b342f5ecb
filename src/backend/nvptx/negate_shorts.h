// Negation of 16-bit integers.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Negates 16-bit integers in 32 bits. ptxas takes it that neg.s16 and abs.s16 do not overflow, and leaves out the
/// extension of their results: -(-32768), widened, came out as 32768.
///
///     before                    after
///       %n = sub i16 0, %x        %w = sext i16 %x to i32
///                                 %m = call i32 asm "neg.s32 $0, $1;"(i32 %w)
///                                 %n = trunc i32 %m to i16
///
/// The instruction is written as text, as LLVM would narrow it again.
/// Needs: nothing after it that makes negations (it is the last of the optimisations).
struct NegateShorts : llvm::PassInfoMixin<NegateShorts> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
