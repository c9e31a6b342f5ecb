#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// The prefix of comments with the source location of inline PTX, in the text that the driver assembles.
inline constexpr const char *inlinePtxMark = "// inline PTX of ";

/// Inserts a comment with the source location before each inline PTX, so that the driver's errors can name it.
///
///     before                            after
///       call void asm "foo $0;", ...      call void asm "// inline PTX of add.cu:3\0Afoo $0;", ...
struct NameInlinePtx : llvm::PassInfoMixin<NameInlinePtx> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
