#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Removes the guards of integer divisions. LLVM's divisions are undefined for a divisor of zero and for INT_MIN / -1,
/// so front ends replace these divisors and results. The code of ptxas for div.s32 and div.u32 is defined: x / 0 is -1,
/// INT_MIN / -1 is INT_MIN, and the remainder of x and -1 is 0. rem.s32 and rem.u32 do not give x for x % 0, so a
/// remainder keeps one select, unless it uses the quotient of the same operands.
///
///     before                                        after
///       %zero = icmp eq i32 %y, 0                     %q = call i32 asm "div.s32 $0, $1, $2;"(i32 %x, i32 %y)
///       %minus = icmp eq i32 %y, -1
///       %next = add i32 %y, 1
///       %unsafe = icmp ult i32 %next, 2
///       %divisor = select i1 %unsafe, i32 1, i32 %y
///       %d = sdiv i32 %x, %divisor
///       %negated = sub i32 0, %x
///       %e = select i1 %minus, i32 %negated, i32 %d
///       %q = select i1 %zero, i32 -1, i32 %e
///
/// The instructions are inline assembly, because LLVM would infer from a plain division that its divisor is not zero.
/// 64-bit divisions are kept, so that the code generator divides small numbers in 32 bits. Inline assembly copies their
/// divisor, and their result for a zero divisor is still selected.
///
/// Runs after the optimizations, which simplify guards whose divisors they know more about. Matches guards in
/// InstCombine's form; other guards are kept.
struct RemoveDivisionGuards : llvm::PassInfoMixin<RemoveDivisionGuards> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
