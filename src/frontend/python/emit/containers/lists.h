// Lists in host functions. The value is the owner of the elements (simt/ir/host_memory.h), which are stored in slots:
// the parts of each element, then the owners of its memory. The list holds a reference to each owner.
#pragma once

#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/slots.h"

namespace heddle::python {

/// Makes a list of `size` uninitialized elements, with capacity for at least `room` slots. Returns its owner, with one
/// reference.
llvm::Value *allocateList(Emitter &e, Type element, int64_t size, int64_t room = 0);
/// A new list of the operands of `v`.
Parts emitList(Emitter &e, Value &v);
llvm::Value *loadListSize(Emitter &e, llvm::Value *list);
/// The element at `index`, which must be in bounds. Instances and tables are lists with one tuple of fields.
StoredValue listItem(Emitter &e, Type list, llvm::Value *owner, llvm::Value *index);
/// `list[index]`. Raises IndexError.
Parts emitListIndex(Emitter &e, Value &v);
/// `list[index] = value`. Raises IndexError.
void emitListStore(Emitter &e, Value &v);
void appendToList(Emitter &e, Value &list, Value &item);
/// Removes the last element of the list and binds it to `v`. Raises IndexError.
Parts popFromList(Emitter &e, Value &list, const Value &v);

} // namespace heddle::python
