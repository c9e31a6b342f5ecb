// Hints for names whose header a program does not include.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle::cudacpp {

/// A hint for Clang's message about an unknown name: the header that declares it, or its replacement. Empty if the name
/// is not from CUDA.
std::string hintForUnknownName(llvm::StringRef message);

} // namespace heddle::cudacpp
