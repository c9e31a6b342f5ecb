// References that a function takes and lets go at once.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Leaves out pairs of calls that count a reference and its end:
///
///     before                           after
///       call @heddle.retain(%made)       call @heddle.release(%other)
///       call @heddle.release(%other)     ret ptr %made
///       call @heddle.release(%made)
///       ret ptr %made
///
/// A function that returns what it has made is an example: the result is one more reference, the variable one less. Where
/// threads count, each call is a locked instruction.
/// Needs: slots are in registers (SROA has run), values have one name (EarlyCSE). Leaves: the two functions may be inlined.
struct CancelCounts : llvm::PassInfoMixin<CancelCounts> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::host
