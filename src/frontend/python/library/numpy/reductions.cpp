// What all elements of an array amount to: a.sum(), np.max(a), np.dot(a, b) and so on. The calling thread visits them in
// the order of their indices.

#include "frontend/python/emit/arrays/elements.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/calls_as_operators.h"
#include "frontend/python/rows/dtypes.h"

namespace heddle::python {
namespace {

enum Reduction : unsigned {
  Sum,
  Prod,
  Mean,
  Var,
  Std,
  Min,
  Max,
  ArgMin,
  ArgMax,
  Any,
  All,
  CountNonzero,
  SkipsNaN = 32, ///< added to one of the others
};

Reduction kindOf(const LibraryRow &row) { return Reduction(row.data & ~unsigned(SkipsNaN)); }
bool skipsNaN(const LibraryRow &row) { return row.data & SkipsNaN; }

/// Of argument `i`, which must be an array of numbers.
Type elementTypeOf(CallTyping &t, unsigned i) {
  std::string name(t.row().shown());
  if (!t.type(i).isArray())
    t.failAt(i, name + " takes an array, not " + t.type(i).name());
  Type element = t.type(i)->element;
  bool isNumber = (element.isScalar() && !element.isEnumMember()) || element.isComplex();
  if (!isNumber)
    t.failAt(i, name + " takes arrays of numbers, not of " + element.name(),
             element.isRecord() ? "name one field, as in a['x']" : "loop over the elements");
  return element;
}

/// The type in which elements are added up: 64 bits for integers and bools, the type itself for others.
Type typeOfTotal(Type element) {
  return element.isFloat() || element.isComplex() ? element
                                                  : intType(64, !element.is(TypeKind::UInt));
}

/// The axis of an array of one dimension, which says nothing.
void checkOnlyAxis(CallTyping &t) {
  const Constant *axis = t.constant(1);
  bool isNone = t.type(1).is(TypeKind::None);
  bool isOnly = axis && axis->kind == ConstantKind::Int && t.type(0)->ndim == 1 &&
                (axis->integer == 0 || axis->integer == -1);
  if (!isNone && !isOnly)
    t.failAt(1,
             std::string(t.row().shown()) + " along an axis makes a new array, which " +
                 t.rules().plural + " do not",
             "take it of one row at a time, as in a[i]." + std::string(t.row().lastName()) + "()");
}

/// The type that the caller wants the sum in.
Type dtypeOfTotal(CallTyping &t) {
  Type type = t.type(1).is(TypeKind::None) ? typeOfTotal(t.type(0)->element) : dtypeOf(t, 1);
  if (!(type.isNumber() || type.isComplex()) || !convertible(t.type(0)->element, type))
    t.failAt(1,
             "elements of " + t.type(0)->element.name() + " are not summed up as " + type.name());
  return type;
}

Type typeReduction(CallTyping &t) {
  Reduction kind = kindOf(t.row());
  if ((kind == Any || kind == All) && (t.type(0).isScalar() || t.type(0).isComplex())) {
    becomeOperator(t, Opcode::Truth, 0, {t.argument(0)}, {t.spanOf(0)});
    return {};
  }
  Type element = elementTypeOf(t, 0);
  if ((kind == ArgMin || kind == ArgMax) && element.isComplex())
    t.failAt(0, std::string(t.row().shown()) + " takes real numbers, not " + element.name(),
             "reduce a.real and a.imag, which are views");
  if ((kind == ArgMin || kind == ArgMax) && t.argument(1))
    checkOnlyAxis(t);
  switch (kind) {
  case Sum:
    return t.argument(1) ? dtypeOfTotal(t) : typeOfTotal(element);
  case Prod:
    return typeOfTotal(element);
  case Mean: // numba's is of the elements' type, numba.cuda's is not
    if (t.rules().makesArrays && !skipsNaN(t.row()) &&
        (element.isComplex() || (element.isFloat() && !element.isHalf())))
      return element;
    return element.isComplex() ? complexType(128) : float64Type();
  case Var:
  case Std:
    return float64Type();
  case Min:
  case Max:
    return element;
  case Any:
  case All:
    return boolType();
  default:
    return int64Type();
  }
}

/// What a total is kept in: the result's type, or float32 for a float of 16 bits.
Type typeInside(Type result) { return result.isHalf() ? float32Type() : result; }

/// `a + c` or `a * c` of two numbers of that type.
Parts combined(Emitter &e, BinaryOp op, const Parts &a, const Parts &c, Type type, Span span) {
  if (type.isComplex())
    return complexBinary(e, op, a, c, type, span);
  bool adds = op == BinaryOp::Add;
  if (type.isFloat())
    return {adds ? e.b.CreateFAdd(a[0], c[0]) : e.b.CreateFMul(a[0], c[0])};
  return {adds ? e.b.CreateAdd(a[0], c[0]) : e.b.CreateMul(a[0], c[0])};
}

Parts numberOf(Emitter &e, int v, Type type) { return convert(e, {e.int64(v)}, int64Type(), type); }

class ArrayReduction {
public:
  explicit ArrayReduction(CallEmission &c)
      : c_(c), e_(c.e), b_(c.b), element_(c.argument(0)->type->element),
        elements_(c.e, *c.argument(0)), skipsNaN_(python::skipsNaN(c.row)) {}

