// Elements and views of arrays.

#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/arrays/index_error.h"
#include "frontend/python/emit/containers/characters.h"
#include "frontend/python/emit/containers/records.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/emit/numbers/small_floats.h"
#include "frontend/python/types/characters.h"

namespace heddle::python {

Parts makeConstantShapeArray(Emitter &e, llvm::Value *pointer, llvm::ArrayRef<int64_t> shape,
                             Type element) {
  Parts result{pointer};
  for (int64_t extent : shape)
    result.push_back(e.int64(extent));
  result.resize(1 + 2 * shape.size());
  int64_t stride = element->bytes();
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
    result[1 + shape.size() + axis] = e.int64(stride);
  return result;
}

/// The integer of an item, as int64.
llvm::Value *emitIndexValue(Emitter &e, const IndexItem &item, Value &index, Span span) {
  if (item.whole)
    return e.convertToInteger(*item.whole, int64Type(), span, "the index");
  return e.convertToInteger(e.parts(index)[item.part], item.type, int64Type(), span, "the index");
}

bool isIndexItemNonNegative(Emitter &e, const IndexItem &item, Value &index) {
  if (item.type.is(TypeKind::UInt) || item.type.isBool())
    return true;
  if (item.type.isFloat())
    return false;
  if (item.whole)
    return e.isNonNegative(*item.whole);
  return index.type.isTuple() && e.isNonNegative(index);
}

/// The item's integer for an axis after Python's wrap-around of negative indices, checked against the extent.
llvm::Value *emitCheckedIndex(Emitter &e, Value &array, const std::vector<IndexItem> &items,
                              const IndexItem &item, Value &index, unsigned axis, Span span) {
  Parts arrayParts = e.parts(array);
  ArrayParts a{arrayParts, array.type->ndim};
  llvm::Value *raw = emitIndexValue(e, item, index, span);
  llvm::Value *i =
      isIndexItemNonNegative(e, item, index) ? raw : e.wrapNegativeIndex(raw, a.extent(axis));
  if (e.checks().bounds)
    e.checkIndex(raw, i, a.extent(axis), span,
                 indexErrorMessage(e, {array, items, index, span}, axis));
  return i;
}

namespace {

/// The address after stepping `indices` into the array. Contiguous arrays are addressed by element number, so that LLVM
/// recognizes consecutive accesses; others use byte strides. Nothing overflows within an array.
llvm::Value *addressAtIndices(llvm::IRBuilder<> &b, Type type, ArrayParts a,
                              llvm::ArrayRef<llvm::Value *> indices) {
  unsigned n = a.ndim;
  llvm::Type *element = memoryType(b.getContext(), type->element);
  if (n == 0)
    return a.pointer();
  if (type->layout != Layout::Any) {
    llvm::Value *linear = nullptr;
    for (unsigned k = 0; k < n; ++k) {
      unsigned axis = type->layout == Layout::C ? k : n - 1 - k;
      linear = linear ? b.CreateNSWAdd(b.CreateNSWMul(linear, a.extent(axis)), indices[axis])
                      : indices[axis];
    }
    return b.CreateInBoundsGEP(element, a.pointer(), linear);
  }
  llvm::Value *bytes = nullptr;
  for (unsigned axis = 0; axis < n; ++axis) {
    llvm::Value *step = b.CreateNSWMul(indices[axis], a.stride(axis));
    bytes = bytes ? b.CreateNSWAdd(bytes, step) : step;
  }
  return b.CreateInBoundsGEP(b.getInt8Ty(), a.pointer(), bytes);
}

} // namespace

ElementPlace emitElementPlace(Emitter &e, Value &array, const std::vector<IndexItem> &items,
                              Value &index, Span span) {
  ElementPlace place;
  for (unsigned axis = 0; axis < items.size(); ++axis)
    place.indices.push_back(emitCheckedIndex(e, array, items, items[axis], index, axis, span));
  Parts arrayParts = e.parts(array);
  place.address = addressAtIndices(e.b, array.type, {arrayParts, array.type->ndim}, place.indices);
  return place;
}

llvm::Value *elementAddress(Emitter &e, Value &array, const std::vector<IndexItem> &items,
                            Value &index, Span span) {
  return emitElementPlace(e, array, items, index, span).address;
}

llvm::Value *convertFromMemory(llvm::IRBuilder<> &b, llvm::Value *stored, Type element) {
  if (element.isBool())
    return b.CreateICmpNE(stored, b.getInt8(0));
  return element->small ? decodeSmallFloat(b, stored, *element->small) : stored;
}

llvm::Value *convertToMemory(llvm::IRBuilder<> &b, llvm::Value *value, Type element) {
  if (element.isBool())
    return b.CreateZExt(value, b.getInt8Ty());
  return element->small ? encodeSmallFloat(b, value, *element->small) : value;
}

namespace {

/// Calls `visit` with the address, type and alignment of each field of a structure in memory.
template <class Visit>
void forEachFieldAddress(Emitter &e, llvm::Value *address, Type structure, llvm::MaybeAlign known,
                         Visit visit) {
  llvm::Align align = known.value_or(llvm::Align(structure->alignment()));
  for (size_t i = 0; i < structure->elements.size(); ++i) {
    unsigned offset = structureFieldOffset(structure, i);
    visit(e.b.CreateConstInBoundsGEP1_64(e.b.getInt8Ty(), address, offset), structure->elements[i],
          llvm::commonAlignment(align, offset));
  }
}

} // namespace

namespace {

/// The alignment of the imaginary part, which follows the real part. known: the alignment of the number.
llvm::MaybeAlign imaginaryAlignment(Type part, llvm::MaybeAlign known) {
  return known ? llvm::commonAlignment(*known, part->bytes()) : known;
}

} // namespace

Parts loadElement(Emitter &e, llvm::Value *address, Type element, llvm::MaybeAlign known) {
  llvm::IRBuilder<> &b = e.b;
  if (element.isRecord())
    return {address};
  if (isCharacters(element))
    return loadCharacters(e, address, element, known.value_or(llvm::Align(element->alignment())));
  if (element.isStructure()) {
    Parts all;
    forEachFieldAddress(e, address, element, known,
                        [&](llvm::Value *place, Type field, llvm::Align align) {
                          all.append(loadElement(e, place, field, align));
                        });
    return all;
  }
  if (element.isComplex()) {
    Type part = complexPartType(element);
    Parts re = loadElement(e, address, part, known);
    return {re[0], loadElement(e, imaginaryAddress(b, address, element), part,
                               imaginaryAlignment(part, known))[0]};
  }
  // A view with arbitrary strides is misaligned only if its array is, which the launcher rejects.
  llvm::Value *v = b.CreateAlignedLoad(memoryType(b.getContext(), element), address,
                                       known.value_or(llvm::Align(element->alignment())));
  // Reading an unwritten local array gives an arbitrary but fixed value. The freeze makes branching on it defined
  // behavior.
  if (address->getType()->getPointerAddressSpace() == simt::Generic)
    v = b.CreateFreeze(v);
  return {convertFromMemory(b, v, element)};
}

void storeElement(Emitter &e, llvm::Value *address, const Parts &value, Type element,
                  llvm::MaybeAlign known) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Align align = known.value_or(llvm::Align(element->alignment()));
  if (element.isRecord())
    return storeConverted(e, address, element, align, value, element);
  if (isCharacters(element))
    return storeCharacters(e, address, value, element, align);
  if (element.isStructure()) {
    size_t next = 0;
    forEachFieldAddress(
        e, address, element, known, [&](llvm::Value *place, Type field, llvm::Align align) {
          storeElement(e, place, tupleElement(e, value, element, next++), field, align);
        });
    return;
  }
  if (element.isComplex()) {
    Type part = complexPartType(element);
    storeElement(e, address, {value[0]}, part, known);
    storeElement(e, imaginaryAddress(b, address, element), {value[1]}, part,
                 imaginaryAlignment(part, known));
    return;
  }
  b.CreateAlignedStore(convertToMemory(b, value[0], element), address, align);
}

