// Resumes generators: in loops, and for next().
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Resumes the generators among the iterables of a loop before iteration `round`; true if the iteration has an item.
llvm::Value *emitResumed(Emitter &e, Type iterable, llvm::ArrayRef<llvm::Value *> parts,
                         llvm::Value *round);
/// The last yielded value, and its owners, which belong to the generator.
Parts yieldedBy(Emitter &e, Type generator, llvm::Value *frame);
OwnerList ownersYieldedBy(Emitter &e, Type generator, llvm::Value *frame);
/// Emits `next(generator)`, bound to `call`.
Parts emitNextOf(Emitter &e, Value &call, Value &generator);

} // namespace heddle::python