  Parts emit() {
    Type result = c_.call.type, inside = typeInside(result);
    switch (kindOf(c_.row)) {
    case Sum:
      return convert(e_, total(BinaryOp::Add, inside).value, inside, result);
    case Prod:
      return convert(e_, total(BinaryOp::Mul, inside).value, inside, result);
    case Mean:
      return mean(result);
    case Var:
      return {variance()};
    case Std:
      return {b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, variance())};
    case Min:
    case Max:
      return hasUnorderedExtreme() ? extremeInAnyOrder() : extreme().value;
    case ArgMin:
    case ArgMax:
      return {extreme().number};
    case Any:
    case All:
      return {anyOrAll()};
    default:
      return {countOfNonzero()};
    }
  }

private:
  struct Total {
    Parts value;
    llvm::Value *count; ///< of the elements that were taken, int64
  };
  struct Extreme {
    Parts value;
    llvm::Value *number;
  };

  llvm::Value *isNaN(const Parts &v) {
    if (element_.isComplex())
      return complexTest(e_, NumberTest::IsNan, v);
    if (!element_.isFloat())
      return b_.getFalse();
    llvm::Value *wide = element_.isHalf() ? cast(e_, v[0], element_, float32Type()) : v[0];
    return b_.CreateFCmpUNO(wide, wide);
  }

  /// The sum or product of what `term` makes of the elements, each a number of `type`.
  Total total(BinaryOp op, Type type, llvm::function_ref<Parts(const Parts &)> term) {
    Variable value(e_, numberOf(e_, op == BinaryOp::Mul, type)), count(e_, {e_.int64(0)});
    elements_.each([&](const Parts &v, llvm::Value *) {
      Parts next = term(convert(e_, v, element_, type));
      llvm::Value *taken = skipsNaN_ ? b_.CreateNot(isNaN(v)) : b_.getTrue();
      value.setIf(taken, combined(e_, op, value.get(), next, type, c_.call.span));
      count.set({b_.CreateAdd(count.get()[0], b_.CreateZExt(taken, b_.getInt64Ty()))});
    });
    return {value.get(), count.get()[0]};
  }
  Total total(BinaryOp op, Type type) {
    return total(op, type, [](const Parts &v) { return v; });
  }

