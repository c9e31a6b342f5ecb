// cuda.fp16 and cuda.bf16: the functions of floats of 16 bits, under CUDA's names for them.

#include "frontend/python/emit_half.h"
#include "frontend/python/library_types.h"

namespace heddle::python {
namespace {

using llvm::Intrinsic::ID;
using simt::Op;

/// The two types that the rows are made for.
enum Kind { Half, Brain };
template <Kind kind> Type halfType() { return kind == Brain ? bfloat16Type() : floatType(16); }

/// Every argument is a number, converted to the float of 16 bits, which is the result too.
template <Kind kind> Type typeHalf(CallTyping &t) {
  for (unsigned i = 0; i < t.count(); ++i)
    t.needScalar(i);
  return halfType<kind>();
}
template <Kind kind> Type typeTest(CallTyping &t) {
  typeHalf<kind>(t);
  return boolType();
}

llvm::Constant *number(llvm::Value *like, double v) {
  return llvm::ConstantFP::get(like->getType(), v);
}

// Arithmetic.

enum Arithmetic { Add, Sub, Mul, Div, Fma, Neg, Abs };
constexpr unsigned Rounded = 16, Saturated = 32, Positive = 64; // how it finishes

/// Rounded: as a fused operation, so that no other joins with it. Rounding is to nearest in any case.
llvm::Value *arithmetic(CallEmission &c, unsigned which, Type half) {
  llvm::IRBuilder<> &b = c.b;
  llvm::Value *x = c.scalar(0, half), *y = c.count() > 1 ? c.scalar(1, half) : nullptr;
  auto fma = [&](llvm::Value *p, llvm::Value *q, llvm::Value *r) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {p, q, r});
  };
  bool rounded = which & Rounded;
  switch (which & 15) {
  case Add:
    return rounded ? fma(x, number(x, 1), y) : b.CreateFAdd(x, y);
  case Sub:
    return rounded ? fma(x, number(x, 1), b.CreateFNeg(y)) : b.CreateFSub(x, y);
  case Mul:
    return rounded ? fma(x, y, number(x, -0.0)) : b.CreateFMul(x, y);
  case Div:
    return b.CreateFDiv(x, y);
  case Fma:
    return fma(x, y, c.scalar(2, half));
  case Neg:
    return b.CreateFNeg(x);
  default:
    return floatIntrinsic(b, llvm::Intrinsic::fabs, {x});
  }
}
template <Kind kind> Parts emitArithmetic(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  llvm::Value *v = arithmetic(c, c.entry.data, halfType<kind>());
  if (c.entry.data & Saturated) { // a NaN becomes 0
    v = b.CreateSelect(b.CreateFCmpOGT(v, number(v, 0)), v, number(v, 0));
    v = b.CreateSelect(b.CreateFCmpOLT(v, number(v, 1)), v, number(v, 1));
  }
  if (c.entry.data & Positive) // a NaN stays
    v = b.CreateSelect(b.CreateFCmpOLT(v, number(v, 0)), number(v, 0), v);
  return {v};
}

// Comparisons.

template <Kind kind> Parts emitComparison(CallEmission &c) {
  Type half = halfType<kind>();
  return {
      c.b.CreateFCmp(llvm::CmpInst::Predicate(c.entry.data), c.scalar(0, half), c.scalar(1, half))};
}
template <Kind kind> Parts emitIsNan(CallEmission &c) {
  llvm::Value *x = c.scalar(0, halfType<kind>());
  return {c.b.CreateFCmpUNO(x, x)};
}
template <Kind kind> Type typeInfinity(CallTyping &t) {
  t.needScalar(0);
  return int32Type();
}
template <Kind kind> Parts emitIsInfinite(CallEmission &c) {
  llvm::Value *x = c.scalar(0, halfType<kind>());
  llvm::Value *up = c.b.CreateFCmpOEQ(x, llvm::ConstantFP::getInfinity(x->getType()));
  llvm::Value *down = c.b.CreateFCmpOEQ(x, llvm::ConstantFP::getInfinity(x->getType(), true));
  return {c.b.CreateSelect(up, c.e.int32(1), c.b.CreateSelect(down, c.e.int32(-1), c.e.int32(0)))};
}
template <Kind kind> Parts emitExtreme(CallEmission &c) {
  Type half = halfType<kind>();
  return {floatIntrinsic(c.b, ID(c.entry.data), {c.scalar(0, half), c.scalar(1, half)})};
}

