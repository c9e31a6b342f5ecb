// The shared passes by name.
#pragma once

namespace llvm {
class PassBuilder;
}

namespace heddle::simt {

/// Makes the passes of passes.def known to `builder`'s pipeline parser.
void registerPasses(llvm::PassBuilder &builder);

} // namespace heddle::simt
