// Which of a kernel's arrays it may change.
#pragma once

#include "frontend/python/infer/function_instances.h"

namespace heddle::python {

/// For each parameter of `kernel`, whether an array in it may be written: by a store, by an atomic, in the function
/// itself or in one that it calls. What may be one of several arrays counts for all of them.
std::vector<bool> writtenParameters(FunctionInstances &instances, TypedFunction &kernel);

} // namespace heddle::python
