// What to write instead of the Python that kernels do not have.
#pragma once

#include <string>

namespace heddle::python {

/// One sentence that says what to write instead of `what`, the text of an Unsupported node; empty when there is nothing to say.
std::string insteadOf(const std::string &what);

} // namespace heddle::python
