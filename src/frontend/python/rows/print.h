// A typed function as text.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// The function as text, with types: what `inspect_types` prints.
std::string print(const TypedFunction &f);

} // namespace heddle::python
