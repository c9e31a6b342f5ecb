// Rounds and items of for loops.

#include "frontend/python/emit.h"

namespace heddle::python {

llvm::Value *Emitter::rounds(Type iterable, const Parts &parts) {
  if (iterable.is(TypeKind::Range))
    return parts[2];
  if (iterable.isArray())
    return parts[1];
  if (iterable.isTuple())
    return int64(iterable->elements.size());
  bool counts = iterable->iterator == IteratorKind::Enumerate;
  llvm::Value *least = nullptr;
  unsigned first = counts;
  for (Type element : iterable->elements) {
    unsigned size = partTypes(b.getContext(), element).size();
    llvm::Value *n = rounds(element, Parts(parts.begin() + first, parts.begin() + first + size));
    least = least ? b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, least, n) : n;
    first += size;
  }
  return least ? least : int64(0);
}

/// The element, or the view without the first dimension, at `round`.
Parts Emitter::itemOfArray(Type array, const Parts &parts, llvm::Value *round) {
  ArrayParts a{parts, array->ndim};
  if (array->ndim == 1 && array->layout != Layout::Any && array->element.isScalar()) {
    llvm::Type *element = memoryType(b.getContext(), array->element);
    return loadElement(b.CreateInBoundsGEP(element, a.pointer(), round), array->element,
                       llvm::Align(array->elementAlignment()));
  }
  llvm::Value *offset = b.CreateNSWMul(round, a.stride(0));
  llvm::Value *address = b.CreateInBoundsGEP(b.getInt8Ty(), a.pointer(), offset);
  if (array->ndim == 1)
    return loadElement(address, elementOf(array), llvm::Align(array->elementAlignment()));
  Parts out{address};
  for (unsigned axis = 1; axis < array->ndim; ++axis)
    out.push_back(a.extent(axis));
  for (unsigned axis = 1; axis < array->ndim; ++axis)
    out.push_back(a.stride(axis));
  return out;
}

Parts Emitter::itemOfTuple(Type tuple, const Parts &parts, llvm::Value *round) {
  size_t size = tuple->elements.size();
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(round)) {
    unsigned first = 0;
    size_t i = constant->getZExtValue();
    for (size_t k = 0; k < i; ++k)
      first += partTypes(b.getContext(), tuple->elements[k]).size();
    unsigned count = partTypes(b.getContext(), tuple->elements[i]).size();
    return Parts(parts.begin() + first, parts.begin() + first + count);
  }
  return selectElement(parts, size, round);
}

Parts Emitter::item(Type iterable, const Parts &parts, llvm::Value *round) {
  if (iterable.is(TypeKind::Range)) {
    llvm::Value *k = cast(round, int64Type(), iterable->element);
    return {b.CreateAdd(parts[0], b.CreateMul(k, parts[1]))};
  }
  if (iterable.isArray())
    return itemOfArray(iterable, parts, round);
  if (iterable.isTuple())
    return itemOfTuple(iterable, parts, round);
  if (iterable->iterator == IteratorKind::Unroll)
    return item(iterable->elements[0], parts, round);
  if (iterable->iterator == IteratorKind::Reversed) {
    llvm::Value *last = b.CreateNSWSub(rounds(iterable->elements[0], parts), int64(1));
    return item(iterable->elements[0], parts, b.CreateNSWSub(last, round));
  }
  Parts out;
  unsigned first = 0;
  if (iterable->iterator == IteratorKind::Enumerate)
    out.push_back(b.CreateAdd(parts[first++], round));
  for (Type element : iterable->elements) {
    unsigned size = partTypes(b.getContext(), element).size();
    Parts own(parts.begin() + first, parts.begin() + first + size);
    out.append(item(element, own, round));
    first += size;
  }
  return out;
}

/// A range whose values are items of the loop over `iterable`, without an enumerate or zip between; null for others.
static Value *rangeOf(Value &iterable) {
  Value *v = &iterable;
  while (v->opcode == Opcode::Call && v->library && v->type.is(TypeKind::Iterator) &&
         v->type->iterator == IteratorKind::Reversed && v->operands.size() == 2)
    v = v->operands[1];
  return v->opcode == Opcode::Call && v->library && v->type.is(TypeKind::Range) ? v : nullptr;
}

bool Emitter::itemsNonNegative(Value &iterable) {
  // A range's values lie between its start and its end.
  Value *range = rangeOf(iterable);
  if (!range)
    return false;
  size_t n = range->operands.size();
  if (n == 2)
    return true;
  if (!nonNegative(*range->operands[1]))
    return false;
  if (n == 3)
    return true;
  const auto &step = range->operands[3]->constant, &stop = range->operands[2]->constant;
  return (step && step->integer > 0) || (stop && stop->integer >= -1) ||
         nonNegative(*range->operands[2]);
}

bool Emitter::countsNonNegative(Value &iterable) {
  if (!iterable.type.is(TypeKind::Iterator) || iterable.type->iterator != IteratorKind::Enumerate ||
      iterable.opcode != Opcode::Call)
    return false;
  return iterable.operands.size() == 2 || nonNegative(*iterable.operands[2]);
}

} // namespace heddle::python
