// Emits code that resumes generators, in for loops and in next().
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Resumes the generators among the iterables of a loop before iteration `iteration`. Returns an i1: true if the
/// iteration has an item.
llvm::Value *emitResumeGenerators(Emitter &e, Type iterable, llvm::ArrayRef<llvm::Value *> parts,
                                  llvm::Value *iteration);
/// Emits `next(generator)`, bound to `call`.
Parts emitNextCall(Emitter &e, Value &call, Value &generator);

} // namespace heddle::python
