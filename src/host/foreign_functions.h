// Functions of other libraries in this process, such as NumPy's BLAS, that compiled code calls by name.
#pragma once

#include "runtime/cpu/code/host_functions.h"

#include <string>
#include <vector>

namespace heddle::host {

/// Code that is linked from now on finds the function. A name keeps the address that it was given first.
void defineForeignFunction(const std::string &name, void *address);

std::vector<cpu::HostFunction> foreignFunctions();

} // namespace heddle::host
