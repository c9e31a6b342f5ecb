// Arithmetic on scalars, with Python's and numba's meaning of each operator.

#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/times.h"

#include "llvm/IR/Intrinsics.h"

#include <cmath>

namespace heddle::python {

using llvm::Intrinsic::ID;

llvm::Value *emitScalarTruth(Emitter &e, llvm::Value *v, Type type) {
  llvm::IRBuilder<> &b = e.b;
  if (type.isBool())
    return v;
  if (type.isFloat())
    return b.CreateFCmpUNE(v, llvm::ConstantFP::get(v->getType(), 0));
  return b.CreateICmpNE(v, llvm::ConstantInt::get(v->getType(), 0));
}

llvm::Value *callMath(Emitter &e, simt::Op op, llvm::ArrayRef<llvm::Value *> operands) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Type *type = operands[0]->getType();
  if (!type->is16bitFPTy())
    return simt::call(b, op, operands);
  llvm::SmallVector<llvm::Value *, 4> wide;
  for (llvm::Value *operand : operands)
    wide.push_back(operand->getType() == type ? b.CreateFPExt(operand, b.getFloatTy()) : operand);
  llvm::Value *result = simt::call(b, op, wide);
  return result->getType()->isFloatTy() ? b.CreateFPTrunc(result, type) : result;
}

namespace {

/// Truncates to a signed integer. Out-of-range values and NaN become the lowest integer, as with x86's instructions, so
/// only constants, which LLVM folds, need a comparison.
llvm::Value *truncateToSigned(llvm::IRBuilder<> &b, llvm::Value *v, unsigned bits) {
  llvm::Type *type = b.getIntNTy(bits);
  if (!llvm::isa<llvm::Constant>(v))
    return b.CreateFreeze(b.CreateFPToSI(v, type));
  llvm::Value *size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v);
  llvm::Value *end = llvm::ConstantFP::get(v->getType(), std::ldexp(1.0, int(bits) - 1));
  llvm::Constant *lowest = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits));
  return b.CreateSelect(b.CreateFCmpOLT(size, end), b.CreateFPToSI(v, type), lowest);
}

/// Truncates to an integer of at least 32 bits, and takes the low bits for a narrower type. Out-of-range values become
/// the nearest integer, and NaN becomes 0.
llvm::Value *saturateToInteger(llvm::IRBuilder<> &b, llvm::Value *v, bool isSigned, unsigned bits) {
  ID id = isSigned ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  llvm::Type *wide = b.getIntNTy(std::max(bits, 32u));
  return b.CreateTrunc(b.CreateIntrinsic(id, {wide, v->getType()}, {v}), b.getIntNTy(bits));
}

#if defined(__aarch64__)
constexpr bool hostSaturates = true;
#else
constexpr bool hostSaturates = false;
#endif

/// Float to integer on the host, as NumPy converts on the same processor. On x86-64, out-of-range values, and negative
/// numbers for unsigned types, give the low bits of the int32 or int64. AArch64's instructions saturate.
llvm::Value *floatToHostInteger(llvm::IRBuilder<> &b, llvm::Value *v, Type to) {
  if (hostSaturates)
    return saturateToInteger(b, v, to.isSigned(), to->bits);
  if (to.isSigned() || to->bits < 64) {
    unsigned bits = to.isSigned() ? std::max(to->bits, 32u) : to->bits < 32 ? 32 : 64;
    return b.CreateTrunc(truncateToSigned(b, v, bits), b.getIntNTy(to->bits));
  }
  llvm::Value *half = llvm::ConstantFP::get(v->getType(), std::ldexp(1.0, 63));
  llvm::Value *isUpper = b.CreateFCmpOGE(v, half);
  llvm::Value *lower = b.CreateSelect(isUpper, b.CreateFSub(v, half), v);
  llvm::Value *highBit = b.CreateSelect(isUpper, b.getInt64(uint64_t(1) << 63), b.getInt64(0));
  return b.CreateXor(truncateToSigned(b, lower, 64), highBit);
}

