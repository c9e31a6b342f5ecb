// cuda.fp16 and cuda.bf16: functions of 16-bit floats, under CUDA's names.

#include "frontend/python/emit/numbers/halves.h"
#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/row_families.h"
#include "frontend/python/rows/typing_rules.h"

namespace heddle::python {
namespace {

using llvm::Intrinsic::ID;
using simt::Op;

/// The two types that have rows.
enum Kind { Half, Brain };
template <Kind kind> Type halfType() { return kind == Brain ? bfloat16Type() : floatType(16); }

/// All arguments are numbers, converted to the 16-bit float type, which is also the result type.
template <Kind kind> Type typeHalf(CallTyping &t) {
  for (unsigned i = 0; i < t.argumentCount(); ++i)
    t.requireScalar(i);
  return halfType<kind>();
}
template <Kind kind> Type typeFloatTest(CallTyping &t) {
  typeHalf<kind>(t);
  return boolType();
}

llvm::Constant *floatConstant(llvm::Value *like, double v) {
  return llvm::ConstantFP::get(like->getType(), v);
}

// Arithmetic.

enum Arithmetic { Add, Sub, Mul, Div, Fma, Neg, Abs };
constexpr unsigned Rounded = 16, Saturated = 32, Positive = 64; // adjustments of the result

/// Emits the operation, rounded to nearest. With Rounded, emits + - * as an fma, which LLVM never contracts further.
llvm::Value *emitArithmeticOperation(CallEmission &c, unsigned which, Type half) {
  llvm::IRBuilder<> &b = c.b;
  llvm::Value *x = c.scalar(0, half), *y = c.argumentCount() > 1 ? c.scalar(1, half) : nullptr;
  auto fma = [&](llvm::Value *p, llvm::Value *q, llvm::Value *r) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {p, q, r});
  };
  bool rounded = which & Rounded;
  switch (which & 15) {
  case Add:
    return rounded ? fma(x, floatConstant(x, 1), y) : b.CreateFAdd(x, y);
  case Sub:
    return rounded ? fma(x, floatConstant(x, 1), b.CreateFNeg(y)) : b.CreateFSub(x, y);
  case Mul:
    return rounded ? fma(x, y, floatConstant(x, -0.0)) : b.CreateFMul(x, y);
  case Div:
    return b.CreateFDiv(x, y);
  case Fma:
    return fma(x, y, c.scalar(2, half));
  case Neg:
    return b.CreateFNeg(x);
  default:
    return emitFloatIntrinsic(b, llvm::Intrinsic::fabs, {x});
  }
}
template <Kind kind> Parts emitArithmetic(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  llvm::Value *v = emitArithmeticOperation(c, c.row.data, halfType<kind>());
  if (c.row.data & Saturated) { // NaN becomes 0
    v = b.CreateSelect(b.CreateFCmpOGT(v, floatConstant(v, 0)), v, floatConstant(v, 0));
    v = b.CreateSelect(b.CreateFCmpOLT(v, floatConstant(v, 1)), v, floatConstant(v, 1));
  }
  if (c.row.data & Positive) // NaN stays NaN
    v = b.CreateSelect(b.CreateFCmpOLT(v, floatConstant(v, 0)), floatConstant(v, 0), v);
  return {v};
}

// Comparisons.

template <Kind kind> Parts emitComparison(CallEmission &c) {
  Type half = halfType<kind>();
  return {
      c.b.CreateFCmp(llvm::CmpInst::Predicate(c.row.data), c.scalar(0, half), c.scalar(1, half))};
}
template <Kind kind> Parts emitIsNan(CallEmission &c) {
  llvm::Value *x = c.scalar(0, halfType<kind>());
  return {c.b.CreateFCmpUNO(x, x)};
}
template <Kind kind> Type typeIsInfinite(CallTyping &t) {
  t.requireScalar(0);
  return int32Type();
}
template <Kind kind> Parts emitIsInfinite(CallEmission &c) {
  llvm::Value *x = c.scalar(0, halfType<kind>());
  llvm::Value *up = c.b.CreateFCmpOEQ(x, llvm::ConstantFP::getInfinity(x->getType()));
  llvm::Value *down = c.b.CreateFCmpOEQ(x, llvm::ConstantFP::getInfinity(x->getType(), true));
  return {c.b.CreateSelect(up, c.e.int32(1), c.b.CreateSelect(down, c.e.int32(-1), c.e.int32(0)))};
}
template <Kind kind> Parts emitMinOrMax(CallEmission &c) {
  Type half = halfType<kind>();
  return {emitFloatIntrinsic(c.b, ID(c.row.data), {c.scalar(0, half), c.scalar(1, half)})};
}

