#pragma once

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Lowers divisions of 64-bit integer vectors by non-constant vectors; processors have no instruction for them. If all
/// lanes fit in 51 bits, they are divided as float64: the exact quotient differs from an integer by 0 or at least 2^-52
/// of its value, so rounding never reaches the next integer. Other vectors are divided lane by lane in a loop. LLVM
/// would extract the lanes, and analyzing their known bits through sums of permutations (a warp sum by shuffles) makes
/// compile time explode.
///
///     before                                          after
///       %q = sdiv <4 x i64> %x, %y                      br (all lanes are short), quick, each
///                                                     quick:
///                                                       %f = trunc (fdiv (float64 %x), (float64 %y))
///                                                     each:
///                                                       store %x, %y
///                                                     divide:
///                                                       %lane = phi ...
///                                                       x[%lane] /= y[%lane]; br (more), divide, divided.each
///                                                     divided:
///                                                       %q = phi [int64 %f], [load x]
///
/// Needs: optimized code (it runs before avoid_codegen_errors).
struct DivideVectors : llvm::PassInfoMixin<DivideVectors> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

/// Matches a vector division whose divisor is select(lanes, divisor, 1), which keeps inactive lanes from dividing by
/// zero. Sets `lanes` and `divisor`.
bool matchGuardedDivisor(const llvm::BinaryOperator &i, llvm::Value *&lanes, llvm::Value *&divisor);

} // namespace heddle::cpu
