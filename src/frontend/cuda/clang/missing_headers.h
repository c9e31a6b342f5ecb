// Names that programs use without including the header that has them.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle::cudacpp {

/// Advice for a message of Clang's about a name that it does not know: the header that declares it, or what took its place.
/// Empty where the name is none of CUDA's.
std::string hintForUnknownName(llvm::StringRef message);

} // namespace heddle::cudacpp
