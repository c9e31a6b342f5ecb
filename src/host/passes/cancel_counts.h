// Removes redundant reference counting.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Removes pairs of retain and release of the same object:
///
///     before                           after
///       call @heddle.retain(%made)       call @heddle.release(%other)
///       call @heddle.release(%other)     ret ptr %made
///       call @heddle.release(%made)
///       ret ptr %made
///
/// For example, a function that returns a new object retains it for the result and releases the variable. If threads
/// share the count, each call is a locked instruction.
///
/// Needs: slots in registers (after SROA), and one name per value (after EarlyCSE). Run before the two functions are
/// inlined.
struct CancelCounts : llvm::PassInfoMixin<CancelCounts> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::host
