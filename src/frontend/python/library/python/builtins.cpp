// Python's built-in functions.

#include "frontend/python/emit/arrays/elements.h"
#include "frontend/python/emit/containers/characters.h"
#include "frontend/python/emit/containers/iteration.h"
#include "frontend/python/emit/containers/lists.h"
#include "frontend/python/emit/containers/tables.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/halves.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/calls_as_operators.h"
#include "frontend/python/rows/typing_rules.h"
#include "frontend/python/types/characters.h"
#include "frontend/python/types/constant_text.h"
#include "frontend/python/types/iteration.h"
#include "frontend/python/types/overloads.h"

#include <limits>

namespace heddle::python {
namespace {

using llvm::Intrinsic::ID;

Type typeAbs(CallTyping &t) {
  if (t.type(0).is(TypeKind::TimeDelta))
    return t.type(0);
  t.requireNumber(0);
  if (t.type(0).isComplex())
    return complexPartType(t.type(0));
  return t.type(0).isBool() ? intType(8) : t.type(0);
}
Parts emitAbs(CallEmission &c) {
  Type from = c.argument(0)->type, to = c.call.type;
  if (from.isComplex())
    return {emitComplexAbs(c.e, c.e.parts(*c.argument(0)))};
  llvm::Value *v = c.scalar(0, to);
  if (to.isFloat())
    return {emitFloatIntrinsic(c.b, llvm::Intrinsic::fabs, {v})};
  return {from.isSigned() || from.isTime()
              ? c.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v, c.b.getFalse())
              : v};
}

/// True if min, max and sum iterate over the elements of their single argument.
bool isReducibleArray(Type argument) {
  return argument.isArray() && argument->ndim == 1 && argument->element.isScalar();
}

/// The operands of min and max: the arguments, or the elements of one tuple or array.
std::vector<Type> operandTypesOfMinMax(CallTyping &t) {
  std::string name = std::string(t.row().displayName()) + "()";
  std::vector<Type> types;
  bool one = t.argumentCount() == 1;
  if (one && t.type(0).isTuple())
    types = t.type(0)->elements;
  else if (one && isReducibleArray(t.type(0)))
    types = {t.type(0)->element};
  else if (!one)
    for (unsigned i = 0; i < t.argumentCount(); ++i)
      types.push_back(t.type(i));
  if (types.empty())
    t.fail(name + " takes two or more numbers, a tuple or an array of one dimension");
  bool times = types[0].isTime() && llvm::all_equal(types);
  for (Type type : types)
    if (!type.isScalar() && !times)
      t.fail(name + " takes numbers, not " + type.name());
  return types;
}
Type typeMinOrMax(CallTyping &t) {
  Type result;
  for (Type type : operandTypesOfMinMax(t))
    result = unify(result, type);
  return result;
}

/// An operand of min or max.
struct Candidate {
  llvm::Value *value;
  Type type;
};

/// As in Python, a later value wins if it compares as better. NaN wins in the first position and loses elsewhere.
template <bool isMax>
Candidate selectSmallerOrLarger(CallEmission &c, Candidate best, Candidate next) {
  Type type = unify(best.type, next.type);
  llvm::Value *a = cast(c.e, best.value, best.type, type);
  llvm::Value *v = cast(c.e, next.value, next.type, type);
  llvm::Value *wins = compare(c.e, isMax ? CompareOp::Gt : CompareOp::Lt, v, type, a, type);
  return {c.b.CreateSelect(wins, v, a), type};
}

template <bool isMax> Parts emitMinOrMaxOfArray(CallEmission &c) {
  ElementsOf elements(c.e, *c.argument(0));
  Type type = c.call.type;
  c.e.trapIf(c.b.CreateICmpEQ(elements.size(), c.e.int64(0)), c.call.span, "ValueError",
             std::string(c.row.displayName()) + "() of an array without elements");
  Variable best(c.e, elements.first());
  elements.forEach([&](const Parts &v, llvm::Value *) {
    best.set({selectSmallerOrLarger<isMax>(c, {best.get()[0], type}, {v[0], type}).value});
  });
  return best.get();
}

template <bool isMax> Parts emitMinOrMax(CallEmission &c) {
  std::vector<Candidate> values;
  if (c.argumentCount() == 1) {
    Type only = c.argument(0)->type;
    if (only.isArray())
      return emitMinOrMaxOfArray<isMax>(c);
    Parts parts = c.e.parts(*c.argument(0));
    for (size_t i = 0; i < parts.size(); ++i)
      values.push_back({parts[i], only->elements[i]});
  }
  for (unsigned i = 0; c.argumentCount() > 1 && i < c.argumentCount(); ++i)
    values.push_back({c.e.parts(*c.argument(i))[0], c.argument(i)->type});
  // With two floats, NaN loses in either position, as in CUDA's fmax and fmin.
  if (c.argumentCount() == 2 && values[0].type.isFloat() && values[1].type.isFloat()) {
    ID id = isMax ? llvm::Intrinsic::maxnum : llvm::Intrinsic::minnum;
    return {emitFloatIntrinsic(c.b, id, {c.scalar(0, c.call.type), c.scalar(1, c.call.type)})};
  }
  Candidate best = values[0];
  for (size_t i = 1; i < values.size(); ++i)
    best = selectSmallerOrLarger<isMax>(c, best, values[i]);
  return {cast(c.e, best.value, best.type, c.call.type)};
}

/// The type of `sum + element`; bools count as integers.
Type sumType(Type sum, Type element) { return binaryType(BinaryOp::Add, sum, element); }

Type typeSum(CallTyping &t) {
  if (!t.type(0).isTuple() && !isReducibleArray(t.type(0)))
    t.failAt(0,
             "sum() takes a tuple of numbers or an array of one dimension, not " + t.type(0).name(),
             t.type(0).isArray() ? "np.sum(a) is the sum of an array of any rank" : "");
  if (t.argument(1) && t.type(0).isArray())
    t.requireScalar(1);
  else if (t.argument(1))
    t.requireNumber(1);
  Type sum = t.argument(1) ? t.type(1) : int64Type();
  if (t.type(0).isArray()) { // a variable to which each element is added
    Type once = sumType(sum, t.type(0)->element);
    return unify(once, sumType(once, t.type(0)->element));
  }
  for (Type element : t.type(0)->elements) {
    if (!element.isScalar() && !element.isComplex())
      t.failAt(0, "sum() takes a tuple of numbers, not " + t.type(0).name());
    sum = sumType(sum, element);
  }
  return sum;
}
Parts emitSumOfArray(CallEmission &c) {
  Type type = c.call.type, element = c.argument(0)->type->element;
  llvm::Value *start =
      c.argument(1) ? c.scalar(1, type) : cast(c.e, c.e.int64(0), int64Type(), type);
  Variable sum(c.e, {start});
  ElementsOf(c.e, *c.argument(0)).forEach([&](const Parts &v, llvm::Value *) {
    llvm::Value *old = sum.get()[0], *next = cast(c.e, v[0], element, type);
    sum.set({type.isFloat() ? c.b.CreateFAdd(old, next) : c.b.CreateAdd(old, next)});
  });
  return sum.get();
}

/// The sum, of type `sum`, of two numbers of the types `ta` and `tb`.
Parts addNumbers(CallEmission &c, const Parts &a, Type ta, const Parts &b, Type tb, Type sum) {
  if (sum.isComplex())
    return emitComplexArithmetic(c.e, BinaryOp::Add, toComplex(c.e, a, ta, sum),
                                 toComplex(c.e, b, tb, sum), sum, c.call.span);
  llvm::Value *left = cast(c.e, a[0], ta, sum), *right = cast(c.e, b[0], tb, sum);
  return {sum.isFloat() ? c.b.CreateFAdd(left, right) : c.b.CreateAdd(left, right)};
}

/// Adds from left to right, each sum in its own type, as a loop over the tuple would be typed.
Parts emitSum(CallEmission &c) {
  if (c.argument(0)->type.isArray())
    return emitSumOfArray(c);
  Type tuple = c.argument(0)->type;
  Parts values = c.e.parts(*c.argument(0));
  Type type = c.argument(1) ? c.argument(1)->type : int64Type();
  Parts sum = c.argument(1) ? c.e.parts(*c.argument(1)) : Parts{c.e.int64(0)};
  for (size_t i = 0; i < tuple->elements.size(); ++i) {
    Type element = tuple->elements[i], next = sumType(type, element);
    sum = addNumbers(c, sum, type, tupleElement(c.e, values, tuple, i), element, next);
    type = next;
  }
  return sum;
}

Type typeInt(CallTyping &t) {
  if (t.type(0).is(TypeKind::TimeDelta))
    return int64Type();
  t.requireScalar(0);
  Type from = t.type(0);
  return from.isInteger() ? from : int64Type();
}
/// The number that Python's float() parses from a string.
std::optional<double> parseFloat(llvm::StringRef text) {
  std::string digits;
  text = text.trim(" \t\n\r\v\f");
  for (size_t i = 0; i < text.size(); ++i) { // 1_000 is 1000
    bool between =
        i > 0 && i + 1 < text.size() && llvm::isDigit(text[i - 1]) && llvm::isDigit(text[i + 1]);
    if (text[i] != '_')
      digits += char(llvm::toLower(text[i]));
    else if (!between)
      return {};
  }
  bool isNegative = digits.starts_with("-");
  llvm::StringRef size = digits;
  if (isNegative || size.starts_with("+"))
    size = size.drop_front();
  auto signedAs = [&](double v) { return isNegative ? -v : v; };
  if (size == "inf" || size == "infinity")
    return signedAs(std::numeric_limits<double>::infinity());
  if (size == "nan")
    return signedAs(std::numeric_limits<double>::quiet_NaN());
  bool isDecimal =
      !size.empty() && (llvm::isDigit(size[0]) || size[0] == '.') && !size.contains('x');
  double v = 0;
  return isDecimal && !size.getAsDouble(v) ? std::optional(signedAs(v)) : std::nullopt;
}

Type typeFloat(CallTyping &t) {
  if (const Constant *c = t.constant(0); c && c->kind == ConstantKind::String) {
    std::optional<double> v = parseFloat(c->text);
    if (!v)
      t.failAt(0, "float() cannot read a number in '" + c->text + "'");
    t.call().constant = Constant::ofFloat(*v);
    return float64Type();
  }
  t.requireScalar(0);
  if (t.type(0).isBool())
    t.failAt(0, "float() does not take a bool in " + t.rules().plural,
             "use np.float64(x), or 1.0 if x else 0.0");
  return t.type(0).isFloat() ? t.type(0) : floatType(64);
}
Parts emitCast(CallEmission &c) {
  return {c.argument(0)->type.isTime() ? c.e.parts(*c.argument(0))[0] : c.scalar(0, c.call.type)};
}

Type typeRound(CallTyping &t) {
  t.requireScalar(0);
  if (!t.argument(1) || t.type(1).is(TypeKind::None))
    return int64Type();
  t.requireScalar(1);
  return bestCommonType({t.type(0)}, {float32Type(), float64Type()});
}
/// Rounds half to even. With digits, follows CPython's method for doubles without exact decimal conversion: scale,
/// round, scale back.
Parts emitRound(CallEmission &c) {
  Type from = c.argument(0)->type;
  llvm::IRBuilder<> &b = c.b;
  if (c.call.type == int64Type()) {
    if (!from.isFloat())
      return {c.scalar(0, int64Type())};
    llvm::Value *rounded = emitFloatIntrinsic(b, llvm::Intrinsic::rint, {c.scalar(0, from)});
    return {cast(c.e, rounded, from, int64Type())};
  }
  Type wide = floatType(64);
  llvm::Value *x = c.scalar(0, wide),
              *digits = c.e.convertToInteger(*c.argument(1), int64Type(), c.spanOf(1), "ndigits");
  llvm::Value *up = b.CreateICmpSGE(digits, c.e.int64(0));
  llvm::Value *size = b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, digits, b.getFalse());
  llvm::Value *ten = llvm::ConstantFP::get(x->getType(), 10);
  llvm::Value *scale = callMath(c.e, simt::Op::Pow, {ten, b.CreateSIToFP(size, x->getType())});
  llvm::Value *scaled = b.CreateSelect(up, b.CreateFMul(x, scale), b.CreateFDiv(x, scale));
  llvm::Value *rounded = b.CreateUnaryIntrinsic(llvm::Intrinsic::rint, scaled);
  llvm::Value *back =
      b.CreateSelect(up, b.CreateFDiv(rounded, scale), b.CreateFMul(rounded, scale));
  llvm::Value *isZero = b.CreateFCmpOEQ(rounded, llvm::ConstantFP::get(x->getType(), 0));
  back = b.CreateSelect(isZero, rounded, back); // the scale may be infinite
  llvm::Value *tooLarge = b.CreateFCmpUEQ(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, scaled),
                                          llvm::ConstantFP::getInfinity(x->getType()));
  return {cast(c.e, b.CreateSelect(tooLarge, x, back), wide, c.call.type)};
}

