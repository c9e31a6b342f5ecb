#pragma once

#include "llvm/IR/PassManager.h"

#include <climits>

namespace heddle::simt {

/// A device function that stays a function: it recurses, or is too large to copy into each caller.
inline constexpr const char *outOfLineAttribute = "heddle.out-of-line";

/// Copies device functions into their callers.
///
///     before                               after
///       %v = call float @f(float %x)         %v = fmul float %x, %x
///
/// Needs: what stays a function has the attribute "heddle.out-of-line" (CallTree::staysFunction).
/// A function that has several callers and more than `mostCopied` instructions stays, too, and one whose copies would have a
/// hundred times as many, unless it gives memory of its own stack to its caller: that becomes the caller's.
/// Leaves: calls to such functions and to out-of-line functions only, and no internal function that nothing calls.
struct InlineDeviceFunctions : llvm::PassInfoMixin<InlineDeviceFunctions> {
  explicit InlineDeviceFunctions(unsigned mostCopied = UINT_MAX) : mostCopied_(mostCopied) {}
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  unsigned mostCopied_;
};

} // namespace heddle::simt
