// Fields of records and of arrays of records.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

llvm::Value *fieldAddress(Emitter &e, llvm::Value *record, const Field &field);
/// Emits `record.field` for the record at `address`.
Parts loadField(Emitter &e, llvm::Value *address, Type record, const Field &field);
/// Emits `array.field`.
Parts emitFieldViewOfRecordArray(Emitter &e, Value &array, const Field &field);
/// Converts a value of `type` to `place`, for which isStorable() holds, and stores it at `address`.
void storeConverted(Emitter &e, llvm::Value *address, Type place, llvm::Align align,
                    const Parts &value, Type type);

} // namespace heddle::python