Type typePow(CallTyping &t) {
  t.requireNumber(0);
  t.requireNumber(1);
  return binaryType(BinaryOp::Pow, t.type(0), t.type(1));
}
Parts emitPow(CallEmission &c) {
  if (c.call.type.isComplex())
    return emitComplexBinaryOperator(c.e, BinaryOp::Pow, *c.argument(0), *c.argument(1),
                                     c.call.type, c.call.span);
  return {emitBinaryOperator(c.e, BinaryOp::Pow, *c.argument(0), *c.argument(1), c.call.type,
                             c.call.span)};
}

Type typeDivmod(CallTyping &t) {
  t.requireScalar(0);
  t.requireScalar(1);
  Type type = bestCommonType({t.type(0), t.type(1)},
                             {int64Type(), intType(64, false), float32Type(), float64Type()});
  return tupleType({type, type});
}
Parts emitDivmod(CallEmission &c) {
  Type type = c.call.type->elements[0];
  llvm::Value *a = c.scalar(0, type), *d = c.scalar(1, type);
  return {emitFloorDivide(c.e, a, d, type, c.call.span), emitModulo(c.e, a, d, type, c.call.span)};
}

/// True for the result of literal_unroll() on a tuple.
bool isUnrolledTuple(Type type) {
  return type.is(TypeKind::Iterator) && type->iterator == IteratorKind::Unroll &&
         type->elements[0].isTuple();
}

