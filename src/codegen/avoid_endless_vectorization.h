#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Disables vectorization of loops on which LLVM's vectorizer would take exponential time.
///
///     before                                after
///       for x in threads                      for x in threads, !llvm.loop !{"llvm.loop.vectorize.enable", 0}
///         b = a * a                             b = a * a
///         c = b * b                             c = b * b
///         ... 30 of these                       ...
///
/// LLVM 22 checks recursively whether a value is uniform across iterations (vputils::isUniformAcrossVFsAndUFs). It does
/// not cache results, so each use of a value visits all operands of the value again.
///
/// Needs: to run right before the loop vectorizer. Leaves: functions unchanged except for loop metadata.
struct AvoidEndlessVectorization : llvm::PassInfoMixin<AvoidEndlessVectorization> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
