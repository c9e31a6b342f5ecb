// Loads and stores of elements: arrays, tuples, records and pointers.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

Parts emitIndex(Emitter &e, Value &v);
void emitStore(Emitter &e, Value &v);
/// Selects element `index` of `count` elements of one type by a chain of selects; the last one if `index` is out of
/// range. `elements` are the parts of all elements.
Parts selectElement(Emitter &e, const Parts &elements, size_t count, llvm::Value *index);

/// True if a StoreIndex assigns to more than one element: to a view, or to an array in a record.
bool assignsToView(const TypedFunction &function, const Value &store);

} // namespace heddle::python