  Parts quotient(const Total &total) {
    Parts out = total.value;
    for (llvm::Value *&part : out)
      part = b_.CreateFDiv(part, b_.CreateSIToFP(total.count, part->getType()));
    return out;
  }
  /// The sum is that of sum(): narrow for narrow floats. The division is in the result's type.
  Parts mean(Type result) {
    bool isExact = skipsNaN_ || !(element_.isFloat() || element_.isComplex());
    Type narrow = isExact ? result : typeInside(element_);
    Total sum = total(BinaryOp::Add, narrow);
    return quotient({convert(e_, sum.value, narrow, result), sum.count});
  }

  /// The mean square of the distances to the mean, in float64; a complex number's parts count alike.
  llvm::Value *variance() {
    Type wide = element_.isComplex() ? complexType(128) : float64Type();
    Parts middle = quotient(total(BinaryOp::Add, wide));
    auto square = [&](const Parts &v) -> Parts {
      Parts sum;
      for (size_t i = 0; i < v.size(); ++i) {
        llvm::Value *distance = b_.CreateFSub(v[i], middle[i]);
        llvm::Value *area = b_.CreateFMul(distance, distance);
        sum = {sum.empty() ? area : b_.CreateFAdd(sum[0], area)};
      }
      if (v.size() > 1) // a total has as many parts as its type
        sum.push_back(llvm::ConstantFP::get(sum[0]->getType(), 0));
      return sum;
    };
    return quotient(total(BinaryOp::Add, wide, square))[0];
  }

  /// Whether an element comes before another in the order that is asked for; neither is NaN.
  llvm::Value *isBetter(const Parts &v, const Parts &old) {
    Reduction kind = kindOf(c_.row);
    CompareOp better = kind == Min || kind == ArgMin ? CompareOp::Lt : CompareOp::Gt;
    if (!element_.isComplex())
      return compare(e_, better, v[0], element_, old[0], element_);
    llvm::Value *anyNan = b_.CreateOr(isNaN(v), isNaN(old));
    return b_.CreateAnd(complexOrder(e_, better, v, old), b_.CreateNot(anyNan));
  }

  /// In NumPy's words.
  void trapIfEmpty() {
    Reduction kind = kindOf(c_.row);
    std::string words = "zero-size array to reduction operation not possible";
    if (kind == ArgMin || kind == ArgMax)
      words = kind == ArgMin ? "attempt to get argmin of an empty sequence"
                             : "attempt to get argmax of an empty sequence";
    else if (!skipsNaN_)
      words = std::string("zero-size array to reduction operation ") +
              (kind == Min ? "minimum" : "maximum") + " which has no identity";
    e_.trapIf(b_.CreateICmpEQ(elements_.size(), e_.int64(0)), c_.call.span, "ValueError", words);
  }

  /// The first of the smallest or largest elements. A NaN wins, or loses where NaNs are skipped.
  Extreme extreme() {
    trapIfEmpty();
    Variable best(e_, elements_.first()), number(e_, {e_.int64(0)});
    elements_.each([&](const Parts &v, llvm::Value *i) {
      Parts old = best.get();
      llvm::Value *wins = isBetter(v, old);
      llvm::Value *replaces = skipsNaN_ ? b_.CreateAnd(isNaN(old), b_.CreateNot(isNaN(v)))
                                        : b_.CreateAnd(isNaN(v), b_.CreateNot(isNaN(old)));
      wins = b_.CreateOr(wins, replaces);
      best.setIf(wins, v);
      number.setIf(wins, {i});
    });
    return {best.get(), number.get()[0]};
  }

  /// LLVM makes vectors of extremes that it may take in any order; its intrinsics hand a NaN on. SIMT IR has none of them.
  bool hasUnorderedExtreme() const {
    return e_.function().rules->makesArrays && element_.isFloat() && !element_.isHalf() &&
           !skipsNaN_;
  }
  Parts extremeInAnyOrder() {
    trapIfEmpty();
    llvm::Intrinsic::ID id =
        kindOf(c_.row) == Max ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum;
    Variable best(e_, elements_.first());
    elements_.each([&](const Parts &v, llvm::Value *) {
      best.set({b_.CreateBinaryIntrinsic(id, best.get()[0], v[0])});
    });
    return best.get();
  }

