// Functions of single elements, or of all elements of an array: a.fill(x), a.item(), np.take, np.trace, np.ptp,
// np.array_equal.

#include "frontend/python/emit/arrays/elements.h"
#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/arrays/assign_elements.h"
#include "frontend/python/emit/arrays/index_error.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/typing_rules.h"

namespace heddle::python {
namespace {

Type requireArray(CallTyping &t, unsigned i = 0) {
  if (!t.type(i).isArray())
    t.failAt(i, std::string(t.row().displayName()) + " takes an array, not " + t.type(i).name());
  return t.type(i);
}

/// The type of argument `i`, which must be an array of numbers.
Type requireNumericArray(CallTyping &t, unsigned i = 0) {
  Type array = requireArray(t, i);
  if (!array->element.isScalar() && !array->element.isComplex())
    t.failAt(i, std::string(t.row().displayName()) + " takes arrays of numbers, not of " +
                    array->element.name());
  return array;
}

// Functions of all elements.

Type typeFill(CallTyping &t) {
  Type array = requireArray(t);
  if (array->readOnly)
    t.failAt(0, "cannot write to a read-only array", "pass an array whose flags.writeable is True");
  if (t.type(1).isTuple() || !isStorable(t.type(1), array->element))
    t.failAt(1, "cannot fill " + array.name() + " with " + t.type(1).name());
  return noneType();
}
Parts emitFill(CallEmission &c) {
  Value &array = *c.argument(0);
  Type element = array.type->element;
  assignElements(
      c.e, {array.type, c.e.parts(array), &array}, {c.argument(1)},
      [&](Emitter &at, llvm::ArrayRef<Value *> v) {
        Parts parts = at.parts(*v[0]);
        return element.isRecord() ? parts : convert(at, parts, v[0]->type, element);
      },
      c.call.span);
  return {};
}

// Functions of one element.

Type typeItem(CallTyping &t) { return elementOf(requireArray(t)); }
Parts emitItem(CallEmission &c) {
  ElementsOf elements(c.e, *c.argument(0));
  c.e.trapIf(c.b.CreateICmpNE(elements.size(), c.e.int64(1)), c.call.span, "ValueError",
             "item() of an array that does not have exactly one element");
  return elements.first();
}

Type typeTake(CallTyping &t) {
  Type array = requireArray(t);
  if (array->ndim == 0)
    t.failAt(0, "take() of a zero-dimensional array");
  if (t.type(1).isArray() || t.type(1).isTuple())
    t.failAt(1,
             "take() of several elements makes a new array, which " + t.rules().plural + " do not",
             "take one element for each, in a loop");
  t.requireInteger(1);
  return elementOf(array);
}
/// The element with a number in index order; negative numbers count from the end.
Parts emitTake(CallEmission &c) {
  ElementsOf elements(c.e, *c.argument(0));
  llvm::Value *given = c.scalar(1, int64Type()), *size = elements.size();
  llvm::Value *i = c.argument(1)->type.isSigned() ? c.e.wrapNegativeIndex(given, size) : given;
  if (c.e.checks().bounds)
    c.e.checkIndex(given, i, size, c.call.span,
                   std::string("take() of element ") + indexPlaceholder(c.argument(1)->type) +
                       ": the array has {extent} elements");
  return elements.elementInOrder(i);
}

// Results computed from elements.

Type typeTrace(CallTyping &t) {
  Type array = requireNumericArray(t);
  if (array->ndim != 2)
    t.failAt(0, "np.trace takes an array of two dimensions, not " + array.name());
  if (t.argument(1))
    t.requireInteger(1);
  Type sum = binaryType(BinaryOp::Add, int64Type(), array->element);
  return unify(sum, binaryType(BinaryOp::Add, sum, array->element));
}
Parts emitTrace(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  Value &array = *c.argument(0);
  Type element = array.type->element, type = c.call.type;
  Parts all = c.e.parts(array);
  ArrayParts a{all, 2};
  llvm::Value *nil = c.e.int64(0);
  llvm::Value *offset = c.argument(1) ? c.scalar(1, int64Type()) : nil;
  auto atLeastNil = [&](llvm::Value *v) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v, nil);
  };
  llvm::Value *row = atLeastNil(b.CreateNeg(offset)), *column = atLeastNil(offset);
  llvm::Value *count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(a.extent(0), row),
                                               b.CreateSub(a.extent(1), column));
  Variable sum(c.e, convert(c.e, {nil}, int64Type(), type));
  c.e.emitLoop(count, [&](llvm::Value *i) {
    llvm::Value *bytes = b.CreateAdd(b.CreateMul(b.CreateAdd(row, i), a.stride(0)),
                                     b.CreateMul(b.CreateAdd(column, i), a.stride(1)));
    Parts v = loadElement(c.e, b.CreatePtrAdd(a.pointer(), bytes), element,
                          llvm::Align(array.type->elementAlignment()));
    Parts next = convert(c.e, v, element, type), old = sum.get();
    for (size_t k = 0; k < next.size(); ++k)
      next[k] = type.isInteger() ? b.CreateAdd(old[k], next[k]) : b.CreateFAdd(old[k], next[k]);
    sum.set(next);
  });
  return sum.get();
}

