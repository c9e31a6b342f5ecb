// How a function accesses the memory of its arguments.
#pragma once

#include "frontend/python/infer/function_instances.h"

namespace heddle::python {

/// For each parameter of `kernel`, whether an array in it may be written: by a store, by an atomic, in the function
/// itself or in one that it calls. What may be one of several arrays counts for all of them.
std::vector<bool> writtenParameters(TypedFunction &kernel);

/// Whether code that `kernel` runs may access memory by an address, which no index check sees: through a pointer, in an
/// array of any extent made of one, or in a function that is not Python.
bool usesAddresses(TypedFunction &kernel);

/// Whether the function, or one that it calls, may change a list, dict, set or instance that it is given, or one in it.
bool changesContainers(TypedFunction &function);

} // namespace heddle::python