Type typeLen(CallTyping &t) {
  if (t.type(0).isTuple())
    t.call().constant = Constant::ofInt(t.type(0)->elements.size());
  else if (isUnrolledTuple(t.type(0)))
    t.call().constant = Constant::ofInt(t.type(0)->elements[0]->elements.size());
  else if (const Constant *c = t.constant(0); c && c->kind == ConstantKind::String)
    t.call().constant = Constant::ofInt(charactersOf(c->text).size());
  else if (t.type(0).is(TypeKind::Range))
    return t.type(0)->element;
  else if (isFlatIterator(t.type(0)))
    return int64Type();
  else if (t.type(0).isList() || t.type(0).isTable() || t.type(0) == runtimeStringType() ||
           isCharacters(t.type(0)))
    return int64Type();
  else if (!t.type(0).isArray())
    t.failAt(0, "len() takes an array, a tuple or a range, not " + t.type(0).name());
  else if (t.type(0)->ndim == 0)
    t.failAt(0, "len() of a zero-dimensional array");
  return int64Type();
}
Parts emitLen(CallEmission &c) {
  Type of = c.argument(0)->type;
  Parts parts = c.e.parts(*c.argument(0));
  if (of.isTable())
    return {tableSize(c.e, of, parts[0])};
  if (of.isList())
    return {loadListSize(c.e, parts[0])};
  if (isFlatIterator(of))
    return {ElementsOf(c.e, of->elements[0], parts).size()};
  if (isCharacters(of))
    return {charactersLength(c.e, parts, of)};
  if (of.is(TypeKind::Range))
    return {cast(c.e, parts[2], int64Type(), of->element)};
  return {parts[1]};
}

