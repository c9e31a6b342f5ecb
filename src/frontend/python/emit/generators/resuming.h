// What functions do with generators: loop over them, and ask for the next value.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Resumes what a loop goes over, one or several generators, before its round `round`; whether that has another value.
llvm::Value *emitResumed(Emitter &e, Type iterable, llvm::ArrayRef<llvm::Value *> parts,
                         llvm::Value *round);
/// The value that was yielded last, and its owners, which are the generator's.
Parts yieldedBy(Emitter &e, Type generator, llvm::Value *frame);
OwnerList ownersYieldedBy(Emitter &e, Type generator, llvm::Value *frame);
/// `next(generator)`, which `call` is.
Parts emitNextOf(Emitter &e, Value &call, Value &generator);

} // namespace heddle::python
