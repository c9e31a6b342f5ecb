// Fields of records, and conversions to the elements of records and arrays.

#include "frontend/python/emit/containers/records.h"
#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/types/records.h"

namespace heddle::python {

llvm::Value *fieldAddress(Emitter &e, llvm::Value *record, const Field &field) {
  llvm::IRBuilder<> &b = e.b;
  return field.offset ? b.CreateInBoundsGEP(b.getInt8Ty(), record, e.int64(field.offset)) : record;
}

Parts loadField(Emitter &e, llvm::Value *address, Type record, const Field &field) {
  llvm::Value *place = fieldAddress(e, address, field);
  if (!field.shape.empty())
    return makeConstantShapeArray(e, place, field.shape, field.type);
  return loadElement(e, place, field.type, llvm::Align(fieldAlignment(record, field)));
}

Parts emitFieldViewOfRecordArray(Emitter &e, Value &array, const Field &field) {
  Parts from = e.parts(array);
  unsigned n = array.type->ndim;
  Parts inner = makeConstantShapeArray(e, fieldAddress(e, from[0], field), field.shape, field.type);
  unsigned m = field.shape.size();
  Parts out{inner[0]};
  out.append(from.begin() + 1, from.begin() + 1 + n);
  out.append(inner.begin() + 1, inner.begin() + 1 + m);
  out.append(from.begin() + 1 + n, from.end());
  out.append(inner.begin() + 1 + m, inner.end());
  return out;
}

void storeConverted(Emitter &e, llvm::Value *address, Type place, llvm::Align align,
                    const Parts &value, Type type) {
  llvm::IRBuilder<> &b = e.b;
  if (place.isRecord() && type.isRecord()) {
    // If a kernel copies a record onto a part of itself, the result is unspecified.
    b.CreateMemCpy(address, align, value[0], llvm::Align(type->alignment()), place->bytes());
    return;
  }
  if (!place.isRecord())
    return storeElement(e, address, convert(e, value, type, place), place, align);
  for (size_t i = 0; i < type->elements.size(); ++i) {
    const Field &f = place->fields[i];
    storeConverted(e, fieldAddress(e, address, f), f.type,
                   std::min(align, llvm::Align(fieldAlignment(place, f))),
                   tupleElement(e, value, type, i), type->elements[i]);
  }
}

} // namespace heddle::python
