// Slices as values: a slice in brackets that is passed to a function becomes a slice value, and a slice value in an
// index becomes a slice.

#include "frontend/python/types/slices.h"
#include "frontend/python/infer/visits.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

bool isSliceSyntax(const Value &v) {
  return v.opcode == Opcode::Slice ||
         (v.opcode == Opcode::Tuple &&
          llvm::any_of(v.operands, [](Value *part) { return isSliceSyntax(*part); }));
}

/// Converts a slice to a slice value, before `v`.
Value *toSliceValue(FunctionTyping &t, Value &v, Value &written) {
  if (!isSliceSyntax(written))
    return &written;
  std::vector<Value *> parts;
  for (Value *part : written.operands)
    parts.push_back(toSliceValue(t, v, *part));
  Value *value = t.insertBefore(v, Opcode::Tuple, written.span, std::move(parts));
  if (written.opcode == Opcode::Slice)
    value->name = nameOfSlices;
  t.visit(*value);
  return value;
}

/// True if an index of that type has parts other than numbers and arrays.
bool selectsDimensions(Type type) {
  return isSliceValue(type) || type == sliceType() || type == ellipsisType() ||
         type.is(TypeKind::None) ||
         (type.isTuple() && llvm::any_of(type->elements, selectsDimensions));
}

/// True if an index, or a part of it, is a slice value instead of a slice.
bool holdsSliceValue(const Value &v) {
  if (v.opcode == Opcode::Slice)
    return false;
  if (v.opcode == Opcode::Tuple && !isSliceValue(v.type))
    return llvm::any_of(v.operands, [](const Value *part) { return holdsSliceValue(*part); });
  return v.type == sliceType() ? v.constant.has_value()
                               : v.type.isTuple() && selectsDimensions(v.type);
}

/// The constant `slice` as an Opcode::Slice.
Value *insertSlice(FunctionTyping &t, Value &v, const Constant &slice) {
  std::vector<Value *> bounds;
  for (const Constant &bound : slice.items)
    bounds.push_back(t.insertConstant(v, v.spanOf(1), bound));
  Value *written = t.insertBefore(v, Opcode::Slice, v.spanOf(1), std::move(bounds));
  t.visit(*written);
  return written;
}

/// Converts slice values in an index to slices, before `v`.
Value *toSlices(FunctionTyping &t, Value &v, Value &index) {
  if (!holdsSliceValue(index))
    return &index;
  if (index.type == sliceType())
    return insertSlice(t, v, *index.constant);
  std::vector<Value *> parts;
  for (size_t i = 0; i < index.type->elements.size(); ++i) {
    Value *part = t.insertBefore(v, Opcode::Unpack, index.span, {&index});
    part->index = i;
    part->count = index.type->elements.size();
    t.visit(*part);
    parts.push_back(toSlices(t, v, *part));
  }
  Opcode opcode = isSliceValue(index.type) ? Opcode::Slice : Opcode::Tuple;
  Value *written = t.insertBefore(v, opcode, index.span, std::move(parts));
  t.visit(*written);
  return written;
}

} // namespace

void convertSlicesToValues(FunctionTyping &t, Value &v) {
  for (size_t i = v.opcode == Opcode::Call; i < v.operands.size(); ++i)
    v.operands[i] = toSliceValue(t, v, *v.operands[i]);
}

void convertValuesToSlices(FunctionTyping &t, Value &v) {
  v.operands[1] = toSlices(t, v, *v.operands[1]);
}

} // namespace heddle::python