// A kernel continues, because no debugger is attached.
Type typeBreakpoint(CallTyping &) { return noneType(); }

/// True for a call len(literal_unroll(tuple)).
bool isLengthOfUnrolledTuple(const Value &v) {
  const Value *called = v.opcode == Opcode::Call ? v.operands[0] : nullptr;
  return called && called->constant && called->constant->text == "builtins.len" &&
         isUnrolledTuple(v.operands[1]->type);
}

/// Types range(len(literal_unroll(tuple))): an unrolled loop over the constants 0, 1, ...
Type typeUnrolledIndices(CallTyping &t) {
  Constant indices{.kind = ConstantKind::Tuple};
  for (int64_t i = 0; i < t.constant(0)->integer; ++i)
    indices.items.push_back(Constant::ofInt(i));
  std::vector<Type> elements(indices.items.size(), int64Type());
  t.call().constant = Constant{.kind = ConstantKind::Tuple, .items = {std::move(indices)}};
  return iteratorType(IteratorKind::Unroll, {tupleType(std::move(elements))});
}

/// The item type of a range: int32, int64 or uint64, whichever the bounds convert to best.
Type typeRange(CallTyping &t) {
  if (!t.argument(1) && isLengthOfUnrolledTuple(*t.argument(0)))
    return typeUnrolledIndices(t);
  llvm::SmallVector<Type, 3> bounds;
  for (unsigned i = 0; i < 3; ++i) {
    if (!t.argument(i))
      continue;
    if (!t.type(i).isScalar())
      t.failAt(i, "range() takes numbers, not " + t.type(i).name(),
               t.type(i).isComplex() ? "take its real part, x.real" : "");
    bounds.push_back(t.type(i));
  }
  const Constant *step = t.constant(2);
  if (step && step->kind == ConstantKind::Int && step->integer == 0)
    t.failAt(2, "the step of range() cannot be zero");
  return rangeType(bestCommonType(bounds, {int32Type(), int64Type(), intType(64, false)}));
}
/// The trip count from `from` to `to` with step `by` >= 1, at most 2^63 - 1, because loops count in int64.
llvm::Value *countIterations(llvm::IRBuilder<> &b, llvm::Value *from, llvm::Value *to,
                             llvm::Value *by, Type element) {
  bool isSigned = element.isSigned();
  llvm::Value *nil = b.getInt64(0), *one = b.getInt64(1);
  llvm::Value *runs = isSigned ? b.CreateICmpSLT(from, to) : b.CreateICmpULT(from, to);
  llvm::Value *last = b.CreateSub(b.CreateSub(to, from), one); // fits when read as unsigned
  llvm::Value *count = b.CreateAdd(b.CreateUDiv(last, by), one);
  if (element->bits == 64) {
    llvm::Value *most = b.getInt64(std::numeric_limits<int64_t>::max());
    count = b.CreateSelect(b.CreateICmpSLT(count, one), most, count);
  }
  return b.CreateSelect(runs, count, nil);
}

