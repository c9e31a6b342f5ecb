#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Passes lane masks between blocks as vectors of 32-bit integers, each -1 or 0, if the processor has no mask
/// registers. Compares produce this representation and selects consume it. Instruction selection sees one block at a
/// time and would pass vectors of narrower integers, with conversions in every block.
///
///     before                                         after
///     loop:                                          loop:
///       %m = phi <8 x i1> [ %a, %b ], ...              %s = phi <8 x i32> [ %a.sign, %b ], ...
///                                                      %m = icmp slt <8 x i32> %s, zeroinitializer
///       %v = select <8 x i1> %m, ...                   %v = select <8 x i1> %m, ...
///
/// A mask made from the bits of an integer, for example of a mask in memory, becomes a single compare.
///
/// Needs: no later pass that simplifies the extensions and compares away.
struct SignExtendMasks : llvm::PassInfoMixin<SignExtendMasks> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
