#include "frontend/python/emit/conversions.h"

#include "frontend/python/emit/containers/characters.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/emit/numbers/times.h"
#include "frontend/python/types/characters.h"

namespace heddle::python {
namespace {

/// A placeholder value of that type, which is never used.
Parts makePlaceholderParts(Emitter &e, Type type) {
  llvm::IRBuilder<> &b = e.b;
  Parts out;
  for (llvm::Type *part : partTypes(b.getContext(), type))
    out.push_back(llvm::Constant::getNullValue(part));
  return out;
}

/// Converts the index of a function to its index in a larger choice.
llvm::Value *convertFunctionTag(Emitter &e, llvm::Value *number, Type from, Type to) {
  llvm::Value *out = nullptr;
  for (size_t i = from->elements.size(); i-- > 0;) {
    llvm::Value *same = e.int64(llvm::find(to->elements, from->elements[i]) - to->elements.begin());
    out = out ? e.b.CreateSelect(e.b.CreateICmpEQ(number, e.int64(int64_t(i))), same, out) : same;
  }
  return out;
}

} // namespace

Parts convert(Emitter &e, const Parts &parts, Type from, Type to) {
  llvm::IRBuilder<> &b = e.b;
  if (from == to)
    return parts;
  if (to.is(TypeKind::Optional)) {
    if (from.is(TypeKind::None))
      return makePlaceholderParts(e, to);
    bool isOptional = from.is(TypeKind::Optional);
    Parts value = convert(e, Parts(parts.begin() + isOptional, parts.end()),
                          isOptional ? from->element : from, to->element);
    value.insert(value.begin(), isOptional ? parts[0] : b.getTrue());
    return value;
  }
  if (to.isComplex())
    return toComplex(e, parts, from, to);
  if (from.isInteger() && to.isPointer())
    return {b.CreateIntToPtr(parts[0], b.getPtrTy(to->space))};
  if (from.isScalar())
    return {cast(e, parts[0], from, to)};
  if (from.isChoice())
    return {convertFunctionTag(e, parts[0], from, to)};
  if (isCharacters(from))
    return resizeCharacters(e, parts, from, to);
  if (from.isTime())
    return {convertTime(b, parts[0], from, to)};
  if (from.isArray() || from.isRecord() || from.isPointer()) {
    Parts out = parts;
    if (to.isPointer())
      out.resize(1);
    if (from->space != to->space)
      out[0] = b.CreateAddrSpaceCast(parts[0], b.getPtrTy(to->space));
    return out;
  }
  if (from.is(TypeKind::Range))
    return {cast(e, parts[0], from->element, to->element),
            cast(e, parts[1], from->element, to->element), parts[2],
            cast(e, parts[3], from->element, to->element)};
  Parts out;
  for (size_t i = 0; i < from->elements.size(); ++i)
    out.append(convert(e, tupleElement(e, parts, from, i), from->elements[i], to->elements[i]));
  return out;
}

Parts tupleElement(Emitter &e, const Parts &parts, Type tuple, size_t i) {
  llvm::IRBuilder<> &b = e.b;
  unsigned first = 0;
  for (size_t k = 0; k < i; ++k)
    first += partTypes(b.getContext(), tuple->elements[k]).size();
  unsigned count = partTypes(b.getContext(), tuple->elements[i]).size();
  return Parts(parts.begin() + first, parts.begin() + first + count);
}

} // namespace heddle::python
