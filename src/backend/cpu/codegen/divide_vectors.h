#pragma once

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Divides vectors of 64-bit integers, for which no processor has an instruction, as vectors of float64 where all lanes have
/// less than 51 bits: the quotient's distance from a whole number, if any, is at least 2^-52 of it then, so that rounding
/// crosses none. Other vectors are divided lane by lane, in a loop: LLVM would take the lanes out of their vectors, and what
/// is known of their bits through sums of permutations (a warp's sum by shuffles) takes it longer than anybody waits.
///
///     before                                          after
///       %q = sdiv <4 x i64> %x, %y                      br (all lanes are short), quick, each
///                                                     quick:
///                                                       %f = trunc (fdiv (float64 %x), (float64 %y))
///                                                     each:
///                                                       store %x, %y
///                                                     divide:
///                                                       %lane = phi ...
///                                                       x[%lane] = x[%lane] / y[%lane]; br (more), divide, divided.each
///                                                     divided:
///                                                       %q = phi [int64 %f], [load x]
///
/// Needs: optimized code (it runs before avoid_codegen_errors).
struct DivideVectors : llvm::PassInfoMixin<DivideVectors> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

/// The lanes for which a vector's divisor is one that may be zero elsewhere, and that divisor: select(lanes, y, 1).
bool hasGuardedDivisor(const llvm::BinaryOperator &i, llvm::Value *&lanes, llvm::Value *&divisor);

} // namespace heddle::cpu
