#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// What stands before the place of inline PTX in the text that the driver assembles, in a comment.
inline constexpr const char *inlinePtxMark = "// inline PTX of ";

/// Puts the place in the source before each text of inline PTX, for the driver's complaints to be traced to.
///
///     before                            after
///       call void asm "foo $0;", ...      call void asm "// inline PTX of add.cu:3\0Afoo $0;", ...
struct NameInlinePtx : llvm::PassInfoMixin<NameInlinePtx> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