/// Float to integer: truncates. Kernels convert like a GPU: they saturate, NaN becomes 0, and narrow integers take the
/// low bits of an int32.
llvm::Value *floatToInteger(Emitter &e, llvm::Value *v, Type to) {
  llvm::IRBuilder<> &b = e.b;
  if (v->getType()->is16bitFPTy())
    v = b.CreateFPExt(v, b.getFloatTy());
  if (!e.function().rules->saturates)
    return floatToHostInteger(b, v, to);
  return saturateToInteger(b, v, to.isSigned() || to->bits < 32, to->bits);
}

} // namespace

llvm::Value *cast(Emitter &e, llvm::Value *v, Type from, Type to) {
  llvm::IRBuilder<> &b = e.b;
  if (from == to)
    return v;
  llvm::Type *type = partTypes(b.getContext(), to)[0];
  if (to.isBool())
    return emitScalarTruth(e, v, from);
  if (to.isFloat()) {
    if (from.isHalf() && to.isHalf()) // from float16 to bfloat16 or back
      v = b.CreateFPExt(v, b.getFloatTy());
    if (from.isFloat())
      return b.CreateFPCast(v, type);
    if (to.isHalf()) // float64 holds all integers that a half distinguishes
      return b.CreateFPTrunc(cast(e, v, from, float64Type()), type);
    return from.isSigned() ? b.CreateSIToFP(v, type) : b.CreateUIToFP(v, type);
  }
  if (from.isFloat())
    return floatToInteger(e, v, to);
  // Fold here, because LLVM would rather compute a truncated sum in the narrow type.
  if (auto *narrowed = llvm::dyn_cast<llvm::TruncInst>(v);
      narrowed && narrowed->hasNoSignedWrap() && from.isSigned() && narrowed->getSrcTy() == type)
    return narrowed->getOperand(0);
  return from.isSigned() ? b.CreateSExtOrTrunc(v, type) : b.CreateZExtOrTrunc(v, type);
}

llvm::Value *emitUnaryOperator(Emitter &e, UnaryOp op, llvm::Value *a, Type from, Type result) {
  llvm::IRBuilder<> &b = e.b;
  if (from.isTime()) // the negative of NaT is NaT
    return op == UnaryOp::Neg ? b.CreateNeg(a) : a;
  if (op == UnaryOp::Pos)
    return cast(e, a, from, result);
  // Narrow integers are negated before they are widened, as in numba: -uint8(1) is 255.
  Type own = from.isInteger() ? from : result;
  a = cast(e, a, from, own);
  if (op == UnaryOp::Invert)
    a = b.CreateNot(a);
  else
    a = own.isFloat() ? b.CreateFNeg(a) : b.CreateNeg(a);
  return cast(e, a, own, result);
}

