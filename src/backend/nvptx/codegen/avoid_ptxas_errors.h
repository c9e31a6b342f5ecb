// Works around miscompilations of ptxas.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Rewrites operations that ptxas 13.0, and drivers of that generation, miscompile:
///
/// Negations and absolute values that overflow. ptxas assumes that neg.s16, abs.s16, abs.s32 and abs.s64 do not
/// overflow. -(-32768), widened, became 32768, and abs(-2**31) % 144 was computed for +2**31.
///
/// 16-bit minima and maxima. For min.s16(x, c) == c with a constant c, ptxas uses the predicate of the wrong half of
/// VIMNMX.S16x2. min(x, 0) == 0 was true for x = -3.
///
/// Stores of a part of a float. A st.b8, st.b16 or, for a double, st.b32 of a register that a floating-point
/// instruction has written stores the float converted to an integer (F2IP). The low byte of 1.0f in a packed record
/// became 1.
///
/// Comparisons with zero or a negative number. For a 32-bit absolute value, square or exponential, and for sums of
/// these, ptxas assumes that setp.ge is true, even for NaN.
///
/// Sums and differences of 64-bit shifts. ptxas computes a rotation for x << k plus or minus x >> (64 - k), even if the
/// right shift is signed. For x = -5, 2 * x - (x < 0) was -9, not -11. nvcc 13.0 has the same error.
///
///     before                        after
///       %n = sub i16 0, %x            %w = sext i16 %x to i32
///                                     %m = call i32 asm "neg.s32 $0, $1;"(i32 %w)
///                                     %n = trunc i32 %m to i16
///       %m = smin i16 %x, %y          %m = trunc i16 (asm "min.s32 $0, $1, $2;"(sext %x, sext %y))
///       %a = abs i32 %x               %s = call i32 asm "shr.s32 $0, $1, 31;"(i32 %x)
///                                     %f = xor i32 %x, %s
///                                     %a = sub i32 %f, %s
///       %i = bitcast float %x to i32  %m = call i32 asm "and.b32 $0, $1, 255;"(i32 %i)
///       %b = trunc i32 %i to i8       %b = trunc i32 %m to i8
///       store float %x, align 1       four stores of such bytes
///       %c = fcmp oge float %x, 0.0   %c = and (fcmp ord %x, %x), (fcmp uge %x, 0.0)
///       %l = shl i64 %x, 5            %l = call i64 asm "mul.lo.s64 $0, $1, 32;"(i64 %x)
///       %r = ashr i64 %x, 59          %r = ashr i64 %x, 59
///       %d = sub i64 %l, %r           %d = sub i64 %l, %r
///
/// The integer instructions are inline assembly, because LLVM would otherwise simplify them.
/// Must be the last optimization pass, because later passes could create these operations again.
struct AvoidPtxasErrors : llvm::PassInfoMixin<AvoidPtxasErrors> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