// Functions, computed in float32.

template <Kind kind> Parts emitIntrinsic(CallEmission &c) {
  return {floatIntrinsic(c.b, ID(c.entry.data), {c.scalar(0, halfType<kind>())})};
}
template <Kind kind> Parts emitMath(CallEmission &c) {
  return {c.e.math(Op(c.entry.data), {c.scalar(0, halfType<kind>())})};
}
enum Inverse { Reciprocal, InverseRoot, PowerOfTen };
template <Kind kind> Parts emitInverse(CallEmission &c) {
  Type half = halfType<kind>();
  llvm::Value *x = c.e.cast(c.scalar(0, half), half, float32Type()), *one = number(x, 1);
  llvm::Value *result = nullptr;
  if (c.entry.data == PowerOfTen)
    result = c.e.math(Op::Pow, {number(x, 10), x});
  else if (c.entry.data == InverseRoot)
    result = c.b.CreateFDiv(one, c.b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
  else
    result = c.b.CreateFDiv(one, x);
  return {c.e.cast(result, float32Type(), half)};
}

// Conversions. A row's data names the other type and the rounding.

constexpr Type (*conversionTypes[])() = {
    [] { return intType(8); },    [] { return intType(8, false); },
    [] { return intType(16); },   [] { return intType(16, false); },
    [] { return intType(32); },   [] { return intType(32, false); },
    [] { return intType(64); },   [] { return intType(64, false); },
    [] { return floatType(32); }, [] { return floatType(64); },
};
enum Other { Char, UChar, Short, UShort, Int, UInt, LongLong, ULongLong, Float, Double };
constexpr unsigned conversion(Other other, Rounding rounding) {
  return unsigned(other) << 2 | unsigned(rounding);
}
Type otherOf(const LibraryEntry &entry) { return conversionTypes[entry.data >> 2](); }

template <Kind kind> Parts emitToHalf(CallEmission &c) {
  Type from = otherOf(c.entry);
  return {
      roundedToHalf(c.e, c.scalar(0, from), from, halfType<kind>(), Rounding(c.entry.data & 3))};
}
template <Kind kind> Type typeFromHalf(CallTyping &t) {
  t.needScalar(0);
  return otherOf(t.entry());
}
template <Kind kind> Parts emitFromHalf(CallEmission &c) {
  Type half = halfType<kind>(), to = otherOf(c.entry);
  llvm::Value *v = c.scalar(0, half);
  return {to.isFloat() ? c.e.cast(v, half, to)
                       : halfToInteger(c.e, v, to, Rounding(c.entry.data & 3))};
}
template <Kind kind> Parts emitToBits(CallEmission &c) {
  return {c.b.CreateBitCast(c.scalar(0, halfType<kind>()), c.b.getInt16Ty())};
}
template <Kind kind> Parts emitFromBits(CallEmission &c) {
  Type half = halfType<kind>();
  return {c.b.CreateBitCast(c.scalar(0, otherOf(c.entry)), memoryType(c.b.getContext(), half))};
}

// atomicAdd: a loop of compare-and-swap on the aligned word of 32 bits that the number lies in.

template <Kind kind> Type typeAtomicAdd(CallTyping &t) {
  Type array = t.type(0), half = halfType<kind>();
  if (!array.isArray() || array->element != half)
    t.failAt(0, std::string(t.entry().shown()) + " takes an array of " + half.name() + ", not " +
                    array.name());
  if (array->readOnly)
    t.failAt(0, "cannot write to a read-only array");
  std::vector<IndexItem> items = indexItems(t.source(), array, *t.argument(1), t.spanOf(1));
  if (indexedType(array, items).isArray())
    t.failAt(1, std::string(t.entry().shown()) + " needs one index for each dimension");
  t.needScalar(2);
  return half;
}
template <Kind kind> Parts emitAtomicAdd(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  Value &array = *c.argument(0), &index = *c.argument(1);
  std::vector<IndexItem> items = indexItems(*c.e.function().source, array.type, index, c.call.span);
  llvm::Value *address = c.e.elementAddress(array, items, index, c.call.span);
  llvm::Value *value = c.scalar(2, halfType<kind>());
  llvm::Value *upper = b.CreateAnd(b.CreatePtrToInt(address, b.getInt64Ty()), c.e.int64(2));
  llvm::Value *word = b.CreateGEP(b.getInt8Ty(), address, b.CreateNeg(upper));
  llvm::Value *shift = b.CreateShl(b.CreateTrunc(upper, b.getInt32Ty()), 3);
  llvm::Value *scope = c.e.int32(unsigned(simt::Scope::Device));
  llvm::Value *first = simt::call(b, Op::AtomicOr, {word, c.e.int32(0), scope});

  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *loop = llvm::BasicBlock::Create(b.getContext(), "exchange", before->getParent());
  auto *done = llvm::BasicBlock::Create(b.getContext(), "exchanged", before->getParent());
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode *seen = b.CreatePHI(b.getInt32Ty(), 2);
  seen->addIncoming(first, before);
  llvm::Value *bits = b.CreateTrunc(b.CreateLShr(seen, shift), b.getInt16Ty());
  llvm::Value *old = b.CreateBitCast(bits, value->getType());
  llvm::Value *sum = b.CreateBitCast(b.CreateFAdd(old, value), b.getInt16Ty());
  llvm::Value *others = b.CreateAnd(seen, b.CreateNot(b.CreateShl(c.e.int32(0xffff), shift)));
  llvm::Value *wanted = b.CreateOr(others, b.CreateShl(b.CreateZExt(sum, b.getInt32Ty()), shift));
  llvm::Value *found = simt::call(b, Op::AtomicCas, {word, seen, wanted, scope});
  seen->addIncoming(found, loop);
  b.CreateCondBr(b.CreateICmpEQ(found, seen), done, loop);
  b.SetInsertPoint(done);
  return {old};
}

// What both types have, under the prefix of their module. numba-cuda has the plain rows of fp16 with and without CUDA's
// underscores, the special ones with them alone.

#define ARITHMETIC(prefix, kind, name, signature, doc, which)                                      \
  {prefix name, signature, doc, typeHalf<kind>, emitArithmetic<kind>, unsigned(which)}
#define PLAIN_ARITHMETIC(prefix, kind)                                                             \
  ARITHMETIC(prefix, kind, "hadd", "(a, b)", "a + b.", Add),                                       \
      ARITHMETIC(prefix, kind, "hsub", "(a, b)", "a - b.", Sub),                                   \
      ARITHMETIC(prefix, kind, "hmul", "(a, b)", "a * b.", Mul),                                   \
      ARITHMETIC(prefix, kind, "hdiv", "(a, b)", "a / b.", Div),                                   \
      ARITHMETIC(prefix, kind, "hfma", "(a, b, c)", "a * b + c, rounded once.", Fma),              \
      ARITHMETIC(prefix, kind, "hneg", "(a)", "-a.", Neg),                                         \
      ARITHMETIC(prefix, kind, "habs", "(a)", "The absolute value.", Abs)
#define SPECIAL_ARITHMETIC(prefix, kind)                                                           \
  ARITHMETIC(prefix, kind, "hadd_rn", "(a, b)", "a + b, never part of a fused operation.",         \
             Add | Rounded),                                                                       \
      ARITHMETIC(prefix, kind, "hsub_rn", "(a, b)", "a - b, never part of a fused operation.",     \
                 Sub | Rounded),                                                                   \
      ARITHMETIC(prefix, kind, "hmul_rn", "(a, b)", "a * b, never part of a fused operation.",     \
                 Mul | Rounded),                                                                   \
      ARITHMETIC(prefix, kind, "hadd_sat", "(a, b)", "a + b, limited to 0 and 1; NaN gives 0.",    \
                 Add | Saturated),                                                                 \
      ARITHMETIC(prefix, kind, "hsub_sat", "(a, b)", "a - b, limited to 0 and 1; NaN gives 0.",    \
                 Sub | Saturated),                                                                 \
      ARITHMETIC(prefix, kind, "hmul_sat", "(a, b)", "a * b, limited to 0 and 1; NaN gives 0.",    \
                 Mul | Saturated),                                                                 \
      ARITHMETIC(prefix, kind, "hfma_sat", "(a, b, c)",                                            \
                 "a * b + c, limited to 0 and 1; NaN gives 0.", Fma | Saturated),                  \
      ARITHMETIC(prefix, kind, "hfma_relu", "(a, b, c)", "a * b + c, 0 where it is negative.",     \
                 Fma | Positive)

#define COMPARISON(prefix, kind, name, doc, predicate)                                             \
  {prefix name,                                                                                    \
   "(a, b)",                                                                                       \
   doc,                                                                                            \
   typeTest<kind>,                                                                                 \
   emitComparison<kind>,                                                                           \
   unsigned(llvm::CmpInst::FCMP_##predicate)}
#define PLAIN_COMPARISONS(prefix, kind)                                                            \
  COMPARISON(prefix, kind, "heq", "a == b; false for NaN.", OEQ),                                  \
      COMPARISON(prefix, kind, "hne", "a != b; false for NaN.", ONE),                              \
      COMPARISON(prefix, kind, "hlt", "a < b; false for NaN.", OLT),                               \
      COMPARISON(prefix, kind, "hle", "a <= b; false for NaN.", OLE),                              \
      COMPARISON(prefix, kind, "hgt", "a > b; false for NaN.", OGT),                               \
      COMPARISON(prefix, kind, "hge", "a >= b; false for NaN.", OGE),                              \
      {prefix "hmax",  "(a, b)",          "The larger; a NaN loses.",                              \
       typeHalf<kind>, emitExtreme<kind>, llvm::Intrinsic::maximumnum},                            \
  {                                                                                                \
    prefix "hmin", "(a, b)", "The smaller; a NaN loses.", typeHalf<kind>, emitExtreme<kind>,       \
        llvm::Intrinsic::minimumnum                                                                \
  }
#define SPECIAL_COMPARISONS(prefix, kind)                                                          \
  COMPARISON(prefix, kind, "hequ", "a == b; true for NaN.", UEQ),                                  \
      COMPARISON(prefix, kind, "hneu", "a != b; true for NaN.", UNE),                              \
      COMPARISON(prefix, kind, "hltu", "a < b; true for NaN.", ULT),                               \
      COMPARISON(prefix, kind, "hleu", "a <= b; true for NaN.", ULE),                              \
      COMPARISON(prefix, kind, "hgtu", "a > b; true for NaN.", UGT),                               \
      COMPARISON(prefix, kind, "hgeu", "a >= b; true for NaN.", UGE),                              \
      {prefix "hmax_nan", "(a, b)",          "The larger; NaN when either is.",                    \
       typeHalf<kind>,    emitExtreme<kind>, llvm::Intrinsic::maximum},                            \
      {prefix "hmin_nan", "(a, b)",          "The smaller; NaN when either is.",                   \
       typeHalf<kind>,    emitExtreme<kind>, llvm::Intrinsic::minimum},                            \
      {prefix "hisnan", "(a)", "Whether a is not a number.", typeTest<kind>, emitIsNan<kind>}, {   \
    prefix "hisinf", "(a)", "1 for infinity, -1 for minus infinity, else 0; an int32.",            \
        typeInfinity<kind>, emitIsInfinite<kind>                                                   \
  }

#define MATH(prefix, kind, name, op, doc)                                                          \
  {prefix name, "(a)", doc, typeHalf<kind>, emitMath<kind>, unsigned(Op::op)}
#define INTRINSIC(prefix, kind, name, id, doc)                                                     \
  {prefix name, "(a)", doc, typeHalf<kind>, emitIntrinsic<kind>, llvm::Intrinsic::id}
#define INVERSE(prefix, kind, name, which, doc)                                                    \
  {prefix name, "(a)", doc, typeHalf<kind>, emitInverse<kind>, which}
#define FUNCTIONS(prefix, kind)                                                                    \
  INTRINSIC(prefix, kind, "hfloor", floor, "Largest whole number not above a."),                   \
      INTRINSIC(prefix, kind, "hceil", ceil, "Smallest whole number not below a."),                \
      INTRINSIC(prefix, kind, "htrunc", trunc, "a without its fraction."),                         \
      INTRINSIC(prefix, kind, "hrint", rint, "Nearest whole number, half to even."),               \
      INTRINSIC(prefix, kind, "hsqrt", sqrt, "Square root."),                                      \
      INVERSE(prefix, kind, "hrsqrt", InverseRoot, "1 / sqrt(a)."),                                \
      INVERSE(prefix, kind, "hrcp", Reciprocal, "1 / a."),                                         \
      MATH(prefix, kind, "hlog", Log, "Natural logarithm."),                                       \
      MATH(prefix, kind, "hlog2", Log2, "Logarithm to base 2."),                                   \
      MATH(prefix, kind, "hlog10", Log10, "Logarithm to base 10."),                                \
      MATH(prefix, kind, "hcos", Cos, "Cosine."), MATH(prefix, kind, "hsin", Sin, "Sine."),        \
      MATH(prefix, kind, "htanh", Tanh, "Hyperbolic tangent."),                                    \
      MATH(prefix, kind, "htanh_approx", Tanh, "Hyperbolic tangent; as exact as htanh here."),     \
      MATH(prefix, kind, "hexp", Exp, "e to the power a."),                                        \
      MATH(prefix, kind, "hexp2", Exp2, "2 to the power a."),                                      \
      INVERSE(prefix, kind, "hexp10", PowerOfTen, "10 to the power a.")

#define TO_HALF(kind, name, other, mode, doc)                                                      \
  {name, "(x)", doc, typeHalf<kind>, emitToHalf<kind>, conversion(other, Rounding::mode)}
#define FROM_HALF(kind, name, other, mode, doc)                                                    \
  {name, "(h)", doc, typeFromHalf<kind>, emitFromHalf<kind>, conversion(other, Rounding::mode)}
#define TO_HALF_ALL(kind, name, other)                                                             \
  TO_HALF(kind, name "_rn", other, Nearest, "Conversion, to nearest."),                            \
      TO_HALF(kind, name "_rz", other, Zero, "Conversion, towards zero."),                         \
      TO_HALF(kind, name "_rd", other, Down, "Conversion, downwards."),                            \
      TO_HALF(kind, name "_ru", other, Up, "Conversion, upwards.")
#define FROM_HALF_ALL(kind, name, other)                                                           \
  FROM_HALF(kind, name "_rn", other, Nearest, "Conversion, to nearest; saturates, NaN is 0."),     \
      FROM_HALF(kind, name "_rz", other, Zero, "Conversion, towards zero; saturates, NaN is 0."),  \
      FROM_HALF(kind, name "_rd", other, Down, "Conversion, downwards; saturates, NaN is 0."),     \
      FROM_HALF(kind, name "_ru", other, Up, "Conversion, upwards; saturates, NaN is 0.")
#define TO_BITS(kind, name, other)                                                                 \
  {name,                                                                                           \
   "(h)",                                                                                          \
   "The bits as an integer.",                                                                      \
   typeFromHalf<kind>,                                                                             \
   emitToBits<kind>,                                                                               \
   conversion(other, Rounding::Nearest)}
#define FROM_BITS(kind, name, other)                                                               \
  {name,                                                                                           \
   "(i)",                                                                                          \
   "The number that has these bits.",                                                              \
   typeHalf<kind>,                                                                                 \
   emitFromBits<kind>,                                                                             \
   conversion(other, Rounding::Nearest)}

/// CUDA's names: `to` is "2half" or "2bfloat16", `from` "half2" or "bfloat162".
#define CUDA_CONVERSIONS(prefix, kind, to, from, half)                                             \
  TO_HALF(kind, prefix "float" to, Float, Nearest, "Conversion, to nearest."),                     \
      TO_HALF(kind, prefix "double" to, Double, Nearest, "Conversion, to nearest."),               \
      TO_HALF_ALL(kind, prefix "float" to, Float), TO_HALF_ALL(kind, prefix "short" to, Short),    \
      TO_HALF_ALL(kind, prefix "ushort" to, UShort), TO_HALF_ALL(kind, prefix "int" to, Int),      \
      TO_HALF_ALL(kind, prefix "uint" to, UInt), TO_HALF_ALL(kind, prefix "ll" to, LongLong),      \
      TO_HALF_ALL(kind, prefix "ull" to, ULongLong),                                               \
      FROM_HALF(kind, prefix from "float", Float, Nearest, "Exact conversion to float32."),        \
      FROM_HALF(kind, prefix from "char_rz", Char, Zero, "To int8, towards zero; saturates."),     \
      FROM_HALF(kind, prefix from "uchar_rz", UChar, Zero, "To uint8, towards zero; saturates."),  \
      FROM_HALF_ALL(kind, prefix from "short", Short),                                             \
      FROM_HALF_ALL(kind, prefix from "ushort", UShort),                                           \
      FROM_HALF_ALL(kind, prefix from "int", Int), FROM_HALF_ALL(kind, prefix from "uint", UInt),  \
      FROM_HALF_ALL(kind, prefix from "ll", LongLong),                                             \
      FROM_HALF_ALL(kind, prefix from "ull", ULongLong),                                           \
      TO_BITS(kind, prefix half "_as_short", Short),                                               \
      TO_BITS(kind, prefix half "_as_ushort", UShort),                                             \
      FROM_BITS(kind, prefix "short_as_" half, Short),                                             \
      FROM_BITS(kind, prefix "ushort_as_" half, UShort)

const LibraryEntry table[] = {
    PLAIN_ARITHMETIC("cuda.fp16.", Half),
    PLAIN_COMPARISONS("cuda.fp16.", Half),
    FUNCTIONS("cuda.fp16.", Half),
    PLAIN_ARITHMETIC("cuda.fp16.__", Half),
    SPECIAL_ARITHMETIC("cuda.fp16.__", Half),
    PLAIN_COMPARISONS("cuda.fp16.__", Half),
    SPECIAL_COMPARISONS("cuda.fp16.__", Half),
    CUDA_CONVERSIONS("cuda.fp16.__", Half, "2half", "half2", "half"),
    differing({"cuda.fp16.atomicAdd", "(ary, idx, val)",
               "Atomically ary[idx] = ary[idx] + val; returns the old value.", typeAtomicAdd<Half>,
               emitAtomicAdd<Half>},
              "numba-cuda takes a pointer and the value"),

    PLAIN_ARITHMETIC("cuda.bf16.", Brain),
    SPECIAL_ARITHMETIC("cuda.bf16.", Brain),
    PLAIN_COMPARISONS("cuda.bf16.", Brain),
    SPECIAL_COMPARISONS("cuda.bf16.", Brain),
    FUNCTIONS("cuda.bf16.", Brain),
    CUDA_CONVERSIONS("cuda.bf16.", Brain, "2bfloat16", "bfloat162", "bfloat16"),
    TO_HALF(Brain, "cuda.bf16.float32_to_bfloat16", Float, Nearest, "Conversion, to nearest."),
    TO_HALF(Brain, "cuda.bf16.float64_to_bfloat16", Double, Nearest, "Conversion, to nearest."),
    TO_HALF_ALL(Brain, "cuda.bf16.float32_to_bfloat16", Float),
    TO_HALF_ALL(Brain, "cuda.bf16.int16_to_bfloat16", Short),
    TO_HALF_ALL(Brain, "cuda.bf16.uint16_to_bfloat16", UShort),
    TO_HALF_ALL(Brain, "cuda.bf16.int32_to_bfloat16", Int),
    TO_HALF_ALL(Brain, "cuda.bf16.uint32_to_bfloat16", UInt),
    TO_HALF_ALL(Brain, "cuda.bf16.int64_to_bfloat16", LongLong),
    TO_HALF_ALL(Brain, "cuda.bf16.uint64_to_bfloat16", ULongLong),
    FROM_HALF(Brain, "cuda.bf16.bfloat16_to_float32", Float, Nearest, "Exact conversion."),
    FROM_HALF(Brain, "cuda.bf16.bfloat16_to_int8_rz", Char, Zero,
              "Conversion, towards zero; saturates, NaN is 0."),
    FROM_HALF(Brain, "cuda.bf16.bfloat16_to_uint8_rz", UChar, Zero,
              "Conversion, towards zero; saturates, NaN is 0."),
    FROM_HALF_ALL(Brain, "cuda.bf16.bfloat16_to_int16", Short),
    FROM_HALF_ALL(Brain, "cuda.bf16.bfloat16_to_uint16", UShort),
    FROM_HALF_ALL(Brain, "cuda.bf16.bfloat16_to_int32", Int),
    FROM_HALF_ALL(Brain, "cuda.bf16.bfloat16_to_uint32", UInt),
    FROM_HALF_ALL(Brain, "cuda.bf16.bfloat16_to_int64", LongLong),
    FROM_HALF_ALL(Brain, "cuda.bf16.bfloat16_to_uint64", ULongLong),
    TO_BITS(Brain, "cuda.bf16.bfloat16_as_int16", Short),
    TO_BITS(Brain, "cuda.bf16.bfloat16_as_uint16", UShort),
    FROM_BITS(Brain, "cuda.bf16.int16_as_bfloat16", Short),
    FROM_BITS(Brain, "cuda.bf16.uint16_as_bfloat16", UShort),
};

} // namespace

llvm::ArrayRef<LibraryEntry> halfLibrary() { return table; }

} // namespace heddle::python
