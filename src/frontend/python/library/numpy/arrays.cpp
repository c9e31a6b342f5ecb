// Array methods, and NumPy functions that reinterpret an array's memory with another shape.

#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/typing_rules.h"

#include <algorithm>
#include <numeric>

namespace heddle::python {
namespace {

/// The type of argument 0, which must be an array.
Type requireArray(CallTyping &t) {
  if (!t.type(0).isArray())
    t.failAt(0, std::string(t.row().displayName()) + " takes an array, not " + t.type(0).name());
  return t.type(0);
}

/// True if the elements are contiguous in C order.
bool isDense(Type array) {
  return array->layout == Layout::C || array->ndim == 0 ||
         (array->ndim == 1 && array->layout == Layout::F);
}

Type requireDenseArray(CallTyping &t, const char *what) {
  Type array = requireArray(t);
  if (!isDense(array))
    t.failAt(
        0, std::string(what) + " of an array that is not C-contiguous would be a copy",
        t.rules().plural +
            " cannot allocate arrays: index the elements in loops, or pass a contiguous array");
  return array;
}

// The new shape: integers, or one tuple of them, from argument `first` on.

struct Extents {
  std::vector<Type> types;
  bool areArguments; ///< each extent is an argument instead of an element of a tuple
};

Extents requireShapeArguments(CallTyping &t, unsigned first) {
  Extents e{{}, true};
  bool tuple = t.argumentCount() == first + 1 && t.type(first).isTuple();
  if (tuple)
    e = {t.type(first)->elements, false};
  else
    for (unsigned i = first; i < t.argumentCount(); ++i)
      e.types.push_back(t.type(i));
  for (size_t i = 0; i < e.types.size(); ++i)
    if (!e.types[i].isInteger())
      t.failAt(tuple ? first : first + i, "a shape is made of integers, not " + e.types[i].name());
  return e;
}

Parts emitExtents(CallEmission &c, unsigned first) {
  Parts out;
  for (unsigned i = first; i < c.argumentCount(); ++i) {
    Value &v = *c.argument(i);
    if (!v.type.isTuple()) {
      out.push_back(c.scalar(i, int64Type()));
      continue;
    }
    Parts parts = c.e.parts(v);
    for (size_t k = 0; k < parts.size(); ++k)
      out.push_back(cast(c.e, parts[k], v.type->elements[k], int64Type()));
  }
  return out;
}

/// A contiguous array in C order.
Parts contiguousArrayParts(CallEmission &c, llvm::Value *pointer, const Parts &extents,
                           Type element) {
  Parts out{pointer};
  out.append(extents.begin(), extents.end());
  Parts strides(extents.size());
  llvm::Value *stride = c.e.int64(element->bytes());
  for (size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride = c.b.CreateNSWMul(stride, extents[axis]);
  }
  out.append(strides.begin(), strides.end());
  return out;
}

llvm::Value *emitProduct(CallEmission &c, llvm::ArrayRef<llvm::Value *> extents) {
  llvm::Value *result = c.e.int64(1);
  for (llvm::Value *extent : extents)
    result = c.b.CreateMul(result, extent);
  return result;
}

llvm::Value *emitArraySize(CallEmission &c) {
  Parts parts = c.e.parts(*c.argument(0));
  return emitProduct(c, llvm::ArrayRef(parts).slice(1, c.argument(0)->type->ndim));
}

Type contiguousArrayType(Type array, unsigned ndim) {
  ArrayTraits traits = traitsOfArray(array);
  traits.layout = Layout::C;
  return arrayType(array->element, ndim, traits);
}

Type typeReshape(CallTyping &t) {
  Type array = requireDenseArray(t, "reshape()");
  Extents extents = requireShapeArguments(t, 1);
  unsigned unknown = 0;
  for (unsigned i = 0; i < extents.types.size() && extents.areArguments; ++i) {
    const Constant *c = t.constant(1 + i);
    unknown += c && c->integer == -1;
    if (c && c->integer < -1)
      t.failAt(1 + i, "an extent cannot be negative",
               "-1 stands for the extent that the others leave");
  }
  if (unknown > 1)
    t.fail("reshape() can compute only one extent", "write -1 once");
  return contiguousArrayType(array, extents.types.size());
}
/// An extent of -1 is computed from the size and the other extents.
Parts emitReshape(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  Parts extents = emitExtents(c, 1);
  llvm::Value *size = emitArraySize(c), *known = c.e.int64(1), *unknown = c.e.int64(0);
  llvm::SmallVector<llvm::Value *, 4> open;
  for (llvm::Value *extent : extents) {
    open.push_back(b.CreateICmpEQ(extent, c.e.int64(-1)));
    known = b.CreateMul(known, b.CreateSelect(open.back(), c.e.int64(1), extent));
    unknown = b.CreateAdd(unknown, b.CreateZExt(open.back(), b.getInt64Ty()));
  }
  llvm::Value *rest =
      b.CreateUDiv(size, b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, known, c.e.int64(1)));
  llvm::Value *wrong = b.CreateICmpUGT(unknown, c.e.int64(1));
  for (size_t i = 0; i < extents.size(); ++i) {
    extents[i] = b.CreateSelect(open[i], rest, extents[i]);
    wrong = b.CreateOr(wrong, b.CreateICmpSLT(extents[i], c.e.int64(0)));
  }
  wrong = b.CreateOr(wrong, b.CreateICmpNE(emitProduct(c, extents), size));
  c.e.trapIf(wrong, c.call.span, "ValueError",
             "cannot reshape: the new shape and the array have different numbers of elements");
  return contiguousArrayParts(c, c.e.parts(*c.argument(0))[0], extents, c.call.type->element);
}

Type typeRavel(CallTyping &t) { return contiguousArrayType(requireDenseArray(t, "ravel()"), 1); }
Parts emitRavel(CallEmission &c) {
  return contiguousArrayParts(c, c.e.parts(*c.argument(0))[0], {emitArraySize(c)},
                              c.call.type->element);
}

Type rejectFlatten(CallTyping &t) {
  t.failAt(0, "flatten() makes a new array, which " + t.rules().plural + " do not",
           "ravel() is a view of the array");
}
Parts emitNothingForFlatten(CallEmission &) { return {}; }

// Order of the axes.

/// The integers of a constant argument: a single integer or a tuple.
std::vector<int64_t> requireConstantIntegers(CallTyping &t, unsigned i) {
  const Constant *c = t.constant(i);
  std::vector<Constant> items;
  if (c && c->kind == ConstantKind::Tuple)
    items = c->items;
  else if (c)
    items = {*c};
  std::vector<int64_t> out;
  for (const Constant &item : items)
    if (item.kind == ConstantKind::Int)
      out.push_back(item.integer);
  if (!c || out.size() != items.size())
    t.failAt(i, "axes must be constant integers", "they decide the type of the view");
  return out;
}

/// Converts `axis`, possibly negative, to an index from the front.
unsigned normalizeAxis(CallTyping &t, unsigned argument, int64_t axis, unsigned ndim) {
  int64_t wrapped = axis < 0 ? axis + int64_t(ndim) : axis;
  if (wrapped < 0 || wrapped >= int64_t(ndim))
    t.failAt(argument, "axis " + std::to_string(axis) + " is out of bounds for " +
                           std::to_string(ndim) + (ndim == 1 ? " dimension" : " dimensions"));
  return wrapped;
}

using Order = std::vector<unsigned>;

Order reversedOrder(unsigned n) {
  Order order(n);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

/// For each axis of the result, the corresponding axis of the array, from the arguments after the array.
Order parseTransposition(CallTyping &t, unsigned ndim) {
  std::vector<int64_t> axes;
  bool given = t.argumentCount() > 1 && !t.type(1).is(TypeKind::None);
  for (unsigned i = 1; given && i < t.argumentCount(); ++i)
    for (int64_t axis : requireConstantIntegers(t, i))
      axes.push_back(axis);
  if (!given)
    return reversedOrder(ndim);
  Order order;
  for (int64_t axis : axes)
    order.push_back(normalizeAxis(t, 1, axis, ndim));
  Order sorted = order;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (order.size() != ndim || sorted.size() != ndim)
    t.fail("the axes of transpose() must name each of the array's " + std::to_string(ndim) +
           (ndim == 1 ? " dimension" : " dimensions") + " once");
  return order;
}

Order parseSwappedAxes(CallTyping &t, unsigned ndim) {
  Order order(ndim);
  std::iota(order.begin(), order.end(), 0);
  unsigned places[2];
  for (unsigned i : {0, 1}) {
    std::vector<int64_t> axis = requireConstantIntegers(t, i + 1);
    if (axis.size() != 1)
      t.failAt(i + 1, "this argument is one axis");
    places[i] = normalizeAxis(t, i + 1, axis[0], ndim);
  }
  std::swap(order[places[0]], order[places[1]]);
  return order;
}

template <Order (*orderOf)(CallTyping &, unsigned)> Type typeWithReorderedAxes(CallTyping &t) {
  Type array = requireArray(t);
  Order order = orderOf(t, array->ndim);
  ArrayTraits traits = traitsOfArray(array);
  bool same = std::is_sorted(order.begin(), order.end());
  if (!same && order == reversedOrder(array->ndim) && traits.layout != Layout::Any)
    traits.layout = traits.layout == Layout::C ? Layout::F : Layout::C;
  else if (!same)
    traits.layout = Layout::Any;
  return arrayType(array->element, array->ndim, traits);
}
template <Order (*orderOf)(CallTyping &, unsigned)> Parts emitWithReorderedAxes(CallEmission &c) {
  CallTyping typing(c.e.function(), c.call, c.row);
  unsigned n = c.call.type->ndim;
  Parts from = c.e.parts(*c.argument(0)), out{from[0]};
  Order order = orderOf(typing, n);
  for (unsigned axis : order)
    out.push_back(from[1 + axis]);
  for (unsigned axis : order)
    out.push_back(from[1 + n + axis]);
  return out;
}

Type typeExpandDims(CallTyping &t) {
  Type array = requireArray(t);
  std::vector<int64_t> axis = requireConstantIntegers(t, 1);
  if (axis.size() != 1)
    t.failAt(1, "this argument is one axis");
  normalizeAxis(t, 1, axis[0], array->ndim + 1);
  return arrayType(array->element, array->ndim + 1, traitsOfArray(array));
}
Parts emitExpandDims(CallEmission &c) {
  Parts out = c.e.parts(*c.argument(0));
  unsigned n = c.call.type->ndim;
  int64_t axis = c.argument(1)->constant->integer;
  axis += axis < 0 ? n : 0;
  // The stride first, because it comes later in the parts.
  out.insert(out.begin() + n + axis, c.e.int64(0));
  out.insert(out.begin() + 1 + axis, c.e.int64(1));
  return out;
}

// Reverses some axes.

enum Flip { EveryAxis, FirstAxis, SecondAxis };
Type typeFlip(CallTyping &t) {
  Type array = requireArray(t);
  if (Flip(t.row().data) != EveryAxis && array->ndim < t.row().data)
    t.failAt(0, std::string(t.row().displayName()) + " takes an array of " +
                    std::to_string(t.row().data) + " or more dimensions");
  ArrayTraits traits = traitsOfArray(array);
  traits.layout = Layout::Any;
  return arrayType(array->element, array->ndim, traits);
}
Parts emitFlip(CallEmission &c) {
  Parts out = c.e.parts(*c.argument(0));
  unsigned n = c.call.type->ndim, which = c.row.data;
  for (unsigned axis = 0; axis < n; ++axis) {
    if (which != EveryAxis && axis + 1 != which)
      continue;
    llvm::Value *extent = out[1 + axis], *&stride = out[1 + n + axis];
    llvm::Value *last = c.b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smax, c.b.CreateSub(extent, c.e.int64(1)), c.e.int64(0));
    out[0] = c.b.CreatePtrAdd(out[0], c.b.CreateMul(last, stride));
    stride = c.b.CreateNeg(stride);
  }
  return out;
}

Type typeBroadcast(CallTyping &t) {
  Type array = requireArray(t);
  if (!t.type(1).isTuple() && !t.type(1).isInteger())
    t.failAt(1, "a shape is an integer or a tuple of integers, not " + t.type(1).name());
  unsigned ndim = requireShapeArguments(t, 1).types.size();
  if (ndim < array->ndim)
    t.failAt(1, "the shape has fewer dimensions than the array");
  ArrayTraits traits = traitsOfArray(array);
  traits.layout = Layout::Any;
  traits.readOnly = true;
  return arrayType(array->element, ndim, traits);
}
Parts emitBroadcast(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  Parts extents = emitExtents(c, 1), from = c.e.parts(*c.argument(0)), strides;
  unsigned n = extents.size(), rank = c.argument(0)->type->ndim;
  llvm::Value *wrong = b.getFalse();
  for (unsigned axis = 0; axis < n; ++axis) {
    wrong = b.CreateOr(wrong, b.CreateICmpSLT(extents[axis], c.e.int64(0)));
    if (axis + rank < n) {
      strides.push_back(c.e.int64(0));
      continue;
    }
    unsigned own = axis + rank - n;
    llvm::Value *extent = from[1 + own];
    llvm::Value *repeated = b.CreateICmpEQ(extent, c.e.int64(1));
    strides.push_back(b.CreateSelect(repeated, c.e.int64(0), from[1 + rank + own]));
    llvm::Value *differs = b.CreateICmpNE(extent, extents[axis]);
    wrong = b.CreateOr(wrong, b.CreateAnd(b.CreateNot(repeated), differs));
  }
  c.e.trapIf(wrong, c.call.span, "ValueError", "cannot broadcast the array to this shape");
  Parts out{from[0]};
  out.append(extents);
  out.append(strides);
  return out;
}

// Reinterprets the bytes as another element type.

Type typeView(CallTyping &t) {
  Type array = requireArray(t);
  const Constant *c = t.constant(1);
  if (!c || c->kind != ConstantKind::Type || !c->type.canBeArrayElement())
    t.failAt(1, "view() takes a type known at compile time",
             "write np.int32 or another array's dtype");
  Type element = c->type;
  if (element->bytes() == array->element->bytes())
    return arrayType(element, array->ndim, traitsOfArray(array));
  if (array->ndim == 0)
    t.failAt(0, "view() with elements of another size needs an array of one dimension or more");
  Type view = isDense(array) ? contiguousArrayType(array, array->ndim) : array;
  ArrayTraits traits = traitsOfArray(view);
  if (!isDense(array))
    traits.layout = Layout::Any;
  return arrayType(element, view->ndim, traits);
}
Parts emitView(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  Type from = c.argument(0)->type, element = c.call.type->element;
  Parts parts = c.e.parts(*c.argument(0));
  unsigned n = from->ndim;
  int64_t before = from->element->bytes(), after = element->bytes();
  if (c.call.type->elementAlignment() > from->elementAlignment()) {
    llvm::Value *address = b.CreatePtrToInt(
        b.CreateAddrSpaceCast(parts[0], b.getPtrTy(simt::Generic)), b.getInt64Ty());
    llvm::Value *off = b.CreateAnd(address, c.e.int64(element->alignment() - 1));
    c.e.trapIf(b.CreateICmpNE(off, c.e.int64(0)), c.call.span, "ValueError",
               "view() of memory that is not aligned for " + element.name());
  }
  if (before == after)
    return parts;
  Parts extents(parts.begin() + 1, parts.begin() + 1 + n);
  if (!isDense(from)) {
    llvm::Value *apart = b.CreateICmpNE(parts[2 * n], c.e.int64(before));
    c.e.trapIf(b.CreateAnd(apart, b.CreateICmpSGT(extents[n - 1], c.e.int64(1))), c.call.span,
               "ValueError",
               "view() with elements of another size needs a contiguous last dimension");
  }
  llvm::Value *bytes = b.CreateNSWMul(extents[n - 1], c.e.int64(before));
  if (after > before)
    c.e.trapIf(b.CreateICmpNE(b.CreateURem(bytes, c.e.int64(after)), c.e.int64(0)), c.call.span,
               "ValueError",
               "view() as " + element.name() +
                   ": the last dimension is not a whole number of elements");
  extents[n - 1] = b.CreateUDiv(bytes, c.e.int64(after));
  if (isDense(from))
    return contiguousArrayParts(c, parts[0], extents, element);
  parts[n] = extents[n - 1];
  parts[2 * n] = c.e.int64(after);
  return parts;
}

// Queries about an array.

Type typeShape(CallTyping &t) {
  return tupleType(std::vector<Type>(requireArray(t)->ndim, int64Type()));
}
Parts emitShape(CallEmission &c) {
  Parts parts = c.e.parts(*c.argument(0));
  return Parts(parts.begin() + 1, parts.begin() + 1 + c.argument(0)->type->ndim);
}
Type typeSize(CallTyping &t) {
  requireArray(t);
  return int64Type();
}
Parts emitSize(CallEmission &c) { return {emitArraySize(c)}; }
Type typeNdim(CallTyping &t) {
  t.call().constant = Constant::ofInt(requireArray(t)->ndim);
  return int64Type();
}
Parts emitNdim(CallEmission &c) { return c.e.parts(c.call); }

constexpr LibraryRow rows[] = {
    asUnlisted({"array.reshape", "(self, *shape)",
                "A view of a C-contiguous array with another shape. The extent -1 is computed from "
                "the others.",
                typeReshape, emitReshape}),
    asUnlisted({"array.ravel", "(self)", "A one-dimensional view of a C-contiguous array.",
                typeRavel, emitRavel}),
    {"array.flatten", "(self)", "Refused, because it would copy: use ravel().", rejectFlatten,
     emitNothingForFlatten},
    asUnlisted({"array.transpose", "(self, *axes)",
                "A view with the dimensions in the order of the axes, which are constants; by "
                "default in reverse order.",
                typeWithReorderedAxes<parseTransposition>,
                emitWithReorderedAxes<parseTransposition>}),
    asUnlisted({"array.view", "(self, dtype)", "A view of the same bytes as another type.",
                typeView, emitView}),
    asUnlisted({"numpy.reshape", "(a, shape)", "a.reshape(shape).", typeReshape, emitReshape}),
    asUnlisted({"numpy.ravel", "(a)", "a.ravel().", typeRavel, emitRavel}),
    asUnlisted({"numpy.transpose", "(a, axes=)", "a.transpose(axes).",
                typeWithReorderedAxes<parseTransposition>,
                emitWithReorderedAxes<parseTransposition>}),
    asUnlisted({"numpy.swapaxes", "(a, axis1, axis2)",
                "A view with two axes exchanged. The axes are constants.",
                typeWithReorderedAxes<parseSwappedAxes>, emitWithReorderedAxes<parseSwappedAxes>}),
    asUnlisted({"numpy.expand_dims", "(a, axis)",
                "A view with a new dimension of extent 1 at an axis, a constant.", typeExpandDims,
                emitExpandDims}),
    asUnlisted({"numpy.flip", "(a)", "A view with every dimension reversed.", typeFlip, emitFlip,
                EveryAxis}),
    asUnlisted({"numpy.flipud", "(a)", "A view with the first dimension reversed.", typeFlip,
                emitFlip, FirstAxis}),
    asUnlisted({"numpy.fliplr", "(a)", "A view with the second dimension reversed.", typeFlip,
                emitFlip, SecondAxis}),
    asUnlisted({"numpy.broadcast_to", "(a, shape)",
                "A read-only view that repeats dimensions of extent 1.", typeBroadcast,
                emitBroadcast}),
    asUnlisted({"numpy.shape", "(a)", "a.shape.", typeShape, emitShape, 0, true}),
    asUnlisted({"numpy.size", "(a)", "a.size.", typeSize, emitSize, 0, true}),
    asUnlisted({"numpy.ndim", "(a)", "a.ndim.", typeNdim, emitNdim, 0, true}),
};

} // namespace

llvm::ArrayRef<LibraryRow> arrayLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
