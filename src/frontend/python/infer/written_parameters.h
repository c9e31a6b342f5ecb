// Analyzes how a function accesses the memory of its arguments.
#pragma once

#include "frontend/python/infer/function_instances.h"

namespace heddle::python {

/// For each parameter of `kernel`, true if an array in it may be written: by a store or an atomic, in the kernel or in
/// a function that it calls. A write through a value that may be one of several arrays counts for each of them.
std::vector<bool> findWrittenParameters(TypedFunction &kernel);

/// True if `kernel` or its callees may access memory that no index check covers: through a pointer, in an array of any
/// extent made from an address, or in a function that is not Python.
bool mayBypassIndexChecks(TypedFunction &kernel);

/// True if the function or its callees may change a list, dict, set or instance reachable from its arguments.
bool changesContainers(TypedFunction &function);

} // namespace heddle::python
