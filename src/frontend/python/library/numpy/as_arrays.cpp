// NumPy functions that return another view of an array: np.asarray, np.atleast_2d, np.real and so on.

#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/calls_as_operators.h"
#include "frontend/python/rows/dtypes.h"
#include "frontend/python/rows/typing_rules.h"

namespace heddle::python {
namespace {

Type requireArray(CallTyping &t) {
  if (!t.type(0).isArray())
    t.failAt(0, std::string(t.row().displayName()) + " takes an array, not " + t.type(0).name(),
             "cuda.local.array(n, dtype) makes an array of a thread");
  return t.type(0);
}

Type withLayout(Type array, Layout layout) {
  ArrayTraits traits = traitsOfArray(array);
  traits.layout = layout;
  traits.ofBytes = false;
  return arrayType(array->element, array->ndim, traits);
}

Parts emitFirstArgument(CallEmission &c) { return c.e.parts(*c.argument(0)); }

// np.asarray and similar functions return the array, unless that requires a copy.

Type typeAsArray(CallTyping &t) {
  Type array = requireArray(t);
  if (t.argument(1) && !t.type(1).is(TypeKind::None) && parseDtype(t, 1) != array->element)
    t.failAt(1, "an array of other elements would be a copy", "convert the elements one by one");
  return withLayout(array, array->layout);
}

template <Layout layout> Type typeContiguous(CallTyping &t) {
  Type array = requireArray(t);
  bool isBoth = array->ndim <= 1 && array->layout != Layout::Any;
  if (array->layout != layout && !isBoth && array->ndim > 0)
    t.failAt(0, std::string(t.row().displayName()) + " of this array would be a copy",
             t.rules().plural + " cannot allocate arrays: pass an array in that order");
  return withLayout(array, layout);
}

/// The number of dimensions with extent 1 to add before and after the array's dimensions.
struct Added {
  unsigned before, after;
};
Added countAddedDimensions(Type array, unsigned least) {
  unsigned missing = array->ndim < least ? least - array->ndim : 0;
  bool threeOfLess = least == 3 && missing > 0;
  unsigned after = threeOfLess ? 1 : 0; // as in NumPy: (n,) becomes (1, n, 1)
  return {missing - std::min(missing, after), std::min(missing, after)};
}
Type typeAtLeast(CallTyping &t) {
  Type array = requireArray(t);
  unsigned ndim = std::max(array->ndim, t.row().data);
  ArrayTraits traits = traitsOfArray(array);
  if (ndim > array->ndim && traits.layout == Layout::F)
    traits.layout = array->ndim == 1 ? Layout::C : Layout::Any;
  return arrayType(array->element, ndim, traits);
}
Parts emitAtLeast(CallEmission &c) {
  Type from = c.argument(0)->type;
  Added added = countAddedDimensions(from, c.row.data);
  Parts all = c.e.parts(*c.argument(0)), out{all[0]};
  auto dimensions = [&](llvm::ArrayRef<llvm::Value *> own, int64_t fill) {
    out.append(added.before, c.e.int64(fill));
    out.append(own.begin(), own.end());
    out.append(added.after, c.e.int64(fill));
  };
  llvm::ArrayRef<llvm::Value *> parts = all;
  dimensions(parts.slice(1, from->ndim), 1);
  dimensions(parts.slice(1 + from->ndim, from->ndim), from->element->bytes());
  return out;
}

// Parts of complex numbers: attributes of arrays and of numbers.

enum Part { RealPart, ImaginaryPart };
Type typeRealOrImaginaryPart(CallTyping &t) {
  if (!t.type(0).isArray())
    t.requireNumber(0);
  std::string name = Part(t.row().data) == RealPart ? "real" : "imag";
  bool isBool = t.type(0).isBool();
  if (isBool) // bools have no attributes
    return boolType();
  replaceWithOperator(t, Opcode::Attribute, 0, {t.argument(0)}, {t.spanOf(0)});
  t.call().name = std::move(name);
  return {};
}
Parts emitRealOrImaginaryPartOfBool(CallEmission &c) {
  return {Part(c.row.data) == RealPart ? c.scalar(0, boolType()) : c.b.getFalse()};
}

// Other views of memory.

Type typeFromBuffer(CallTyping &t) {
  Type array = requireArray(t), element = t.argument(1) ? parseDtype(t, 1) : float64Type();
  if (array->layout == Layout::Any && array->ndim > 0)
    t.failAt(0, "np.frombuffer takes a contiguous array", "pass a contiguous array");
  ArrayTraits traits = traitsOfArray(array);
  traits.layout = Layout::C;
  traits.ofBytes = false;
  traits.packed = array->elementAlignment() < element->alignment() || t.argument(3);
  for (unsigned i : {2, 3})
    if (t.argument(i))
      t.requireInteger(i);
  return arrayType(element, 1, traits);
}
Parts emitFromBuffer(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  Type from = c.argument(0)->type;
  Parts all = c.e.parts(*c.argument(0));
  llvm::Value *bytes = c.e.int64(from->element->bytes()),
              *size = c.e.int64(c.call.type->element->bytes());
  for (unsigned axis = 0; axis < from->ndim; ++axis)
    bytes = b.CreateMul(bytes, all[1 + axis]);
  llvm::Value *start = all[0], *count = nullptr;
  if (c.argument(3)) {
    llvm::Value *offset = c.scalar(3, int64Type());
    c.e.trapIf(b.CreateICmpUGT(offset, bytes), c.call.span, "ValueError",
               "np.frombuffer: offset must be non-negative and no greater than buffer length");
    start = b.CreatePtrAdd(start, offset);
    bytes = b.CreateSub(bytes, offset);
  }
  llvm::Value *isPartial = b.CreateICmpNE(b.CreateURem(bytes, size), c.e.int64(0));
  llvm::Value *whole = b.CreateUDiv(bytes, size);
  if (c.argument(2)) {
    count = c.scalar(2, int64Type());
    llvm::Value *isGiven = b.CreateICmpSGE(count, c.e.int64(0));
    c.e.trapIf(b.CreateICmpSGT(count, whole), c.call.span, "ValueError",
               "np.frombuffer: buffer is smaller than requested size");
    isPartial = b.CreateAnd(isPartial, b.CreateNot(isGiven));
    count = b.CreateSelect(isGiven, count, whole);
  }
  c.e.trapIf(isPartial, c.call.span, "ValueError",
             "np.frombuffer: the array is not a whole number of elements of " +
                 c.call.type->element.name());
  return {start, count ? count : whole, size};
}

/// The integers of a shape or of strides: a single integer or a tuple.
std::vector<Type> requireIntegers(CallTyping &t, unsigned i) {
  std::vector<Type> types =
      t.type(i).isTuple() ? t.type(i)->elements : std::vector<Type>{t.type(i)};
  for (Type type : types)
    if (!type.isInteger())
      t.failAt(i, "this takes integers, not " + t.type(i).name());
  return types;
}
Type typeAsStrided(CallTyping &t) {
  Type array = requireArray(t);
  size_t ndim = requireIntegers(t, 1).size();
  if (requireIntegers(t, 2).size() != ndim)
    t.failAt(2, "the shape and the strides have different lengths");
  ArrayTraits traits = traitsOfArray(array);
  traits.layout = Layout::Any;
  return arrayType(array->element, ndim, traits);
}
Parts emitAsStrided(CallEmission &c) {
  Parts out{c.e.parts(*c.argument(0))[0]};
  for (unsigned i : {1, 2}) {
    Value &v = *c.argument(i);
    Parts parts = c.e.parts(v);
    for (size_t k = 0; k < parts.size(); ++k)
      out.push_back(
          cast(c.e, parts[k], v.type.isTuple() ? v.type->elements[k] : v.type, int64Type()));
  }
  return out;
}

constexpr LibraryRow rows[] = {
    asUnlisted({"numpy.asarray", "(a, dtype=)", "Returns the array unchanged.", typeAsArray,
                emitFirstArgument}),
    asUnlisted({"numpy.ascontiguousarray", "(a)", "Returns a C-contiguous array unchanged.",
                typeContiguous<Layout::C>, emitFirstArgument}),
    asUnlisted({"numpy.asfortranarray", "(a)", "Returns a Fortran-contiguous array unchanged.",
                typeContiguous<Layout::F>, emitFirstArgument}),
    asUnlisted({"numpy.atleast_1d", "(a)", "A view with at least one dimension.", typeAtLeast,
                emitAtLeast, 1}),
    asUnlisted({"numpy.atleast_2d", "(a)", "A view with at least two dimensions.", typeAtLeast,
                emitAtLeast, 2}),
    asUnlisted({"numpy.atleast_3d", "(a)", "A view with at least three dimensions.", typeAtLeast,
                emitAtLeast, 3}),
    asUnlisted({"numpy.real", "(val)", "The real part of a number or of each element of an array.",
                typeRealOrImaginaryPart, emitRealOrImaginaryPartOfBool, RealPart}),
    asUnlisted({"numpy.imag", "(val)",
                "The imaginary part of a number or of each element of an array.",
                typeRealOrImaginaryPart, emitRealOrImaginaryPartOfBool, ImaginaryPart}),
    asUnlisted({"numpy.frombuffer", "(buffer, dtype=, count=, offset=)",
                "The bytes of a contiguous array as elements of another type, float64 by default. "
                "count limits the elements; offset skips bytes.",
                typeFromBuffer, emitFromBuffer}),
    withAnyExtent(asUnlisted(
        {"numpy.lib.stride_tricks.as_strided", "(x, shape, strides)",
         "An array of any shape and strides (in bytes) over memory that starts at an array's "
         "first element.",
         typeAsStrided, emitAsStrided})),
};

} // namespace

llvm::ArrayRef<LibraryRow> asArrayLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
