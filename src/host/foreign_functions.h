// Functions of other libraries in this process that compiled code calls by name, such as NumPy's BLAS.
#pragma once

#include "runtime/cpu/code/host_functions.h"

#include <string>
#include <vector>

namespace heddle::host {

/// Defines the symbol `name` for code that is linked later. If it is already defined, it keeps its address.
void defineForeignFunction(const std::string &name, void *address);

std::vector<cpu::HostFunction> foreignFunctions();

} // namespace heddle::host
