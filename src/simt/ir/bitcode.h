// A module as bytes: what the disk cache hashes, and what is kept of a module that more code may be made from.
#pragma once

#include <string>

namespace llvm {
class Module;
}

namespace heddle::simt {

std::string bitcodeOf(const llvm::Module &module);

} // namespace heddle::simt