// Functions, computed in float32.

template <Kind kind> Parts emitUnaryLlvmIntrinsic(CallEmission &c) {
  return {emitFloatIntrinsic(c.b, ID(c.row.data), {c.scalar(0, halfType<kind>())})};
}
template <Kind kind> Parts emitMath(CallEmission &c) {
  return {callMath(c.e, Op(c.row.data), {c.scalar(0, halfType<kind>())})};
}
enum Inverse { Reciprocal, InverseRoot, PowerOfTen };
template <Kind kind> Parts emitReciprocalRsqrtOrExp10(CallEmission &c) {
  Type half = halfType<kind>();
  llvm::Value *x = cast(c.e, c.scalar(0, half), half, float32Type()), *one = floatConstant(x, 1);
  llvm::Value *result = nullptr;
  if (c.row.data == PowerOfTen)
    result = callMath(c.e, Op::Pow, {floatConstant(x, 10), x});
  else if (c.row.data == InverseRoot)
    result = c.b.CreateFDiv(one, c.b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
  else
    result = c.b.CreateFDiv(one, x);
  return {cast(c.e, result, float32Type(), half)};
}

// Conversions. The data of a row encodes the other type and the rounding mode.

/// Types that 16-bit floats convert from and to.
struct Other {
  Type type;
  const char *nameInCuda; ///< in the names of CUDA C's conversions
};
const std::vector<Other> &convertibleTypes() {
  static const std::vector<Other> all{
      {intType(8), "char"},     {intType(8, false), "uchar"},
      {intType(16), "short"},   {intType(16, false), "ushort"},
      {intType(32), "int"},     {intType(32, false), "uint"},
      {intType(64), "ll"},      {intType(64, false), "ull"},
      {floatType(32), "float"}, {floatType(64), "double"},
  };
  return all;
}
unsigned encodeConversion(size_t other, Rounding rounding) {
  return unsigned(other) << 2 | unsigned(rounding);
}
Type convertibleTypeOf(const LibraryRow &row) { return convertibleTypes()[row.data >> 2].type; }

template <Kind kind> Parts emitToHalf(CallEmission &c) {
  Type from = convertibleTypeOf(c.row);
  return {roundToHalf(c.e, c.scalar(0, from), from, halfType<kind>(), Rounding(c.row.data & 3))};
}
template <Kind kind> Type typeFromHalf(CallTyping &t) {
  t.requireScalar(0);
  return convertibleTypeOf(t.row());
}
template <Kind kind> Parts emitFromHalf(CallEmission &c) {
  Type half = halfType<kind>(), to = convertibleTypeOf(c.row);
  llvm::Value *v = c.scalar(0, half);
  return {to.isFloat() ? cast(c.e, v, half, to)
                       : halfToInteger(c.e, v, to, Rounding(c.row.data & 3))};
}
template <Kind kind> Parts emitToBits(CallEmission &c) {
  return {c.b.CreateBitCast(c.scalar(0, halfType<kind>()), c.b.getInt16Ty())};
}
template <Kind kind> Parts emitFromBits(CallEmission &c) {
  Type half = halfType<kind>();
  return {
      c.b.CreateBitCast(c.scalar(0, convertibleTypeOf(c.row)), memoryType(c.b.getContext(), half))};
}

// Rows of both types, without the module prefix.

template <Kind kind>
const LibraryRow plainRows[] = {
    {"hadd", "(a, b)", "a + b.", typeHalf<kind>, emitArithmetic<kind>, Add},
    {"hsub", "(a, b)", "a - b.", typeHalf<kind>, emitArithmetic<kind>, Sub},
    {"hmul", "(a, b)", "a * b.", typeHalf<kind>, emitArithmetic<kind>, Mul},
    {"hdiv", "(a, b)", "a / b.", typeHalf<kind>, emitArithmetic<kind>, Div},
    {"hfma", "(a, b, c)", "a * b + c, rounded once.", typeHalf<kind>, emitArithmetic<kind>, Fma},
    {"hneg", "(a)", "-a.", typeHalf<kind>, emitArithmetic<kind>, Neg},
    {"habs", "(a)", "The absolute value.", typeHalf<kind>, emitArithmetic<kind>, Abs},
    {"heq", "(a, b)", "a == b; false for NaN.", typeFloatTest<kind>, emitComparison<kind>,
     llvm::CmpInst::FCMP_OEQ},
    {"hne", "(a, b)", "a != b; false for NaN.", typeFloatTest<kind>, emitComparison<kind>,
     llvm::CmpInst::FCMP_ONE},
    {"hlt", "(a, b)", "a < b; false for NaN.", typeFloatTest<kind>, emitComparison<kind>,
     llvm::CmpInst::FCMP_OLT},
    {"hle", "(a, b)", "a <= b; false for NaN.", typeFloatTest<kind>, emitComparison<kind>,
     llvm::CmpInst::FCMP_OLE},
    {"hgt", "(a, b)", "a > b; false for NaN.", typeFloatTest<kind>, emitComparison<kind>,
     llvm::CmpInst::FCMP_OGT},
    {"hge", "(a, b)", "a >= b; false for NaN.", typeFloatTest<kind>, emitComparison<kind>,
     llvm::CmpInst::FCMP_OGE},
    {"hmax", "(a, b)", "The larger value; ignores a NaN.", typeHalf<kind>, emitMinOrMax<kind>,
     llvm::Intrinsic::maximumnum},
    {"hmin", "(a, b)", "The smaller value; ignores a NaN.", typeHalf<kind>, emitMinOrMax<kind>,
     llvm::Intrinsic::minimumnum},
};

template <Kind kind>
const LibraryRow specialRows[] = {
    {"hadd_rn", "(a, b)", "a + b, never fused.", typeHalf<kind>, emitArithmetic<kind>,
     Add | Rounded},
    {"hsub_rn", "(a, b)", "a - b, never fused.", typeHalf<kind>, emitArithmetic<kind>,
     Sub | Rounded},
    {"hmul_rn", "(a, b)", "a * b, never fused.", typeHalf<kind>, emitArithmetic<kind>,
     Mul | Rounded},
    {"hadd_sat", "(a, b)", "a + b, clamped to [0, 1]; NaN gives 0.", typeHalf<kind>,
     emitArithmetic<kind>, Add | Saturated},
    {"hsub_sat", "(a, b)", "a - b, clamped to [0, 1]; NaN gives 0.", typeHalf<kind>,
     emitArithmetic<kind>, Sub | Saturated},
    {"hmul_sat", "(a, b)", "a * b, clamped to [0, 1]; NaN gives 0.", typeHalf<kind>,
     emitArithmetic<kind>, Mul | Saturated},
    {"hfma_sat", "(a, b, c)", "a * b + c, clamped to [0, 1]; NaN gives 0.", typeHalf<kind>,
     emitArithmetic<kind>, Fma | Saturated},
    {"hfma_relu", "(a, b, c)", "a * b + c; negative results give 0.", typeHalf<kind>,
     emitArithmetic<kind>, Fma | Positive},
    {"hequ", "(a, b)", "a == b; true for NaN.", typeFloatTest<kind>, emitComparison<kind>,
     llvm::CmpInst::FCMP_UEQ},
    {"hneu", "(a, b)", "a != b; true for NaN.", typeFloatTest<kind>, emitComparison<kind>,
     llvm::CmpInst::FCMP_UNE},
    {"hltu", "(a, b)", "a < b; true for NaN.", typeFloatTest<kind>, emitComparison<kind>,
     llvm::CmpInst::FCMP_ULT},
    {"hleu", "(a, b)", "a <= b; true for NaN.", typeFloatTest<kind>, emitComparison<kind>,
     llvm::CmpInst::FCMP_ULE},
    {"hgtu", "(a, b)", "a > b; true for NaN.", typeFloatTest<kind>, emitComparison<kind>,
     llvm::CmpInst::FCMP_UGT},
    {"hgeu", "(a, b)", "a >= b; true for NaN.", typeFloatTest<kind>, emitComparison<kind>,
     llvm::CmpInst::FCMP_UGE},
    {"hmax_nan", "(a, b)", "The larger value; NaN if either is NaN.", typeHalf<kind>,
     emitMinOrMax<kind>, llvm::Intrinsic::maximum},
    {"hmin_nan", "(a, b)", "The smaller value; NaN if either is NaN.", typeHalf<kind>,
     emitMinOrMax<kind>, llvm::Intrinsic::minimum},
    {"hisnan", "(a)", "True if a is NaN.", typeFloatTest<kind>, emitIsNan<kind>},
    {"hisinf", "(a)", "1 for infinity, -1 for minus infinity, else 0, as an int32.",
     typeIsInfinite<kind>, emitIsInfinite<kind>},
};

template <Kind kind>
const LibraryRow functionRows[] = {
    {"hfloor", "(a)", "The largest integer not above a, as a float.", typeHalf<kind>,
     emitUnaryLlvmIntrinsic<kind>, llvm::Intrinsic::floor},
    {"hceil", "(a)", "The smallest integer not below a, as a float.", typeHalf<kind>,
     emitUnaryLlvmIntrinsic<kind>, llvm::Intrinsic::ceil},
    {"htrunc", "(a)", "a rounded toward zero.", typeHalf<kind>, emitUnaryLlvmIntrinsic<kind>,
     llvm::Intrinsic::trunc},
    {"hrint", "(a)", "Rounds to the nearest integer, ties to even, as a float.", typeHalf<kind>,
     emitUnaryLlvmIntrinsic<kind>, llvm::Intrinsic::rint},
    {"hsqrt", "(a)", "Square root.", typeHalf<kind>, emitUnaryLlvmIntrinsic<kind>,
     llvm::Intrinsic::sqrt},
    {"hrsqrt", "(a)", "1 / sqrt(a).", typeHalf<kind>, emitReciprocalRsqrtOrExp10<kind>,
     InverseRoot},
    {"hrcp", "(a)", "1 / a.", typeHalf<kind>, emitReciprocalRsqrtOrExp10<kind>, Reciprocal},
    {"hlog", "(a)", "Natural logarithm.", typeHalf<kind>, emitMath<kind>, unsigned(Op::Log)},
    {"hlog2", "(a)", "Logarithm to base 2.", typeHalf<kind>, emitMath<kind>, unsigned(Op::Log2)},
    {"hlog10", "(a)", "Logarithm to base 10.", typeHalf<kind>, emitMath<kind>, unsigned(Op::Log10)},
    {"hcos", "(a)", "Cosine.", typeHalf<kind>, emitMath<kind>, unsigned(Op::Cos)},
    {"hsin", "(a)", "Sine.", typeHalf<kind>, emitMath<kind>, unsigned(Op::Sin)},
    {"htanh", "(a)", "Hyperbolic tangent.", typeHalf<kind>, emitMath<kind>, unsigned(Op::Tanh)},
    {"htanh_approx", "(a)", "Hyperbolic tangent, as accurate as htanh.", typeHalf<kind>,
     emitMath<kind>, unsigned(Op::Tanh)},
    {"hexp", "(a)", "e to the power a.", typeHalf<kind>, emitMath<kind>, unsigned(Op::Exp)},
    {"hexp2", "(a)", "2 to the power a.", typeHalf<kind>, emitMath<kind>, unsigned(Op::Exp2)},
    {"hexp10", "(a)", "10 to the power a.", typeHalf<kind>, emitReciprocalRsqrtOrExp10<kind>,
     PowerOfTen},
};

/// The naming scheme for the conversions of a module.
struct Naming {
  std::string prefix;
  std::string half;      ///< the 16-bit float
  bool isNumPys = false; ///< int16_to_bfloat16 instead of short2bfloat16

  std::string nameType(const Other &other) const {
    return isNumPys ? other.type.name() : other.nameInCuda;
  }
  std::string nameConversionFrom(const Other &other) const {
    return prefix + nameType(other) + (isNumPys ? "_to_" : "2") + half;
  }
  std::string nameConversionTo(const Other &other) const {
    return prefix + half + (isNumPys ? "_to_" : "2") + nameType(other);
  }
};

struct NamedRounding {
  Rounding rounding;
  const char *suffix, *meaning;
};
constexpr NamedRounding roundings[] = {{Rounding::Nearest, "_rn", "to nearest"},
                                       {Rounding::Zero, "_rz", "towards zero"},
                                       {Rounding::Down, "_rd", "downwards"},
                                       {Rounding::Up, "_ru", "upwards"}};

template <Kind kind> void addConversions(GeneratedRows &table, const Naming &names) {
  const LibraryRow to{"", "(x)", "", typeHalf<kind>, emitToHalf<kind>};
  const LibraryRow from{"", "(h)", "", typeFromHalf<kind>, emitFromHalf<kind>};
  const LibraryRow toBits{"", "(h)", "", typeFromHalf<kind>, emitToBits<kind>};
  const LibraryRow fromBits{"", "(i)", "", typeHalf<kind>, emitFromBits<kind>};
  auto add = [&](LibraryRow row, size_t other, Rounding rounding, std::string name,
                 std::string doc) {
    row.data = encodeConversion(other, rounding);
    table.add(row, std::move(name), std::move(doc));
  };
  for (size_t i = 0; i < convertibleTypes().size(); ++i) {
    const Other &other = convertibleTypes()[i];
    std::string type = other.type.name(), saturates = "; saturates, NaN is 0.";
    unsigned bits = other.type->bits;
    if (other.type.isFloat())
      add(to, i, Rounding::Nearest, names.nameConversionFrom(other),
          "Conversion of a value of type " + type + ", to nearest.");
    if (other.type == float32Type())
      add(from, i, Rounding::Nearest, names.nameConversionTo(other),
          "Exact conversion to float32.");
    if (bits == 8)
      add(from, i, Rounding::Zero, names.nameConversionTo(other) + "_rz",
          "Conversion to " + type + ", towards zero" + saturates);
    if (bits == 8 || other.type == float64Type())
      continue;
    for (const NamedRounding &r : roundings) {
      add(to, i, r.rounding, names.nameConversionFrom(other) + r.suffix,
          "Conversion of a value of type " + type + ", " + r.meaning + ".");
      if (other.type.isInteger())
        add(from, i, r.rounding, names.nameConversionTo(other) + r.suffix,
            "Conversion to " + type + ", " + r.meaning + saturates);
    }
    if (bits == 16) {
      add(toBits, i, Rounding::Nearest, names.prefix + names.half + "_as_" + names.nameType(other),
          "Reinterprets the bits as an integer.");
      add(fromBits, i, Rounding::Nearest,
          names.prefix + names.nameType(other) + "_as_" + names.half,
          "Reinterprets an integer's bits as a float.");
    }
  }
}

GeneratedRows makeHalfRows() {
  GeneratedRows table;
  // In fp16, numba-cuda has the basic rows with and without leading underscores, and the special rows only with them.
  table.add("cuda.fp16.", plainRows<Half>);
  table.add("cuda.fp16.", functionRows<Half>);
  table.add("cuda.fp16.__", plainRows<Half>);
  table.add("cuda.fp16.__", specialRows<Half>);
  addConversions<Half>(table, {.prefix = "cuda.fp16.__", .half = "half"});

  table.add("cuda.bf16.", plainRows<Brain>);
  table.add("cuda.bf16.", specialRows<Brain>);
  table.add("cuda.bf16.", functionRows<Brain>);
  addConversions<Brain>(table, {.prefix = "cuda.bf16.", .half = "bfloat16"});
  addConversions<Brain>(table, {.prefix = "cuda.bf16.", .half = "bfloat16", .isNumPys = true});
  return table;
}

} // namespace

llvm::ArrayRef<LibraryRow> halfLibrary() {
  static const GeneratedRows table = makeHalfRows();
  return table.rows();
}

} // namespace heddle::python
