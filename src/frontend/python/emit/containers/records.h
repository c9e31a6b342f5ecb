// Fields of records, and of the records of arrays.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

llvm::Value *fieldAddress(Emitter &e, llvm::Value *record, const Field &field);
/// `record.field`, of the record at `address`.
Parts field(Emitter &e, llvm::Value *address, Type record, const Field &field);
/// `array.field`.
Parts fieldOfEach(Emitter &e, Value &array, const Field &field);
/// Stores a value of `type`, which may become a `place` (see storable), at `address`.
void assign(Emitter &e, llvm::Value *address, Type place, llvm::Align align, const Parts &value,
            Type type);

} // namespace heddle::python