/// Start, step, trip count and stop. The trip count is computed once, such that bounds cannot overflow.
Parts emitRange(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  if (isUnrolledTuple(c.call.type)) {
    Parts indices;
    for (size_t i = 0; i < c.call.type->elements[0]->elements.size(); ++i)
      indices.push_back(c.e.int64(int64_t(i)));
    return indices;
  }
  Type element = c.call.type->element;
  llvm::Value *nil = c.e.int64(0);
  auto bound = [&](unsigned i) {
    Value &given = *c.argument(i);
    Type type = given.type.isFloat() ? element : int64Type();
    llvm::Value *v = c.e.convertToInteger(given, type, c.spanOf(i), "a bound of range()");
    return cast(c.e, v, type, int64Type());
  };
  llvm::Value *start = c.argument(1) ? bound(0) : nil;
  llvm::Value *stop = bound(c.argument(1) ? 1 : 0);
  llvm::Value *step = c.argument(2) ? bound(2) : c.e.int64(1);
  Value *given = c.argument(2);
  bool constant = !given || (given->constant && given->constant->kind == ConstantKind::Int);
  int64_t by = !given ? 1 : constant ? given->constant->integer : 0;
  bool isOne = constant && by == 1;
  llvm::Value *count;
  if (isOne && element.isSigned()) {
    // The difference overflows only if the bounds have opposite signs and are near the ends of int64.
    llvm::Value *difference = element->bits == 64 && c.argument(1)
                                  ? b.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, stop, start)
                                  : b.CreateSub(stop, start, "", false, true);
    count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, difference, nil);
  } else if (!element.isSigned() && !(given && given->type.isSigned())) {
    llvm::Value *safe =
        constant ? step : b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, step, c.e.int64(1));
    count = countIterations(b, start, stop, safe, element);
  } else if (constant) {
    count = by > 0 ? countIterations(b, start, stop, step, element)
                   : countIterations(b, stop, start, b.CreateNeg(step), element);
  } else {
    llvm::Value *size = b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, step, b.getFalse());
    llvm::Value *up = b.CreateICmpSGT(step, nil);
    llvm::Value *safe = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, size, c.e.int64(1));
    count = b.CreateSelect(up, countIterations(b, start, stop, safe, element),
                           countIterations(b, stop, start, safe, element));
  }
  if (!constant) {
    llvm::Value *still = b.CreateICmpEQ(step, nil);
    if (c.e.checks().values)
      c.e.trapIf(still, c.call.span, "ValueError", "range() arg 3 must not be zero");
    count = b.CreateSelect(still, nil, count);
  }
  return {cast(c.e, start, int64Type(), element), cast(c.e, step, int64Type(), element), count,
          cast(c.e, stop, int64Type(), element)};
}

