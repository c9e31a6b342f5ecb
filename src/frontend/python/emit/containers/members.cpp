// Attributes of values, as classified by findAttribute (members.h).

#include "frontend/python/emit/containers/members.h"
#include "frontend/python/emit/containers/records.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/rows/members.h"
#include "frontend/python/types/iteration.h"
#include "frontend/python/types/records.h"

namespace heddle::python {

namespace {

/// Attributes that follow from the layout of an array: its shape, size and so on.
Parts emitArrayLayoutAttribute(Emitter &e, MemberKind kind, Type array, const Parts &all) {
  llvm::IRBuilder<> &b = e.b;
  unsigned n = array->ndim;
  ArrayParts a{all, n};
  llvm::ArrayRef<llvm::Value *> extents = a.parts.slice(1, n), strides = a.parts.slice(1 + n, n);
  int64_t itemsize = array->element->bytes();
  if (kind == MemberKind::Shape)
    return Parts(extents);
  if (kind == MemberKind::Strides)
    return Parts(strides);
  if (kind == MemberKind::Transposed) {
    Parts out{a.pointer()};
    out.append(extents.rbegin(), extents.rend());
    out.append(strides.rbegin(), strides.rend());
    return out;
  }
  llvm::Value *size = e.int64(1);
  for (unsigned axis = 0; axis < n; ++axis)
    size = axis ? b.CreateNSWMul(size, a.extent(axis)) : a.extent(axis);
  if (kind == MemberKind::Flat)
    return {a.pointer(), size, n == 1 ? a.stride(0) : e.int64(itemsize)};
  return {kind == MemberKind::Size ? size : b.CreateNSWMul(size, e.int64(itemsize))};
}

} // namespace

Parts emitAttribute(Emitter &e, Value &object, const std::string &name) {
  llvm::IRBuilder<> &b = e.b;
  Type type = object.type;
  Parts all = e.parts(object);
  Member member = findAttribute(type, name, *e.function().rules);
  switch (member.kind) {
  case MemberKind::None: // rejected by infer
  case MemberKind::Known:
    return {};
  case MemberKind::Itself:
    return all;
  case MemberKind::Element:
    return tupleElement(e, all, type, member.index);
  case MemberKind::Pointer:
    return {all[0]};
  case MemberKind::Address:
    return {
        b.CreatePtrToInt(b.CreateAddrSpaceCast(all[0], b.getPtrTy(simt::Generic)), b.getInt64Ty())};
  case MemberKind::Start:
    return {all[0]};
  case MemberKind::Stop:
    return {all[3]};
  case MemberKind::Step:
    return {all[1]};
  case MemberKind::Real:
  case MemberKind::Imaginary:
    return emitRealOrImag(e, object, member.kind == MemberKind::Real ? "real" : "imag");
  case MemberKind::ImaginaryOfEach:
    all[0] = imaginaryAddress(b, all[0], type->element);
    return all;
  case MemberKind::Field:
    return loadField(e, all[0], type, *findField(type, name));
  case MemberKind::FieldOfEach:
    return emitFieldViewOfRecordArray(e, object, *findField(type->element, name));
  default:
    return emitArrayLayoutAttribute(e, member.kind, isFlatIterator(type) ? type->elements[0] : type,
                                    all);
  }
}

} // namespace heddle::python
