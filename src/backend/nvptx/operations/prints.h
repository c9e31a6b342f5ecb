#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Lowers simt.print to the driver's vprintf. The text is written when the host next waits for the device.
///
///     before                                     after
///       call void @simt.print(i32 3, ptr %v)       call i32 @vprintf(ptr @format, ptr %v)
///
/// The site's %d, %u, %f become %lld, %llu, %f. A %b becomes %s, with the address of "True" or "False" as its value.
struct LowerPrints : llvm::PassInfoMixin<LowerPrints> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::nvptx
