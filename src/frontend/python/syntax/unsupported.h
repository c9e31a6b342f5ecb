// Hints for Python syntax that kernels do not support.
#pragma once

#include <string>

namespace heddle::python {

/// A hint on what to write instead of the unsupported syntax `what` (the text of an Unsupported node); empty if there
/// is none.
std::string hintForUnsupported(const std::string &what);

} // namespace heddle::python
