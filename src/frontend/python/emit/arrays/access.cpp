// Emits loads and stores of elements: arrays, tuples, records and pointers.

#include "frontend/python/emit/arrays/access.h"
#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/arrays/assign_elements.h"
#include "frontend/python/emit/arrays/elements.h"
#include "frontend/python/emit/arrays/index_error.h"
#include "frontend/python/emit/containers/characters.h"
#include "frontend/python/emit/containers/instances.h"
#include "frontend/python/emit/containers/lists.h"
#include "frontend/python/emit/containers/records.h"
#include "frontend/python/emit/containers/texts.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/types/characters.h"
#include "frontend/python/types/iteration.h"
#include "frontend/python/types/records.h"

#include <algorithm>

namespace heddle::python {
namespace {

/// The address of `pointer[index]`.
llvm::Value *pointeeAddress(Emitter &e, Value &pointer, Value &index) {
  llvm::IRBuilder<> &b = e.b;
  return b.CreateGEP(memoryType(b.getContext(), pointer.type->element), e.parts(pointer)[0],
                     e.scalar(index, int64Type()));
}

} // namespace

bool assignsToView(const TypedFunction &function, const Value &store) {
  const Value &object = *store.operands[0], &index = *store.operands[1];
  if (object.type.isRecord())
    return !selectField(object.type, *index.constant)->shape.empty();
  return object.type.isArray() &&
         (index.type.isString() ||
          typeOfIndexing(object.type, parseIndex(function, store)).isArray());
}

namespace {

/// The index in `choice` of each element of a tuple of functions.
Parts convertElementsToFunctionTags(Emitter &e, Value &tuple, Type choice) {
  Parts all = e.parts(tuple), out;
  for (size_t i = 0; i < tuple.type->elements.size(); ++i) {
    Type element = tuple.type->elements[i];
    bool isKnown = element == objectType();
    out.append(convert(
        e, isKnown ? Parts{e.int64(0)} : tupleElement(e, all, tuple.type, i),
        isKnown ? functionTagType({knownObjectType(tuple.constant->items[i])}) : element, choice));
  }
  return out;
}

Parts emitTupleIndex(Emitter &e, Value &v) {
  Type tuple = v.operands[0]->type;
  Parts all = e.parts(*v.operands[0]);
  Value &index = *v.operands[1];
  int64_t size = tuple->elements.size();
  if (v.type.isTuple() && index.type == sliceType()) {
    Parts out;
    std::vector<size_t> selected =
        *positionsSelectedBySlice(index, size); // infer ensures that it is constant
    for (size_t i : selected)
      out.append(tupleElement(e, all, tuple, i));
    return out;
  }
  if (index.constant) {
    int64_t i = index.constant->integer;
    return tupleElement(e, all, tuple, i < 0 ? i + size : i);
  }
  // A run-time index of a uniform tuple: a chain of selects. An index out of range is an error in host functions and in
  // debug mode, otherwise it selects the last element.
  llvm::Value *given = e.scalar(index, int64Type());
  llvm::Value *i = e.wrapNegativeIndex(given, e.int64(size));
  if (e.checks().bounds || e.function().rules->makesArrays)
    e.checkIndex(given, i, e.int64(size), v.span, "tuple index out of range");
  if (v.type.isChoice())
    all = convertElementsToFunctionTags(e, *v.operands[0], v.type);
  return selectElement(e, all, size, i);
}

} // namespace

namespace {

/// The address of a.flat[i].
llvm::Value *flatElementAddress(Emitter &e, Value &flat, Value &index, Span span) {
  ElementsOf elements(e, flat.type->elements[0], e.parts(flat));
  llvm::Value *given = e.scalar(index, int64Type()), *size = elements.size();
  llvm::Value *i = e.isNonNegative(index) ? given : e.wrapNegativeIndex(given, size);
  if (e.checks().bounds)
    e.checkIndex(given, i, size, span,
                 std::string("index ") + indexPlaceholder(index.type) +
                     " of a.flat is out of bounds: the array has {extent} elements");
  return elements.addressOfElementNumber(i);
}

} // namespace

Parts emitIndex(Emitter &e, Value &v) {
  Value &object = *v.operands[0], &index = *v.operands[1];
  if (object.type.isList())
    return emitListIndex(e, v);
  if (object.type == runtimeStringType())
    return emitTextIndex(e, v);
  if (isCharacters(object.type))
    return {characterAt(e, object, index, v.span)};
  if (isFlatIterator(object.type))
    return loadElement(e, flatElementAddress(e, object, index, v.span),
                       object.type->elements[0]->element,
                       llvm::Align(object.type->elements[0]->elementAlignment()));
  if (object.type.isTuple())
    return emitTupleIndex(e, v);
  if (object.type.isRecord())
    return loadField(e, e.parts(object)[0], object.type,
                     *selectField(object.type, *index.constant));
  if (object.type.isPointer())
    return loadElement(e, pointeeAddress(e, object, index), object.type->element);
  if (index.type.isString())
    return emitFieldViewOfRecordArray(e, object,
                                      *selectField(object.type->element, *index.constant));
  std::vector<IndexItem> items = parseIndex(e.function(), v);
  if (v.type.isArray())
    return makeView(e, object, items, index, v.span);
  return loadElement(e, elementAddress(e, object, items, index, v.span), object.type->element,
                     llvm::Align(object.type->elementAlignment()));
}

namespace {

/// Stores a value as a `place` at `address`.
void storeConvertedToElementType(Emitter &e, llvm::Value *address, Type place, llvm::Align align,
                                 Value &value) {
  if (isCharacters(place) && value.type == runtimeStringType() && !value.constant)
    return storeStringAsCharacters(e, address, e.parts(value), place, align);
  if (isCharacters(place))
    return storeElement(e, address, convertToCharacters(e, value, place), place, align);
  storeConverted(e, address, place, align, e.parts(value), value.type);
}

} // namespace

void emitStore(Emitter &e, Value &v) {
  Value &object = *v.operands[0], &index = *v.operands[1], &value = *v.operands[2];
  if (object.type.isList())
    return emitListStore(e, v);
  if (object.type.isInstance())
    return emitInstanceStore(e, v);
  if (object.type.isArray() && index.type.isArray())
    return storeByFancyIndex(e, v);
  if (isFlatIterator(object.type)) {
    Type array = object.type->elements[0];
    return storeConvertedToElementType(e, flatElementAddress(e, object, index, v.span),
                                       array->element, llvm::Align(array->elementAlignment()),
                                       value);
  }
  if (assignsToView(e.function(), v))
    return storeView(e, v);
  if (object.type.isRecord()) {
    const Field &f = *selectField(object.type, *index.constant);
    return storeConvertedToElementType(e, fieldAddress(e, e.parts(object)[0], f), f.type,
                                       llvm::Align(fieldAlignment(object.type, f)), value);
  }
  if (object.type.isPointer()) {
    Type element = object.type->element;
    return storeConvertedToElementType(e, pointeeAddress(e, object, index), element,
                                       llvm::Align(element->alignment()), value);
  }
  llvm::Value *address = elementAddress(e, object, parseIndex(e.function(), v), index, v.span);
  storeConvertedToElementType(e, address, object.type->element,
                              llvm::Align(object.type->elementAlignment()), value);
}

Parts selectElement(Emitter &e, const Parts &elements, size_t count, llvm::Value *index) {
  llvm::IRBuilder<> &b = e.b;
  unsigned parts = elements.size() / count;
  Parts out(elements.end() - parts, elements.end());
  for (size_t element = count - 1; element-- > 0;)
    for (unsigned k = 0; k < parts; ++k)
      out[k] = b.CreateSelect(b.CreateICmpEQ(index, e.int64(element)),
                              elements[element * parts + k], out[k]);
  return out;
}

} // namespace heddle::python
