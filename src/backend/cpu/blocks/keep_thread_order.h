#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Keeps the vectorizer from changing the order of a thread's own accesses.
///
///     before                                       after
///       for x in threads                             for x in threads
///         store y[2 * x]          !access.group        store y[2 * x]
///         load z[2 * x]           !access.group        load z[2 * x]
///         store y[2 * x + 1]      !access.group        store y[2 * x + 1]
///
/// make-block-loops says that no access depends on another thread's. LLVM takes that for leave to move the accesses of
/// a thread, too, when it makes wide ones of those with a stride (interleaved groups): the load of z moves above the
/// store of y. Where the two may be the same memory the mark goes, and LLVM looks for dependences itself.
///
/// Needs: runs right before the loop vectorizer.
/// Leaves: the functions as they are but for !access.group.
struct KeepThreadOrder : llvm::PassInfoMixin<KeepThreadOrder> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
