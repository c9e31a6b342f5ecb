// What the driver's assembler says of a user's inline PTX.
#pragma once

#include <string>

namespace heddle::cuda {

/// The first complaint in the driver's `log` about a line of `ptx` that comes from inline assembly, with its place in
/// the source and the line; empty when there is none.
std::string complaintAboutInlinePtx(const std::string &ptx, const std::string &log);

} // namespace heddle::cuda