namespace {

/// The start and element count of a slice along one axis, after Python's clamping.
struct SliceBounds {
  llvm::Value *start;
  llvm::Value *count;
};

llvm::Value *emitSliceStep(Emitter &e, const IndexItem &item) {
  std::optional<int64_t> known = constantStepOf(item);
  return known ? e.int64(*known)
               : e.convertToInteger(*item.slice->operands[2], int64Type(), item.slice->spanOf(2),
                                    "the step of the slice");
}

/// The number of steps that cover `reach` elements, rounded up; 0 if the step is 0.
llvm::Value *emitStepCount(Emitter &e, llvm::Value *reach, llvm::Value *step, llvm::Value *up,
                           bool isKnown) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *nil = e.int64(0), *one = e.int64(1);
  llvm::Value *size = b.CreateSelect(up, step, b.CreateNeg(step));
  llvm::Value *safe = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, size, one);
  llvm::Value *count = b.CreateAdd(b.CreateUDiv(b.CreateSub(reach, one), safe), one);
  llvm::Value *none = b.CreateICmpEQ(reach, nil);
  if (!isKnown)
    none = b.CreateOr(none, b.CreateICmpEQ(step, nil));
  return b.CreateSelect(none, nil, count);
}

SliceBounds computeSliceBounds(Emitter &e, const IndexItem &item, llvm::Value *extent) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *nil = e.int64(0);
  if (isFullSlice(item))
    return {nil, extent};
  // For a constant step these selects fold.
  llvm::Value *step = emitSliceStep(e, item), *up = b.CreateICmpSGT(step, nil);
  llvm::Value *lowest = b.CreateSelect(up, nil, e.int64(-1));
  llvm::Value *highest = b.CreateSelect(up, extent, b.CreateSub(extent, e.int64(1)));
  auto bound = [&](unsigned k, llvm::Value *absent) -> llvm::Value * {
    Value &part = *item.slice->operands[k];
    if (part.type.is(TypeKind::None))
      return absent;
    llvm::Value *v =
        e.convertToInteger(part, int64Type(), item.slice->spanOf(k), "a bound of the slice");
    v = e.wrapNegativeIndex(v, extent);
    v = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v, lowest);
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v, highest);
  };
  llvm::Value *lower = bound(0, b.CreateSelect(up, nil, highest)),
              *upper = bound(1, b.CreateSelect(up, extent, lowest));
  llvm::Value *reach = b.CreateSelect(up, b.CreateSub(upper, lower), b.CreateSub(lower, upper));
  reach = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, reach, nil);
  std::optional<int64_t> known = constantStepOf(item);
  if (known == 1 || known == -1)
    return {lower, reach};
  return {lower, emitStepCount(e, reach, step, up, known.has_value())};
}

} // namespace