  llvm::Value *isTrue(const Parts &v) {
    return element_.isComplex() ? complexTruth(e_, v) : truth(e_, v[0], element_);
  }
  llvm::Value *anyOrAll() {
    bool all = kindOf(c_.row) == All;
    Variable found(e_, {b_.getInt1(all)});
    elements_.each([&](const Parts &v, llvm::Value *) {
      llvm::Value *old = found.get()[0];
      found.set({all ? b_.CreateAnd(old, isTrue(v)) : b_.CreateOr(old, isTrue(v))});
    });
    return found.get()[0];
  }
  llvm::Value *countOfNonzero() {
    Variable count(e_, {e_.int64(0)});
    elements_.each([&](const Parts &v, llvm::Value *) {
      count.set({b_.CreateAdd(count.get()[0], b_.CreateZExt(isTrue(v), b_.getInt64Ty()))});
    });
    return count.get()[0];
  }

  CallEmission &c_;
  Emitter &e_;
  llvm::IRBuilder<> &b_;
  Type element_;
  ElementsOf elements_;
  bool skipsNaN_;
};

Parts emitReduction(CallEmission &c) { return ArrayReduction(c).emit(); }

/// The type that a loop over the products would find.
Type typeDot(CallTyping &t) {
  Type a = elementTypeOf(t, 0), c = elementTypeOf(t, 1);
  for (unsigned i : {0, 1})
    if (t.type(i)->ndim != 1)
      t.failAt(i, "np.dot takes arrays of one dimension in " + t.rules().plural,
               "for a product of matrices, take rows and columns: np.dot(a[i], b[:, j])");
  return typeOfTotal(binaryType(BinaryOp::Mul, a, c));
}
llvm::FastMathFlags inAnyOrder() {
  llvm::FastMathFlags flags;
  flags.setAllowReassoc();
  flags.setAllowContract();
  return flags;
}
Parts emitDot(CallEmission &c) {
  Emitter &e = c.e;
  Type type = typeInside(c.call.type);
  Value &left = *c.argument(0), &right = *c.argument(1);
  ElementsOf a(e, left), b(e, right);
  e.trapIf(c.b.CreateICmpNE(a.extent(0), b.extent(0)), c.call.span, "ValueError",
           "incompatible array sizes for np.dot: arrays of different lengths");
  Variable sum(e, numberOf(e, 0, type));
  llvm::IRBuilder<>::FastMathFlagGuard guard(c.b);
  if (e.function().rules->makesArrays) // in any order, as by BLAS: LLVM makes vectors of it
    c.b.setFastMathFlags(inAnyOrder());
  e.loop(a.extent(0), [&](llvm::Value *i) {
    Parts x = convert(e, a.at(i), left.type->element, type);
    Parts y = convert(e, b.at(i), right.type->element, type);
    Parts product = combined(e, BinaryOp::Mul, x, y, type, c.call.span);
    sum.set(combined(e, BinaryOp::Add, sum.get(), product, type, c.call.span));
  });
  return convert(e, sum.get(), type, c.call.type);
}

constexpr LibraryRow row(const char *name, const char *signature, unsigned kind, const char *doc,
                         bool nonNegative = false) {
  return {name, signature, doc, typeReduction, emitReduction, kind, nonNegative};
}

constexpr const char *sumDoc = "The sum of all elements; of integers in 64 bits.";
constexpr const char *dtypeDoc = "The sum of all elements, in the dtype or of integers in 64 bits.";
constexpr const char *prodDoc = "The product of all elements; of integers in 64 bits.";
constexpr const char *meanDoc = "The mean of all elements.";
constexpr const char *varDoc = "The variance of all elements, in float64.";
constexpr const char *stdDoc = "The standard deviation of all elements, in float64.";
constexpr const char *minDoc = "The smallest element; a NaN wins. ValueError when there is none.";
constexpr const char *maxDoc = "The largest element; a NaN wins. ValueError when there is none.";
constexpr const char *argMinDoc =
    "The number of the first smallest element, in the order of the indices; a NaN wins. ValueError "
    "when there is none.";
constexpr const char *argMaxDoc =
    "The number of the first largest element, in the order of the indices; a NaN wins. ValueError "
    "when there is none.";
constexpr const char *anyDoc = "Whether any element is not zero.";
constexpr const char *allDoc = "Whether every element is not zero.";
constexpr const char *dotDoc = "The sum of the products of the elements of two 1-D arrays. "
                               "ValueError when their lengths differ.";

constexpr LibraryRow rows[] = {
    row("array.sum", "(self, dtype=)", Sum, dtypeDoc),
    row("array.prod", "(self)", Prod, prodDoc),
    row("array.mean", "(self)", Mean, meanDoc),
    row("array.var", "(self)", Var, varDoc),
    row("array.std", "(self)", Std, stdDoc),
    row("array.min", "(self)", Min, minDoc),
    row("array.max", "(self)", Max, maxDoc),
    row("array.argmin", "(self, axis=)", ArgMin, argMinDoc, true),
    row("array.argmax", "(self, axis=)", ArgMax, argMaxDoc, true),
    row("array.any", "(self)", Any, anyDoc),
    row("array.all", "(self)", All, allDoc),
    {"array.dot", "(self, b)", dotDoc, typeDot, emitDot},
    row("numpy.sum", "(a)", Sum, sumDoc),
    row("numpy.prod", "(a)", Prod, prodDoc),
    row("numpy.mean", "(a)", Mean, meanDoc),
    row("numpy.average", "(a)", Mean, meanDoc),
    row("numpy.var", "(a)", Var, varDoc),
    row("numpy.std", "(a)", Std, stdDoc),
    row("numpy.min", "(a)", Min, minDoc),
    row("numpy.amin", "(a)", Min, minDoc),
    row("numpy.max", "(a)", Max, maxDoc),
    row("numpy.amax", "(a)", Max, maxDoc),
    row("numpy.argmin", "(a, axis=)", ArgMin, argMinDoc, true),
    row("numpy.argmax", "(a, axis=)", ArgMax, argMaxDoc, true),
    row("numpy.any", "(a)", Any, anyDoc),
    row("numpy.all", "(a)", All, allDoc),
    row("numpy.count_nonzero", "(a)", CountNonzero, "The number of elements that are not zero.",
        true),
    row("numpy.nansum", "(a)", Sum | SkipsNaN, "The sum of all elements but NaNs."),
    row("numpy.nanprod", "(a)", Prod | SkipsNaN, "The product of all elements but NaNs."),
    row("numpy.nanmean", "(a)", Mean | SkipsNaN, "The mean of all elements but NaNs, in float64."),
    row("numpy.nanvar", "(a)", Var | SkipsNaN, "The variance of all elements but NaNs."),
    row("numpy.nanstd", "(a)", Std | SkipsNaN, "The standard deviation of all elements but NaNs."),
    row("numpy.nanmin", "(a)", Min | SkipsNaN,
        "The smallest element; a NaN loses. ValueError when there is no element."),
    row("numpy.nanmax", "(a)", Max | SkipsNaN,
        "The largest element; a NaN loses. ValueError when there is no element."),
    {"numpy.dot", "(a, b)", dotDoc, typeDot, emitDot},
};

} // namespace

llvm::ArrayRef<LibraryRow> reductionLibrary() {
  static constexpr auto table =
      eachOf(rows, [](LibraryRow row) { return everywhere(meaning(row, Meaning::Reduction)); });
  return table;
}

} // namespace heddle::python
