// Trip counts and items of for loops.

#include "frontend/python/emit/containers/iteration.h"
#include "frontend/python/emit/arrays/access.h"
#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/arrays/elements.h"
#include "frontend/python/emit/containers/lists.h"
#include "frontend/python/emit/containers/texts.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/generators/frame.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/types/iteration.h"

namespace heddle::python {

namespace {

/// The extents of an iterator over indices: a shape, or those of its first array.
llvm::ArrayRef<llvm::Value *> extentsOf(Type iterable, const Parts &parts) {
  Type first = iterable->elements[0];
  return first.isTuple() ? llvm::ArrayRef(parts) : llvm::ArrayRef(parts).slice(1, first->ndim);
}

Parts loadIndexIteratorItem(Emitter &e, Type iterable, const Parts &parts, llvm::Value *iteration) {
  if (iterable->iterator == IteratorKind::NdIndex)
    return computeIndices(e, iteration, extentsOf(iterable, parts));
  Parts out;
  if (iterable->iterator == IteratorKind::NdEnumerate)
    out = computeIndices(e, iteration, extentsOf(iterable, parts));
  unsigned first = 0;
  for (Type array : iterable->elements) {
    unsigned size = 1 + 2 * array->ndim;
    ElementsOf elements(e, array, Parts(parts.begin() + first, parts.begin() + first + size));
    if (iterable->iterator == IteratorKind::NdIter)
      out.push_back(elements.addressOfElementNumber(iteration));
    else
      out.append(elements.elementInOrder(iteration));
    first += size;
  }
  return out;
}

} // namespace

llvm::Value *emitTripCount(Emitter &e, Type iterable, const Parts &parts) {
  llvm::IRBuilder<> &b = e.b;
  if (iteratesIndices(iterable)) {
    llvm::Value *product = e.int64(1);
    for (llvm::Value *extent : extentsOf(iterable, parts))
      product = b.CreateMul(product, extent);
    return product;
  }
  if (iterable.is(TypeKind::Range))
    return parts[2];
  if (iterable.isArray() || iterable == runtimeStringType())
    return parts[1];
  if (iterable.isList())
    return loadListSize(e, parts[0]);
  if (iterable.isTuple())
    return e.int64(iterable->elements.size());
  bool counts = iterable->iterator == IteratorKind::Enumerate;
  llvm::Value *least = nullptr;
  unsigned first = counts;
  for (Type element : iterable->elements) {
    unsigned size = partTypes(b.getContext(), element).size();
    llvm::Value *n =
        emitTripCount(e, element, Parts(parts.begin() + first, parts.begin() + first + size));
    least = least ? b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, least, n) : n;
    first += size;
  }
  return least ? least : e.int64(0);
}

/// The element in iteration `iteration`, or the view without the first dimension.
Parts loadArrayItem(Emitter &e, Type array, const Parts &parts, llvm::Value *iteration) {
  llvm::IRBuilder<> &b = e.b;
  ArrayParts a{parts, array->ndim};
  if (array->ndim == 1 && array->layout != Layout::Any && array->element.isScalar()) {
    llvm::Type *element = memoryType(b.getContext(), array->element);
    return loadElement(e, b.CreateInBoundsGEP(element, a.pointer(), iteration), array->element,
                       llvm::Align(array->elementAlignment()));
  }
  llvm::Value *offset = b.CreateNSWMul(iteration, a.stride(0));
  llvm::Value *address = b.CreateInBoundsGEP(b.getInt8Ty(), a.pointer(), offset);
  if (array->ndim == 1)
    return loadElement(e, address, array->element, llvm::Align(array->elementAlignment()));
  Parts out{address};
  for (unsigned axis = 1; axis < array->ndim; ++axis)
    out.push_back(a.extent(axis));
  for (unsigned axis = 1; axis < array->ndim; ++axis)
    out.push_back(a.stride(axis));
  return out;
}

Parts selectTupleItem(Emitter &e, Type tuple, const Parts &parts, llvm::Value *iteration) {
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(iteration))
    return tupleElement(e, parts, tuple, constant->getZExtValue());
  return selectElement(e, parts, tuple->elements.size(), iteration);
}

Parts computeRangeItem(Emitter &e, Type element, const Parts &parts, llvm::Value *iteration,
                       bool isNonNegative) {
  llvm::IRBuilder<> &b = e.b;
  // Every value of a range lies between its ends. Their distance fits in int64 only if the values are known to have one
  // sign.
  bool isSigned = element.isSigned();
  auto *step = llvm::dyn_cast<llvm::ConstantInt>(parts[1]);
  bool isOne = step && step->isOne(), rises = step && !step->isNegative();
  bool fits = isSigned && (element->bits < 64 || isOne || isNonNegative);
  bool fitsUnsigned = !isSigned && rises;
  auto wide = [&](llvm::Value *part) { return cast(e, part, element, int64Type()); };
  llvm::Value *distance =
      isOne ? iteration : b.CreateMul(iteration, wide(parts[1]), "", fitsUnsigned, fits);
  llvm::Value *value = b.CreateAdd(wide(parts[0]), distance, "", fitsUnsigned, fits);
  // Array indices use this 64-bit sum, for which LLVM optimizes loops.
  return {element->bits < 64 ? b.CreateTrunc(value, parts[0]->getType(), "", false, isSigned)
                             : value};
}

Parts loadItem(Emitter &e, Type iterable, const Parts &parts, llvm::Value *iteration) {
  llvm::IRBuilder<> &b = e.b;
  if (iteratesIndices(iterable))
    return loadIndexIteratorItem(e, iterable, parts, iteration);
  if (iterable.is(TypeKind::Range))
    return computeRangeItem(e, iterable->element, parts, iteration, /*isNonNegative=*/false);
  if (iterable.isArray())
    return loadArrayItem(e, iterable, parts, iteration);
  if (iterable.isGenerator())
    return yieldedValue(e.b, iterable, parts[0]).parts();
  if (iterable.isList())
    return listItem(e, iterable, parts[0], iteration).parts();
  if (iterable == runtimeStringType())
    return makeSubstring(e, parts, iteration, e.int64(1));
  if (iterable.isTuple())
    return selectTupleItem(e, iterable, parts, iteration);
  if (iterable->iterator == IteratorKind::Unroll)
    return loadItem(e, iterable->elements[0], parts, iteration);
  if (iterable->iterator == IteratorKind::Reversed) {
    llvm::Value *last = b.CreateNSWSub(emitTripCount(e, iterable->elements[0], parts), e.int64(1));
    return loadItem(e, iterable->elements[0], parts, b.CreateNSWSub(last, iteration));
  }
  Parts out;
  unsigned first = 0;
  if (iterable->iterator == IteratorKind::Enumerate)
    out.push_back(b.CreateAdd(parts[first++], iteration));
  for (Type element : iterable->elements) {
    unsigned size = partTypes(b.getContext(), element).size();
    Parts own(parts.begin() + first, parts.begin() + first + size);
    out.append(loadItem(e, element, own, iteration));
    first += size;
  }
  return out;
}

Parts emitIterValue(Emitter &e, Value &v) {
  Type iterable = v.operands[0]->type;
  Parts parts = e.parts(*v.operands[0]);
  llvm::Value *iteration = e.parts(*v.operands[1])[0];
  if (!iterable.is(TypeKind::Range))
    return loadItem(e, iterable, parts, iteration);
  return computeRangeItem(e, iterable->element, parts, iteration, e.isNonNegative(v));
}

} // namespace heddle::python