Parts makeView(Emitter &e, Value &array, const std::vector<IndexItem> &items, Value &index,
               Span span) {
  llvm::IRBuilder<> &b = e.b;
  Parts arrayParts = e.parts(array);
  ArrayParts a{arrayParts, array.type->ndim};
  llvm::SmallVector<llvm::Value *, 4> starts, extents, strides;
  for (const IndexItem &item : items) {
    unsigned axis = starts.size();
    if (item.type.is(TypeKind::None)) { // a new dimension
      extents.push_back(e.int64(1));
      strides.push_back(e.int64(0));
      continue;
    }
    if (item.type != sliceType()) {
      starts.push_back(emitCheckedIndex(e, array, items, item, index, axis, span));
      continue;
    }
    if ((e.checks().values || e.checks().bounds) && !constantStepOf(item))
      e.trapIf(b.CreateICmpEQ(emitSliceStep(e, item), e.int64(0)), span, "ValueError",
               "slice step cannot be zero");
    SliceBounds bounds = computeSliceBounds(e, item, a.extent(axis));
    starts.push_back(bounds.start);
    extents.push_back(bounds.count);
    strides.push_back(constantStepOf(item) == 1
                          ? a.stride(axis)
                          : b.CreateMul(a.stride(axis), emitSliceStep(e, item)));
  }
  Parts out{addressAtIndices(b, array.type, a, starts)};
  out.append(extents.begin(), extents.end());
  out.append(strides.begin(), strides.end());
  return out;
}

} // namespace heddle::python