constexpr LibraryRow parallelRows[] = {
    onAllTargets(withMeaning(
        withKnownEffects({"heddle.prange", "(start, stop=, step=)",
                          "range(). With parallel=True its iterations may run in any order.",
                          typeRange, emitRange}),
        Meaning::SharedRange)),
};

// As in numba, Python classes denote the types of Python literals.
constexpr LibraryRow rows[] = {
    {"builtins.abs", "(x)",
     "Absolute value, in the type of x; for a complex number, in the type of its parts.", typeAbs,
     emitAbs},
    {"builtins.min", "(*values)",
     "The smallest of two or more numbers, or of the elements of a tuple or 1-D array. If one "
     "of two floats is NaN, returns the other.",
     typeMinOrMax, emitMinOrMax<false>},
    {"builtins.max", "(*values)",
     "The largest of two or more numbers, or of the elements of a tuple or 1-D array. If one "
     "of two floats is NaN, returns the other.",
     typeMinOrMax, emitMinOrMax<true>},
    forClass({"builtins.int", "(x)",
              "Truncates a float to int64. An integer keeps its type. Returns the count of a "
              "timedelta64.",
              typeInt, emitCast},
             [](Type t) { return t == int64Type() || (t.isEnumMember() && t.isInteger()); }),
    forClass(
        {"builtins.float", "(x)",
         "Converts an integer or a constant string to float64. A float of fewer bits keeps its "
         "type.",
         typeFloat, emitCast},
        [](Type t) { return t == float64Type(); }),
    forClass({"builtins.bool", "(x)", "True if x is nonzero, or if a tuple or string is nonempty.",
              typeByReplacingWithOperator, emitNoValue, operatorCode(Opcode::Truth)},
             [](Type t) { return t.isBool(); }),
    {"builtins.round", "(x, ndigits=)",
     "Rounds to the nearest int64, ties to even. With ndigits, returns a float: float64 for "
     "integers of more than 8 bits.",
     typeRound, emitRound},
    {"builtins.pow", "(x, y)", "x ** y.", typePow, emitPow},
    {"builtins.divmod", "(x, y)", "The tuple (x // y, x % y).", typeDivmod, emitDivmod},
    {"builtins.sum", "(values, start=)",
     "The sum of start and the elements of a tuple or 1-D array.", typeSum, emitSum},
    {"builtins.breakpoint", "()", "No effect: the Python debugger does not run in kernels.",
     typeBreakpoint, emitNoValue},
    withMeaning({"builtins.len", "(x)",
                 "The extent of an array's first dimension, or the length of a tuple, range or "
                 "constant string.",
                 typeLen, emitLen, 0, true},
                Meaning::Length),
    forClass({"builtins.range", "(start, stop=, step=)", "A sequence of integers for a for loop.",
              typeRange, emitRange},
             [](Type t) { return t.is(TypeKind::Range); }),
    {"jit.range", "(start, stop=, step=, unroll=)",
     "range(). unroll is a hint that does not change results.", typeRange, emitRange},
};

} // namespace

llvm::ArrayRef<LibraryRow> parallelLibrary() { return parallelRows; }
llvm::ArrayRef<LibraryRow> builtinLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
