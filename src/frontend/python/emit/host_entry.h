// Entry points of host functions: with arguments and results in 8-byte slots, or with the C calling convention.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Makes `void name(ptr arguments, ptr results)`, which calls `body`, the code of `f`. A slot holds one part of a
/// value. Integers are sign-extended to 64 bits, a bool is 0 or 1, and the bits of a float are in the low bytes. The
/// owners of a result follow its parts, each with a reference.
void emitEntryWithSlotArguments(llvm::Function &body, const TypedFunction &f,
                                const std::string &name);

/// True for a bool, an integer, a float32, a float64 or a pointer, which C passes and returns in one register.
bool isPassedInRegister(Type type);

/// Makes a C function `name` that calls the host function with slots through the runtime (simt::callFromCFunction).
void emitCCallableEntry(llvm::Module &module, llvm::ArrayRef<Type> parameters, Type result,
                        const std::string &name);

} // namespace heddle::python