namespace {

llvm::Value *zeroOfType(llvm::Value *like) { return llvm::Constant::getNullValue(like->getType()); }

/// a / c and a % c for integers, truncating. As in numba, x/0 and the lowest integer divided by -1 give 0, so that the
/// machine instruction never faults.
struct Division {
  llvm::Value *quotient;
  llvm::Value *remainder;
};
Division divideIntegersSafely(llvm::IRBuilder<> &b, llvm::Value *a, llvm::Value *c, bool isSigned) {
  llvm::Value *byZero = b.CreateICmpEQ(c, zeroOfType(c));
  llvm::Value *one = llvm::ConstantInt::get(c->getType(), 1);
  if (!isSigned) {
    llvm::Value *safe = b.CreateSelect(byZero, one, c);
    return {b.CreateSelect(byZero, zeroOfType(a), b.CreateUDiv(a, safe)),
            b.CreateSelect(byZero, zeroOfType(a), b.CreateURem(a, safe))};
  }
  llvm::Value *byMinusOne = b.CreateICmpEQ(c, llvm::ConstantInt::getSigned(c->getType(), -1));
  llvm::Value *safe = b.CreateSelect(b.CreateOr(byZero, byMinusOne), one, c);
  llvm::Value *lowest = llvm::ConstantInt::get(
      a->getType(), llvm::APInt::getSignedMinValue(a->getType()->getIntegerBitWidth()));
  llvm::Value *negated = b.CreateSelect(b.CreateICmpEQ(a, lowest), zeroOfType(a), b.CreateNeg(a));
  llvm::Value *quotient = b.CreateSelect(byMinusOne, negated, b.CreateSDiv(a, safe));
  llvm::Value *remainder = b.CreateSelect(byMinusOne, zeroOfType(a), b.CreateSRem(a, safe));
  return {b.CreateSelect(byZero, zeroOfType(a), quotient),
          b.CreateSelect(byZero, zeroOfType(a), remainder)};
}

/// CPython's float divmod: the remainder has the sign of the divisor, and the quotient is a whole number.
struct FloatDivision {
  llvm::Value *quotient;
  llvm::Value *remainder;
};
FloatDivision floorDivideFloats(Emitter &e, llvm::Value *a, llvm::Value *c) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Type *type = a->getType();
  llvm::Value *nil = llvm::ConstantFP::get(type, 0), *one = llvm::ConstantFP::get(type, 1);
  llvm::Value *mod = callMath(e, simt::Op::Fmod, {a, c});
  llvm::Value *whole = b.CreateFDiv(b.CreateFSub(a, mod), c);
  llvm::Value *exact = b.CreateFCmpOEQ(mod, nil);
  llvm::Value *otherSign = b.CreateXor(b.CreateFCmpOLT(mod, nil), b.CreateFCmpOLT(c, nil));
  llvm::Value *adjust = b.CreateAnd(b.CreateNot(exact), otherSign);
  llvm::Value *remainder = b.CreateSelect(adjust, b.CreateFAdd(mod, c), mod);
  remainder =
      b.CreateSelect(exact, b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, nil, c), remainder);
  whole = b.CreateSelect(adjust, b.CreateFSub(whole, one), whole);
  llvm::Value *floor = b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, whole);
  llvm::Value *low = b.CreateFCmpOGT(b.CreateFSub(whole, floor), llvm::ConstantFP::get(type, 0.5));
  floor = b.CreateSelect(low, b.CreateFAdd(floor, one), floor);
  llvm::Value *ratio = b.CreateFDiv(a, c);
  llvm::Value *signedZero = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, nil, ratio);
  floor = b.CreateSelect(b.CreateFCmpOEQ(whole, nil), signedZero, floor);
  // Division by zero follows NumPy: the quotient is an infinity or NaN, and the remainder is NaN.
  return {b.CreateSelect(b.CreateFCmpOEQ(c, nil), ratio, floor),
          b.CreateSelect(b.CreateFCmpOEQ(c, nil), mod, remainder)};
}

void checkDivisor(Emitter &e, llvm::Value *c, Type type, Span span, const char *message) {
  if (!e.checks().divisors)
    return;
  llvm::Value *byZero = type.isFloat()
                            ? e.b.CreateFCmpOEQ(c, llvm::ConstantFP::get(c->getType(), 0))
                            : e.b.CreateICmpEQ(c, zeroOfType(c));
  e.trapIf(byZero, span, "ZeroDivisionError", message);
}

/// True if the quotient of two signed integers was rounded up, so that the floor is lower by 1.
llvm::Value *isAboveFloor(llvm::IRBuilder<> &b, const Division &d, llvm::Value *divisor) {
  llvm::Value *nil = zeroOfType(divisor);
  llvm::Value *inexact = b.CreateICmpNE(d.remainder, nil);
  llvm::Value *otherSign = b.CreateICmpSLT(b.CreateXor(d.remainder, divisor), nil);
  return b.CreateAnd(inexact, otherSign);
}

} // namespace

llvm::Value *emitFloorDivide(Emitter &e, llvm::Value *a, llvm::Value *c, Type type, Span span) {
  llvm::IRBuilder<> &b = e.b;
  checkDivisor(e, c, type, span,
               type.isFloat() ? "float floor division by zero" : "integer division by zero");
  if (type.isFloat())
    return floorDivideFloats(e, a, c).quotient;
  Division d = divideIntegersSafely(b, a, c, type.isSigned());
  if (!type.isSigned())
    return d.quotient;
  return b.CreateSub(d.quotient, b.CreateZExt(isAboveFloor(b, d, c), a->getType()));
}

