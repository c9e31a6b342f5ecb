// Conversions of addresses to arrays.

#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/types/records.h"

namespace heddle::python {
namespace {

/// The number of dimensions of a shape argument: an integer, or a tuple of integers.
unsigned ndimOfShapeArgument(CallTyping &t) {
  Type shape = t.type(1);
  if (shape.isInteger())
    return 1;
  bool integers = shape.isTuple() && !shape->elements.empty();
  for (size_t i = 0; integers && i < shape->elements.size(); ++i)
    integers = shape->elements[i].isInteger();
  if (!integers)
    t.failAt(1, std::string(t.row().displayName()) +
                    "() takes an integer or a tuple of them as shape");
  return shape->elements.size();
}

template <Layout layout> Type typeArrayFromPointer(CallTyping &t) {
  Type pointer = t.type(0);
  if (!pointer.isPointer())
    t.failAt(0, std::string(t.row().displayName()) + "() takes a pointer, not " + pointer.name(),
             "declare the argument as types.CPointer(dtype) in the signature");
  Type element = pointer->element;
  if (t.argument(2) && !t.type(2).is(TypeKind::None)) {
    const Constant *dtype = t.constant(2);
    if (!dtype || dtype->kind != ConstantKind::Type || !dtype->type.canBeArrayElement())
      t.failAt(2, "dtype must be a type known at compile time");
    if (element.canBeArrayElement() && dtype->type != element)
      t.failAt(2, "the pointer is to " + element.name() + ", not to " + dtype->type.name());
    element = dtype->type;
  }
  if (!element.canBeArrayElement())
    t.fail(std::string(t.row().displayName()) + "() of a pointer to no type needs a dtype");
  return arrayType(element, ndimOfShapeArgument(t), {.layout = layout, .space = pointer->space});
}

template <Layout layout> Parts emitArrayFromPointer(CallEmission &c) {
  Value &shape = *c.argument(1);
  Parts extents;
  if (shape.type.isTuple()) {
    Parts parts = c.e.parts(shape);
    for (size_t i = 0; i < parts.size(); ++i)
      extents.push_back(cast(c.e, parts[i], shape.type->elements[i], int64Type()));
  } else {
    extents.push_back(c.scalar(1, int64Type()));
  }
  Parts out{c.e.parts(*c.argument(0))[0]};
  out.append(extents);
  size_t n = extents.size();
  out.resize(1 + 2 * n);
  llvm::Value *stride = c.e.int64(c.call.type->element->bytes());
  for (size_t i = 0; i < n; ++i) {
    size_t axis = layout == Layout::C ? n - 1 - i : i;
    out[1 + n + axis] = stride;
    stride = c.b.CreateMul(stride, extents[axis]);
  }
  return out;
}

Type typeFromBuffer(CallTyping &t) {
  Type array = t.type(0);
  if (!array.isArray() || !(array->element.isScalar() || array->element.isComplex()))
    t.failAt(0, "from_buffer() takes an array of numbers, not " + array.name());
  if (array->layout == Layout::Any)
    t.failAt(0, "from_buffer() takes a contiguous array: a pointer has no strides",
             "pass a contiguous array");
  return pointerType(array->element, array->space);
}

const LibraryRow table[] = {
    onAllTargets({"ffi.from_buffer", "(array)",
                  "The address of a contiguous array, for a C function or a function from "
                  "cuda.declare_device. `ffi` is a cffi.FFI().",
                  typeFromBuffer,
                  [](CallEmission &c) { return Parts{c.e.parts(*c.argument(0))[0]}; }}),
    onAllTargets({"heddle.carray", "(ptr, shape, dtype=)",
                  "The memory at a pointer as an array of this shape, in C order.",
                  typeArrayFromPointer<Layout::C>, emitArrayFromPointer<Layout::C>}),
    onAllTargets({"heddle.farray", "(ptr, shape, dtype=)",
                  "The memory at a pointer as an array of this shape, in Fortran order.",
                  typeArrayFromPointer<Layout::F>, emitArrayFromPointer<Layout::F>}),
};

} // namespace

llvm::ArrayRef<LibraryRow> pointerLibrary() { return table; }

} // namespace heddle::python
