// Functions whose LLVM IR a program builds: they take and return the parts of values, without the owners of memory.
#pragma once

namespace heddle::python {

class Emitter;

/// The body of what stands for such a function: it passes the parameters on as they are, and returns what the function
/// returns. In functions of the host, an array that is returned lies in one of the arrays that were passed, whose owner is
/// its owner, too.
void emitPassingParts(Emitter &e);

} // namespace heddle::python
