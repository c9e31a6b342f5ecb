#pragma once

#include "llvm/IR/PassManager.h"

#include <climits>

namespace heddle::simt {

/// Marks a device function that is not inlined because it is recursive or too large.
inline constexpr const char *outOfLineAttribute = "heddle.out-of-line";

/// Inlines device functions into their callers.
///
///     before                               after
///       %v = call float @f(float %x)         %v = fmul float %x, %x
///
/// A function with several calls is kept if it has more than `maxInlinedInstructions` instructions, or if its copies
/// would have more than a hundred times as many in total. A function that returns a pointer to its own stack is always
/// inlined: the memory becomes the caller's.
///
/// Needs: functions to keep have the attribute "heddle.out-of-line" (CallTree::isKeptOutOfLine).
/// Leaves: calls to kept functions only, and no unused internal functions.
struct InlineDeviceFunctions : llvm::PassInfoMixin<InlineDeviceFunctions> {
  explicit InlineDeviceFunctions(unsigned maxInlinedInstructions = UINT_MAX)
      : maxInlinedInstructions_(maxInlinedInstructions) {}
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  unsigned maxInlinedInstructions_;
};

} // namespace heddle::simt
