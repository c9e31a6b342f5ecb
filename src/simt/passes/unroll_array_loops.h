#pragma once

#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <string>
#include <vector>

namespace heddle::simt {

/// Returns true if the function has arrays or structures on its stack.
bool hasLocalArrays(const llvm::Function &f);

/// A local array that stays in memory on GPUs.
struct ArrayInMemory {
  llvm::AllocaInst *array;
  const llvm::Instruction *at; ///< an access that is the reason; null if no single one is
  std::string reason;
};

/// The local arrays that UnrollArrayLoops cannot promote. Has the same preconditions as that pass.
std::vector<ArrayInMemory> findArraysInMemory(llvm::Function &f, llvm::FunctionAnalysisManager &am);

/// Fully unrolls the loops that select the elements of a thread's arrays, so that SROA promotes the arrays to
/// registers:
///
///     before                                             after
///       %acc = alloca [2 x float]                          %acc = alloca [2 x float]
///     loop:                                                store float %a, ptr %acc
///       %k = phi [0, entry], [%next, loop]                 %p1 = getelementptr float, ptr %acc, i64 1
///       %p = getelementptr float, ptr %acc, i64 %k         store float %b, ptr %p1
///       store float .., ptr %p
///       br (icmp ult %next, 2), loop, exit
///
/// An array is promoted if each of its addresses becomes a constant offset when loops with constant trip counts are
/// unrolled. Only these loops are unrolled here; other loops are left to later passes. LLVM's unrolling pass decides
/// for each loop separately, so a single large outer loop would keep an array in memory.
///
/// A few loads of a small array may have variable indices: they become selects among all elements.
///
/// A remark names each array whose loops are unrolled. Needs: simple loops, device functions are inlined.
struct UnrollArrayLoops : llvm::PassInfoMixin<UnrollArrayLoops> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

/// Adds a remark with the reason for each local array that UnrollArrayLoops could not promote and that is still in
/// memory after all optimizations.
struct ReportLocalArrays : llvm::PassInfoMixin<ReportLocalArrays> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::simt
