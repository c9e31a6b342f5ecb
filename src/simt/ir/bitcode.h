// Serializes a module to bitcode: for cache keys, and to keep modules from which more code may be compiled later.
#pragma once

#include <string>

namespace llvm {
class Module;
}

namespace heddle::simt {

std::string bitcodeOf(const llvm::Module &module);

} // namespace heddle::simt
