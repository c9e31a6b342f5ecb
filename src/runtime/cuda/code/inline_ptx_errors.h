// Explains assembler errors in a user's inline PTX.
#pragma once

#include <string>

namespace heddle::cuda {

/// The first error in `log` about a line of `ptx` that comes from inline assembly, with its source location and the
/// line; empty if there is none.
std::string findInlinePtxError(const std::string &ptx, const std::string &log);

} // namespace heddle::cuda
