// Works around errors in instruction selection.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Rewrites operations that LLVM 22's instruction selection miscompiles, on x86 unless stated otherwise.
///
/// Truncations to 16 bits of a product of short integers shifted right by more than 16. LLVM shifts the high half of
/// the product (VPMULHW) further, which shifts in zeros instead of sign bits, and yields garbage from bit 32 on. With
/// 16-bit x and y, (x * y) >> 43 returned uninitialized data.
///
///     before                                          after
///       %m = mul <4 x i64> %x, %y                       %m = mul <4 x i64> %x, %y
///       %h = lshr <4 x i64> %m, splat (i64 43)          %h = lshr <4 x i64> %m, splat (i64 43)
///       %t = trunc <4 x i64> %h to <4 x i16>            %b = bitcast <4 x i64> %h to <16 x i16>
///                                                       %t = shufflevector %b, poison, <0, 4, 8, 12>
///
/// On AArch64, truncations from more than 128 bits to 64 bits, if vectors use SVE. LLVM crashes if it later extends the
/// result, as for a division of 16-bit integers or a conversion to float.
///
///     before                                          after
///       %t = trunc <4 x i64> %x to <4 x i16>            %w = trunc <4 x i64> %x to <4 x i32>
///                                                       %b = bitcast <4 x i32> %w to <8 x i16>
///                                                       %t = shufflevector %b, poison, <0, 2, 4, 6>
///
/// Divisions by 1 in inactive lanes. With AVX-512, LLVM divides all lanes by the original divisor, as scalars, and
/// selects afterwards. An inactive lane with divisor 0 then kills the process.
///
///     before                                          after
///       %d = select <4 x i1> %m, %y, splat (i32 1)      %n = zext (not %m)
///       %q = udiv <4 x i32> %x, %d                      %d = or (freeze %y), %n
///                                                       %p = udiv <4 x i32> (and (freeze %x), (sext %m)), %d
///                                                       %q = select <4 x i1> %m, %p, %x
///
/// 64-bit divisions of a sum of permuted vectors by a constant, such as `warp_sum % 3`. Legalization does not
/// terminate, so the dividend is passed through memory.
///
///     before                                          after
///       %q = srem <8 x i64> %sum, splat (i64 3)         store %sum, %place
///                                                       %x = load volatile %place
///                                                       %q = srem <8 x i64> %x, splat (i64 3)
///
/// Masked stores of one lane, known at compile time, of a truncated vector. With AVX-512, LLVM stores the lane at its
/// original width and overwrites the neighbor.
///
///     before                                          after
///       %t = trunc <8 x i64> %x to <8 x i32>            %t = trunc <8 x i64> %x to <8 x i32>
///       masked.store(%t, %p, <1, 0, 0, ...>)            store (extractelement %t, 0), %p
///
/// Constants with undefined lanes, if words are extracted from the vector (ExtractByWords). With AVX-512, LLVM assumes
/// that the upper halves of all lanes are zero. Undefined lanes get the value of another lane.
///
///     before                                          after
///       %i = and <4 x i32> %x, <poison, 31, 31, 31>     %i = and <4 x i32> %x, splat (i32 31)
///
/// Needs: no later pass creates such vector operations (the pass runs after the optimizations).
struct AvoidCodegenErrors : llvm::PassInfoMixin<AvoidCodegenErrors> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
