#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Excludes loops from vectorization on which LLVM's vectorizer would take exponential time.
///
///     before                                after
///       for x in threads                      for x in threads, !llvm.loop !{"llvm.loop.vectorize.enable", 0}
///         b = a * a                             b = a * a
///         c = b * b                             c = b * b
///         ... 30 of these                       ...
///
/// LLVM 22 decides whether a value is the same in all iterations by recursion over its operands
/// (vputils::isUniformAcrossVFsAndUFs) and remembers no answer: each use of a value visits all that it is computed from
/// again.
///
/// Needs: runs right before the loop vectorizer.
/// Leaves: the functions as they are but for loops' metadata.
struct AvoidEndlessVectorization : llvm::PassInfoMixin<AvoidEndlessVectorization> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
