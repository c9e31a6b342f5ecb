// Lists of functions of the host: a value is the owner of its elements (simt/ir/host_memory.h), which lie in slots: the
// parts of each, then the owners of its memory, to each of which the list has a reference.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The owner of a new list, with one reference, of `size` elements, which are to be stored. room: slots for elements that
/// are to come, which it has before its memory is moved.
llvm::Value *newList(Emitter &e, Type element, int64_t size, int64_t room = 0);
/// A new list of the operands of `v`.
Parts emitList(Emitter &e, Value &v);
llvm::Value *sizeOfList(Emitter &e, llvm::Value *list);
/// The element at `index`, which is in the list.
Parts itemOfList(Emitter &e, Type list, llvm::Value *owner, llvm::Value *index);
/// The owners of its memory.
OwnerList ownersOfItem(Emitter &e, Type list, llvm::Value *owner, llvm::Value *index);
/// `list[index]`. Raises IndexError.
Parts emitListIndex(Emitter &e, Value &v);
/// `list[index] = value`. Raises IndexError.
void emitListStore(Emitter &e, Value &v);
void appendToList(Emitter &e, Value &list, Value &item);
/// Takes the last element from the list, which `v` then is. Raises IndexError.
Parts popFromList(Emitter &e, Value &list, const Value &v);

} // namespace heddle::python
