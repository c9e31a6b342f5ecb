// Operations that instruction selection gets wrong.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Writes some operations so that LLVM 22's instruction selection for x86 gets them right.
///
/// Sixteen bits of a product of short integers, from bit 17 or more on: it takes the product's high half (VPMULHW) and
/// shifts that further, which leaves zeros where the sign belongs, and nothing at all from bit 32 on. With 16-bit x and
/// y, (x * y) >> 43 came out as whatever was in memory.
///
///     before                                          after
///       %m = mul <4 x i64> %x, %y                       %m = mul <4 x i64> %x, %y
///       %h = lshr <4 x i64> %m, splat (i64 43)          %h = lshr <4 x i64> %m, splat (i64 43)
///       %t = trunc <4 x i64> %h to <4 x i16>            %b = bitcast <4 x i64> %h to <16 x i16>
///                                                       %t = shufflevector %b, poison, <0, 4, 8, 12>
///
/// Divisions whose other lanes divide by 1: with AVX-512 it divides by the selected divisor in all lanes, as scalars, and
/// selects afterwards. A lane with the divisor 0 ends the process.
///
///     before                                          after
///       %d = select <4 x i1> %m, %y, splat (i32 1)      %n = zext (not %m)
///       %q = udiv <4 x i32> %x, %d                      %d = or (freeze %y), %n
///                                                       %p = udiv <4 x i32> (and (freeze %x), (sext %m)), %d
///                                                       %q = select <4 x i1> %m, %p, %x
///
/// Divisions of sums of permutations of 64-bit numbers by a constant, `warp_sum % 3`: legalization does not end. The dividend
/// goes through memory.
///
///     before                                          after
///       %q = srem <8 x i64> %sum, splat (i64 3)         store %sum, %place
///                                                       %x = load volatile %place
///                                                       %q = srem <8 x i64> %x, splat (i64 3)
///
/// Stores of one known lane of a vector that is truncated: with AVX-512 it stores the lane as wide as it was before, over
/// its neighbour.
///
///     before                                          after
///       %t = trunc <8 x i64> %x to <8 x i32>            %t = trunc <8 x i64> %x to <8 x i32>
///       masked.store(%t, %p, <1, 0, 0, ...>)            store (extractelement %t, 0), %p
///
/// Constants of which lanes are undefined, where words are taken out of a vector (ExtractByWords): with AVX-512 it takes the
/// upper halves of all of them for zeros. The lanes get the value of another.
///
///     before                                          after
///       %i = and <4 x i32> %x, <poison, 31, 31, 31>     %i = and <4 x i32> %x, splat (i32 31)
///
/// Needs: nothing after it that makes truncations or selects (it runs after the optimisations).
struct AvoidCodegenErrors : llvm::PassInfoMixin<AvoidCodegenErrors> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