llvm::Value *emitModulo(Emitter &e, llvm::Value *a, llvm::Value *c, Type type, Span span) {
  llvm::IRBuilder<> &b = e.b;
  checkDivisor(e, c, type, span,
               type.isFloat() ? "float modulo by zero" : "integer modulo by zero");
  if (type.isFloat())
    return floorDivideFloats(e, a, c).remainder;
  Division d = divideIntegersSafely(b, a, c, type.isSigned());
  if (!type.isSigned())
    return d.remainder;
  llvm::Value *differs = isAboveFloor(b, d, c);
  return b.CreateSelect(differs, b.CreateAdd(d.remainder, c), d.remainder);
}

namespace {

/// base ** (negative ? -count : count) by repeated squaring, as a function of the module:
///
///     if base is a float and count > 65536: return +-pow(|base|, +-count)
///     r = 1
///     while count: if count & 1: r *= base;  base *= base;  count >>= 1
///     return negative ? inverse : r
///
/// The inverse of a float is 1/r. For an integer, it is the truncated inverse (1 for 1, +-1 for -1, 0 for others), and
/// the lowest integer for 0, as in numba. Repeated squaring loses one bit of a float per doubling of the exponent,
/// hence the bound, which numba uses too.
llvm::Function *getOrEmitIntegerPowerFunction(ModuleEmitter &module, Type base) {
  std::string name = "heddle.power." + base.name();
  if (llvm::Function *known = module.module().getFunction(name))
    return known;
  llvm::LLVMContext &context = module.context();
  llvm::Type *type = partTypes(context, base)[0];
  llvm::Type *countType = llvm::Type::getInt64Ty(context);
  auto *f = llvm::Function::Create(
      llvm::FunctionType::get(type, {type, countType, llvm::Type::getInt1Ty(context)}, false),
      llvm::GlobalValue::InternalLinkage, name, module.module());
  f->addFnAttr(llvm::Attribute::AlwaysInline);
  auto block = [&](const char *label) { return llvm::BasicBlock::Create(context, label, f); };
  llvm::BasicBlock *entry = block("entry"), *loop = block("loop"), *body = block("body"),
                   *done = block("done");
  llvm::IRBuilder<> b(entry);
  llvm::Value *x = f->getArg(0), *count = f->getArg(1), *negative = f->getArg(2);
  if (base.isFloat()) {
    llvm::BasicBlock *large = block("large"), *small = block("small");
    b.CreateCondBr(b.CreateICmpUGT(count, b.getInt64(65536)), large, small);
    b.SetInsertPoint(large);
    // A float may not represent the exponent: take the result's sign from its lowest bit, and the magnitude from pow in
    // float64.
    llvm::Type *wide = b.getDoubleTy();
    llvm::Value *exponent = b.CreateUIToFP(count, wide);
    exponent = b.CreateSelect(negative, b.CreateFNeg(exponent), exponent);
    llvm::Value *size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, b.CreateFPCast(x, wide));
    llvm::Value *power = b.CreateFPCast(simt::call(b, simt::Op::Pow, {size, exponent}), type);
    llvm::Value *odd = b.CreateTrunc(count, b.getInt1Ty());
    b.CreateRet(
        b.CreateSelect(odd, b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, power, x), power));
    b.SetInsertPoint(small);
  }
  llvm::BasicBlock *start = b.GetInsertBlock();
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode *r = b.CreatePHI(type, 2), *square = b.CreatePHI(type, 2),
                *left = b.CreatePHI(countType, 2);
  b.CreateCondBr(b.CreateICmpEQ(left, b.getInt64(0)), done, body);
  b.SetInsertPoint(body);
  auto multiply = [&](llvm::Value *a, llvm::Value *c) {
    return base.isFloat() ? b.CreateFMul(a, c) : b.CreateMul(a, c);
  };
  llvm::Value *odd = b.CreateTrunc(left, b.getInt1Ty());
  llvm::Value *nextR = b.CreateSelect(odd, multiply(r, square), r);
  llvm::Value *nextSquare = multiply(square, square);
  llvm::Value *nextLeft = b.CreateLShr(left, 1);
  b.CreateBr(loop);
  llvm::Constant *one =
      base.isFloat() ? llvm::ConstantFP::get(type, 1) : llvm::ConstantInt::get(type, 1);
  r->addIncoming(one, start);
  r->addIncoming(nextR, body);
  square->addIncoming(x, start);
  square->addIncoming(nextSquare, body);
  left->addIncoming(count, start);
  left->addIncoming(nextLeft, body);
  b.SetInsertPoint(done);
  llvm::Value *inverse;
  if (base.isFloat()) {
    inverse = b.CreateFDiv(one, r);
  } else {
    llvm::Constant *lowest = llvm::ConstantInt::get(type, base.isSigned() ? uint64_t(1) << 63 : 0);
    llvm::Value *unit = b.CreateICmpEQ(x, one);
    if (base.isSigned())
      unit = b.CreateOr(unit, b.CreateICmpEQ(x, llvm::ConstantInt::getSigned(type, -1)));
    inverse = b.CreateSelect(unit, r, llvm::ConstantInt::get(type, 0));
    inverse = b.CreateSelect(b.CreateICmpEQ(x, llvm::ConstantInt::get(type, 0)), lowest, inverse);
  }
  b.CreateRet(b.CreateSelect(negative, inverse, r));
  return f;
}

