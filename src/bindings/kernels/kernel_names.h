// Names of kernels as programs write them.
#pragma once

#include <string>

namespace heddle {

/// The name of the kernel with this symbol, without parameters: "scale<float>".
std::string kernelNameOfSymbol(const std::string &symbol);

} // namespace heddle
