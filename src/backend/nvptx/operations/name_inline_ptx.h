#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// What stands before the place of inline PTX in the text that the driver assembles, in a comment.
inline constexpr const char *inlinePtxMark = "// inline PTX of ";

/// Puts a comment with the source location before each text of inline PTX, so that the driver's errors can name it.
///
///     before                            after
///       call void asm "foo $0;", ...      call void asm "// inline PTX of add.cu:3\0Afoo $0;", ...
struct NameInlinePtx : llvm::PassInfoMixin<NameInlinePtx> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