/// base ** exponent for a constant exponent from 0 to 16, with multiplications only.
llvm::Value *emitSmallPower(Emitter &e, llvm::Value *base, Type type, int64_t exponent) {
  llvm::IRBuilder<> &b = e.b;
  auto multiply = [&](llvm::Value *a, llvm::Value *c) {
    return !a ? c : type.isFloat() ? b.CreateFMul(a, c) : b.CreateMul(a, c);
  };
  llvm::Value *result = nullptr;
  for (llvm::Value *square = base; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = multiply(result, square);
    if (exponent > 1)
      square = multiply(square, square);
  }
  if (result)
    return result;
  return type.isFloat() ? static_cast<llvm::Value *>(llvm::ConstantFP::get(base->getType(), 1))
                        : llvm::ConstantInt::get(base->getType(), 1);
}

llvm::Constant *oneOfType(llvm::Value *like) {
  llvm::Type *type = like->getType();
  return type->isFloatingPointTy() ? llvm::ConstantFP::get(type, 1)
                                   : llvm::cast<llvm::Constant>(llvm::ConstantInt::get(type, 1));
}

llvm::Value *emitPower(Emitter &e, Value &left, Value &right, Type type, Type baseType, Span span) {
  bool wholeExponent = right.type.isInteger() || right.type.isBool();
  if (!wholeExponent || (type.isFloat() && !left.type.isFloat())) {
    llvm::Value *base = e.scalar(left, baseType), *exponent = e.scalar(right, baseType);
    return callMath(e, simt::Op::Pow, {base, exponent});
  }
  llvm::Value *base = e.scalar(left, baseType);
  if (right.constant && right.constant->integer >= 0 && right.constant->integer <= 16)
    return emitSmallPower(e, base, type, right.constant->integer);
  // The exponent of an integer is converted like its base; that of a float keeps its sign.
  Type counted = type.isFloat() ? right.type : baseType;
  llvm::Value *exponent = e.scalar(right, counted);
  exponent = cast(e, exponent, counted, int64Type());
  llvm::Value *negative = e.b.getFalse();
  if (counted.isSigned()) {
    negative = e.b.CreateICmpSLT(exponent, e.int64(0));
    exponent = e.b.CreateSelect(negative, e.b.CreateNeg(exponent), exponent);
    llvm::Value *divisor = e.b.CreateSelect(negative, base, oneOfType(base));
    checkDivisor(e, divisor, baseType, span, "0 cannot be raised to a negative power");
  }
  return e.b.CreateCall(getOrEmitIntegerPowerFunction(e.module(), baseType),
                        {base, exponent, negative});
}