Type typePtp(CallTyping &t) {
  Type element = requireNumericArray(t)->element;
  if (element.isComplex() || element.isBool())
    t.failAt(0, "np.ptp takes arrays of real numbers, not of " + element.name());
  bool isUnsigned = element.isInteger() && !element.isSigned(); // numba converts these to floats
  return element.isFloat() || isUnsigned ? float64Type()
                                         : binaryType(BinaryOp::Sub, element, element);
}
/// The difference of the largest and the smallest element; NaN if any element is NaN.
Parts emitPtp(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  Type element = c.argument(0)->type->element, type = c.call.type;
  ElementsOf elements(c.e, *c.argument(0));
  c.e.trapIf(b.CreateICmpEQ(elements.size(), c.e.int64(0)), c.call.span, "ValueError",
             "np.ptp of an array without elements");
  Parts first = elements.first();
  Variable low(c.e, first), high(c.e, first), isNan(c.e, {b.getFalse()});
  elements.forEach([&](const Parts &v, llvm::Value *) {
    low.assignIf(compare(c.e, CompareOp::Lt, v[0], element, low.get()[0], element), v);
    high.assignIf(compare(c.e, CompareOp::Gt, v[0], element, high.get()[0], element), v);
    if (element.isFloat())
      isNan.set({b.CreateOr(isNan.get()[0], b.CreateFCmpUNO(v[0], v[0]))});
  });
  if (type.isFloat() && !element.isFloat())
    return {cast(c.e, b.CreateSub(high.get()[0], low.get()[0]), element, type)};
  if (!element.isFloat())
    return {b.CreateSub(cast(c.e, high.get()[0], element, type),
                        cast(c.e, low.get()[0], element, type))};
  llvm::Value *reach = cast(c.e, b.CreateFSub(high.get()[0], low.get()[0]), element, type);
  return {b.CreateSelect(isNan.get()[0], llvm::ConstantFP::getNaN(reach->getType()), reach)};
}

bool isNumber(Type t) { return t.isScalar() || t.isComplex(); }

Type typeArrayEqual(CallTyping &t) {
  for (unsigned i : {0, 1})
    if (!isNumber(t.type(i)))
      requireNumericArray(t, i);
  return boolType();
}
/// True for arrays of the same shape with equal elements. A number has zero dimensions.
Parts emitArrayEqual(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  Value &x = *c.argument(0), &y = *c.argument(1);
  auto rank = [](Value &v) { return v.type.isArray() ? v.type->ndim : 0; };
  if (rank(x) != rank(y))
    return {b.getFalse()};
  auto element = [](Value &v) { return v.type.isArray() ? v.type->element : v.type; };
  auto equal = [&](const Parts &p, const Parts &q) {
    return emitEqualNumbers(c.e, p, element(x), q, element(y));
  };
  auto only = [&](Value &v) {
    return v.type.isArray() ? ElementsOf(c.e, v).first() : c.e.parts(v);
  };
  if (rank(x) == 0)
    return {equal(only(x), only(y))};
  ElementsOf left(c.e, x), right(c.e, y);
  llvm::Value *sameShape = b.getTrue();
  for (unsigned axis = 0; axis < rank(x); ++axis)
    sameShape = b.CreateAnd(sameShape, b.CreateICmpEQ(left.extent(axis), right.extent(axis)));
  Variable result(c.e, {sameShape});
  c.e.emitLoop(b.CreateSelect(sameShape, left.size(), c.e.int64(0)), [&](llvm::Value *i) {
    result.set(
        {b.CreateAnd(result.get()[0], equal(left.elementInOrder(i), right.elementInOrder(i)))});
  });
  return result.get();
}

constexpr LibraryRow rows[] = {
    asUnlisted(withWrites({"array.fill", "(self, value)",
                           "Sets every element to the value, converted to the array's dtype.",
                           typeFill, emitFill},
                          "self")),
    asUnlisted({"array.item", "(self)",
                "The only element of an array of size 1. Raises ValueError for other sizes.",
                typeItem, emitItem}),
    asUnlisted({"array.take", "(self, index)", "The element with this index in C order.", typeTake,
                emitTake}),
    asUnlisted({"numpy.take", "(a, index)", "a.take(index).", typeTake, emitTake}),
    asUnlisted({"numpy.trace", "(a, offset=)", "The sum of a diagonal of a 2-D array.", typeTrace,
                emitTrace}),
    asUnlisted({"numpy.ptp", "(a)",
                "The largest element minus the smallest. Raises ValueError for an empty array.",
                typePtp, emitPtp}),
    asUnlisted({"numpy.array_equal", "(a, b)",
                "True if two arrays have the same shape and equal elements.", typeArrayEqual,
                emitArrayEqual}),
};

} // namespace

llvm::ArrayRef<LibraryRow> elementLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
