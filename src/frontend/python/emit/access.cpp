// Elements that are read and written: of arrays, tuples, records and pointers.

#include "frontend/python/emit/emitter.h"
#include "frontend/python/types/records.h"

#include <algorithm>

namespace heddle::python {

Parts Emitter::emitIndex(Value &v) {
  Value &object = *v.operands[0], &index = *v.operands[1];
  if (object.type.isTuple())
    return emitTupleIndex(v);
  if (object.type.isRecord())
    return field(parts(object)[0], object.type, *fieldAt(object.type, *index.constant));
  if (object.type.isPointer())
    return loadElement(pointee(object, index), v.type);
  if (index.type == stringType())
    return fieldOfEach(object, *fieldAt(object.type->element, *index.constant));
  std::vector<IndexItem> items = indexItems(*f_.source, v);
  if (v.type.isArray())
    return view(object, items, index, v.span);
  return loadElement(elementAddress(object, items, index, v.span), v.type,
                     llvm::Align(object.type->elementAlignment()));
}

llvm::Value *Emitter::pointee(Value &pointer, Value &index) {
  return b.CreateGEP(memoryType(b.getContext(), pointer.type->element), parts(pointer)[0],
                     scalar(index, int64Type()));
}

namespace {

/// Whether a StoreIndex assigns to all elements of an array.
bool isView(const FunctionSource &source, const Value &store) {
  const Value &object = *store.operands[0], &index = *store.operands[1];
  if (object.type.isRecord())
    return !fieldAt(object.type, *index.constant)->shape.empty();
  return object.type.isArray() && (index.type == stringType() ||
                                   indexedType(object.type, indexItems(source, store)).isArray());
}

} // namespace

void Emitter::emitStore(Value &v) {
  Value &object = *v.operands[0], &index = *v.operands[1], &value = *v.operands[2];
  if (isView(*f_.source, v))
    return storeView(v);
  if (object.type.isRecord()) {
    const Field &f = *fieldAt(object.type, *index.constant);
    assign(fieldAddress(parts(object)[0], f), f.type, llvm::Align(fieldAlignment(object.type, f)),
           parts(value), value.type);
    return;
  }
  if (object.type.isPointer()) {
    Type element = object.type->element;
    assign(pointee(object, index), element, llvm::Align(element->alignment()), parts(value),
           value.type);
    return;
  }
  llvm::Value *address = elementAddress(object, indexItems(*f_.source, v), index, v.span);
  assign(address, object.type->element, llvm::Align(object.type->elementAlignment()), parts(value),
         value.type);
}

Parts Emitter::emitTupleIndex(Value &v) {
  Type tuple = v.operands[0]->type;
  Parts all = parts(*v.operands[0]);
  Value &index = *v.operands[1];
  int64_t size = tuple->elements.size();
  if (v.type.isTuple() && index.type == sliceType()) {
    int64_t from = 0;
    if (const auto &lower = index.operands[0]->constant; lower && lower->kind != ConstantKind::None)
      from = lower->integer < 0 ? std::max<int64_t>(0, lower->integer + size)
                                : std::min(lower->integer, size);
    Parts out;
    for (size_t i = 0; i < v.type->elements.size(); ++i)
      out.append(tupleElement(all, tuple, from + i));
    return out;
  }
  if (index.constant) {
    int64_t i = index.constant->integer;
    return tupleElement(all, tuple, i < 0 ? i + size : i);
  }
  // A run-time index of a uniform tuple: a chain of selects. Out of range it is the last element; an error in debug.
  llvm::Value *i = scalar(index, int64Type());
  i = b.CreateSelect(b.CreateICmpSLT(i, int64(0)), b.CreateAdd(i, int64(size)), i);
  if (debug())
    trapIf(b.CreateICmpUGE(i, int64(size)), v.span, "IndexError", "tuple index out of range");
  return selectElement(all, size, i);
}

/// Element `index` of `count` that have the same type, by a chain of selects; the last one for an index out of range.
Parts Emitter::selectElement(const Parts &elements, size_t count, llvm::Value *index) {
  unsigned parts = elements.size() / count;
  Parts out(elements.end() - parts, elements.end());
  for (size_t element = count - 1; element-- > 0;)
    for (unsigned k = 0; k < parts; ++k)
      out[k] = b.CreateSelect(b.CreateICmpEQ(index, int64(element)), elements[element * parts + k],
                              out[k]);
  return out;
}

} // namespace heddle::python