/// Shifts by at least the bit width behave as for unbounded integers: 0, or -1 for a negative number shifted right.
llvm::Value *emitShift(Emitter &e, BinaryOp op, llvm::Value *a, llvm::Value *amount, Type type) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *tooFar = b.CreateICmpUGT(amount, llvm::ConstantInt::get(amount->getType(), 63));
  llvm::Value *within =
      b.CreateSelect(tooFar, llvm::ConstantInt::get(amount->getType(), 63), amount);
  if (op == BinaryOp::RShift && type.isSigned())
    return b.CreateAShr(a, within);
  llvm::Value *shifted = op == BinaryOp::LShift ? b.CreateShl(a, within) : b.CreateLShr(a, within);
  return b.CreateSelect(tooFar, zeroOfType(a), shifted);
}

} // namespace

llvm::Value *emitBinaryOperator(Emitter &e, BinaryOp op, Value &left, Value &right, Type result,
                                Span span) {
  llvm::IRBuilder<> &b = e.b;
  Type type = operandTypeFor(op, left.type, right.type);
  if (op == BinaryOp::Pow)
    return emitPower(e, left, right, result, type, span);
  llvm::Value *a = e.scalar(left, type);
  if (op == BinaryOp::LShift || op == BinaryOp::RShift)
    return emitShift(e, op, a, e.scalar(right, int64Type()), type);
  llvm::Value *c = e.scalar(right, type);
  bool floats = type.isFloat();
  switch (op) {
  case BinaryOp::Add:
    return floats ? b.CreateFAdd(a, c) : b.CreateAdd(a, c);
  case BinaryOp::Sub:
    return floats ? b.CreateFSub(a, c) : b.CreateSub(a, c);
  case BinaryOp::Mul:
    return floats ? b.CreateFMul(a, c) : b.CreateMul(a, c);
  case BinaryOp::TrueDiv:
    checkDivisor(e, c, type, span, "division by zero");
    return b.CreateFDiv(a, c);
  case BinaryOp::FloorDiv:
    return emitFloorDivide(e, a, c, type, span);
  case BinaryOp::Mod:
    return emitModulo(e, a, c, type, span);
  case BinaryOp::And:
    return b.CreateAnd(a, c);
  case BinaryOp::Or:
    return b.CreateOr(a, c);
  default:
    return b.CreateXor(a, c);
  }
}

namespace {

llvm::CmpInst::Predicate comparisonPredicate(CompareOp op, Type type) {
  using P = llvm::CmpInst::Predicate;
  static constexpr P floats[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OLT,
                                 P::FCMP_OLE, P::FCMP_OGT, P::FCMP_OGE};
  static constexpr P signs[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_SLT,
                                P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE};
  static constexpr P plain[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_ULT,
                                P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
  return (type.isFloat() ? floats : type.isSigned() ? signs : plain)[unsigned(op)];
}

CompareOp swappedComparison(CompareOp op) {
  switch (op) {
  case CompareOp::Lt:
    return CompareOp::Gt;
  case CompareOp::Le:
    return CompareOp::Ge;
  case CompareOp::Gt:
    return CompareOp::Lt;
  case CompareOp::Ge:
    return CompareOp::Le;
  default:
    return op;
  }
}

} // namespace

llvm::Value *compare(Emitter &e, CompareOp op, llvm::Value *a, Type ta, llvm::Value *c, Type tc) {
  llvm::IRBuilder<> &b = e.b;
  if (ta.isTime())
    return emitTimeCompare(b, op, {a, ta}, {c, tc});
  if (Type type = comparisonType(ta, tc))
    return b.CreateCmp(comparisonPredicate(op, type), cast(e, a, ta, type), cast(e, c, tc, type));
  // Compares a signed integer with a uint64 by value: negative numbers are less than all unsigned ones.
  if (!ta.isSigned())
    return compare(e, swappedComparison(op), c, tc, a, ta);
  Type wide = intType(64, false);
  llvm::Value *x = cast(e, a, ta, int64Type());
  llvm::Value *negative = b.CreateICmpSLT(x, e.int64(0));
  llvm::Value *below = b.getInt1(op == CompareOp::Lt || op == CompareOp::Le || op == CompareOp::Ne);
  return b.CreateSelect(negative, below,
                        b.CreateCmp(comparisonPredicate(op, wide), x, cast(e, c, tc, wide)));
}

} // namespace heddle::python
