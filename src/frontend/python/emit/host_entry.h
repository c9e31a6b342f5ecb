// How a function of the host is entered: arguments and results in slots of 8 bytes, or as C passes them.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Makes `void name(ptr arguments, ptr results)`, which calls `body`, the code of `f`. A slot holds one part of a value:
/// an integer is extended to 64 bits by its sign, a bool is 0 or 1, a float has its bits in the low bytes. The
/// owners of a result, of which each has a reference, follow its parts.
void emitSlotEntry(llvm::Function &body, const TypedFunction &f, const std::string &name);

/// Whether a function of C can take or return a value of this type, alone in a register: a number or a pointer.
bool isInRegister(Type type);

/// Makes a function called `name` for callers in C, which has the runtime make the call with slots (simt::callFromCFunction).
void emitEntryFromC(llvm::Module &module, llvm::ArrayRef<Type> parameters, Type result,
                    const std::string &name);

} // namespace heddle::python
