#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Keeps masks of lanes from block to block as integers of 32 bits, all ones or zero, where the processor has no
/// registers for masks. Compares make that form and selects take it; instruction selection, which sees one block at a
/// time, would pass bits in narrow integers and convert them in every block.
///
///     before                                         after
///     loop:                                          loop:
///       %m = phi <8 x i1> [ %a, %b ], ...              %s = phi <8 x i32> [ %a.sign, %b ], ...
///                                                      %m = icmp slt <8 x i32> %s, zeroinitializer
///       %v = select <8 x i1> %m, ...                   %v = select <8 x i1> %m, ...
///
/// Bits of an integer, such as those of a mask in memory, become a mask by one compare.
///
/// Needs: no pass after it that simplifies the extensions and compares away.
struct KeepSignMasks : llvm::PassInfoMixin<KeepSignMasks> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
