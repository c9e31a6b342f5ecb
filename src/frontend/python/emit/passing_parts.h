// Functions that the program defines as LLVM IR. They take and return the parts of values, without owners.
#pragma once

namespace heddle::python {

class Emitter;

/// Emits the body of a wrapper that forwards its parameters to the function and returns its result. In host functions,
/// a returned array must share memory with an array argument, and gets the owner of that argument.
void emitForwardingWrapper(Emitter &e);

} // namespace heddle::python
