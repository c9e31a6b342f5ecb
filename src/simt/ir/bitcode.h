// Serializes a module to bitcode, for cache keys and for compiling further variants later.
#pragma once

#include <string>

namespace llvm {
class Module;
}

namespace heddle::simt {

std::string bitcodeOf(const llvm::Module &module);

} // namespace heddle::simt
