// Negations and absolute values that overflow.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Lets the negation and the absolute value of the lowest integer be that integer again. ptxas takes it that neg.s16,
/// abs.s16, abs.s32 and abs.s64 do not overflow: -(-32768), widened, came out as 32768, and abs(-2**31) % 144 as that of
/// 2**31.
///
///     before                        after
///       %n = sub i16 0, %x            %w = sext i16 %x to i32
///                                     %m = call i32 asm "neg.s32 $0, $1;"(i32 %w)
///                                     %n = trunc i32 %m to i16
///       %a = abs i32 %x               %s = call i32 asm "shr.s32 $0, $1, 31;"(i32 %x)
///                                     %f = xor i32 %x, %s
///                                     %a = sub i32 %f, %s
///
/// The instructions are written as text, as LLVM would see through them.
/// Needs: nothing after it that makes negations (it is the last of the optimisations).
struct WrapNegations : llvm::PassInfoMixin<WrapNegations> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
