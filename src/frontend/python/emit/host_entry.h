// Entry points of host functions: with arguments and results in 8-byte slots, or with the C calling convention.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Makes `void name(ptr arguments, ptr results)`, which calls `body`, the code of `f`. A slot holds one part of a
/// value. Integers are sign-extended to 64 bits, a bool is 0 or 1, and the bits of a float are in the low bytes. The
/// owners of a result follow its parts and carry a reference each.
void emitSlotEntry(llvm::Function &body, const TypedFunction &f, const std::string &name);

/// True if C can pass and return a value of this type in one register: a number or a pointer.
bool isInRegister(Type type);

/// Makes a C function `name` that calls the host function with slots through the runtime (simt::callFromCFunction).
void emitEntryFromC(llvm::Module &module, llvm::ArrayRef<Type> parameters, Type result,
                    const std::string &name);

} // namespace heddle::python
