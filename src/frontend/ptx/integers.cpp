// Integer arithmetic (PTX ISA 9.0, 9.7.1 and 9.7.2). floats.cpp has the floating-point variants of add, sub, mul etc.
#include "frontend/ptx/floats.h"
#include "frontend/ptx/step.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

using Binary = llvm::Instruction::BinaryOps;

void requireInteger(const Step &s, ScalarType type) {
  if (type.isFloat() || type.kind == ScalarType::Predicate || type.bits() < 16)
    s.refuse("this instruction does not support this type");
}

Value *emitIntegerCast(Step &s, Value *v, ScalarType type, unsigned bits) {
  return s.b.CreateIntCast(v, s.bitsType(bits), type.isSigned());
}

/// Computes x + y + carryIn or x - y - carryIn, and the carry or borrow out. `operation`: uadd_with_overflow or
/// usub_with_overflow. `carryIn` may be null.
std::pair<Value *, Value *> emitAddOrSubtractWithCarry(Step &s, Intrinsic::ID operation, Value *x,
                                                       Value *y, Value *carryIn) {
  Value *first = s.b.CreateBinaryIntrinsic(operation, x, y);
  Value *total = s.b.CreateExtractValue(first, 0), *carry = s.b.CreateExtractValue(first, 1);
  if (!carryIn)
    return {total, carry};
  Value *second =
      s.b.CreateBinaryIntrinsic(operation, total, s.b.CreateZExt(carryIn, x->getType()));
  return {s.b.CreateExtractValue(second, 0),
          s.b.CreateOr(carry, s.b.CreateExtractValue(second, 1))};
}

/// Translates add, addc, sub and subc.
void addOrSubtract(Step &s, bool subtracts, bool takesCarry) {
  ScalarType type = s.takeType();
  if (type.isFloat() && !takesCarry)
    return subtracts ? subtractFloats(s, type) : addFloats(s, type);
  requireInteger(s, type);
  Value *x = s.readInput(1, type), *y = s.readInput(2, type);
  if (s.takeWord("sat"))
    return s.writeResult(
        s.b.CreateBinaryIntrinsic(type.isSigned()
                                      ? (subtracts ? Intrinsic::ssub_sat : Intrinsic::sadd_sat)
                                      : (subtracts ? Intrinsic::usub_sat : Intrinsic::uadd_sat),
                                  x, y),
        type);
  Value *carryIn = takesCarry ? s.readCarry() : nullptr;
  auto [result, carry] = emitAddOrSubtractWithCarry(
      s, subtracts ? Intrinsic::usub_with_overflow : Intrinsic::uadd_with_overflow, x, y, carryIn);
  if (s.takeWord("cc"))
    s.writeCarry(carry);
  s.writeResult(result, type);
}

void add(Step &s) { addOrSubtract(s, false, false); }
void addc(Step &s) { addOrSubtract(s, false, true); }
void sub(Step &s) { addOrSubtract(s, true, false); }
void subc(Step &s) { addOrSubtract(s, true, true); }

/// The part of the product that `part` names.
Value *emitProductPart(Step &s, Value *x, Value *y, ScalarType type, StringRef part) {
  if (part == "lo")
    return s.b.CreateMul(x, y);
  unsigned wide = type.bits() * 2;
  Value *whole =
      s.b.CreateMul(emitIntegerCast(s, x, type, wide), emitIntegerCast(s, y, type, wide));
  if (part == "wide")
    return whole;
  return s.b.CreateTrunc(s.b.CreateLShr(whole, type.bits()), x->getType());
}

ScalarType productType(Step &s, ScalarType type, StringRef part) {
  requireInteger(s, type);
  if (part.empty())
    s.refuse("an integer product needs .lo, .hi or .wide");
  if (part == "wide" && type.bits() == 64)
    s.refuse("128-bit products are not supported");
  return part == "wide" ? ScalarType{type.kind, type.bits() * 2} : type;
}

void mul(Step &s) {
  ScalarType type = s.takeType();
  if (type.isFloat())
    return multiplyFloats(s, type);
  StringRef part = s.takeOneOf({"lo", "hi", "wide"});
  ScalarType result = productType(s, type, part);
  s.writeResult(emitProductPart(s, s.readInput(1, type), s.readInput(2, type), type, part), result);
}

void multiplyAndAdd(Step &s, bool takesCarry) {
  ScalarType type = s.takeType();
  if (type.isFloat() && !takesCarry)
    return fmaFloats(s, type);
  StringRef part = s.takeOneOf({"lo", "hi", "wide"});
  ScalarType result = productType(s, type, part);
  Value *whole = emitProductPart(s, s.readInput(1, type), s.readInput(2, type), type, part),
        *z = s.readInput(3, result);
  if (s.takeWord("sat"))
    return s.writeResult(s.b.CreateBinaryIntrinsic(Intrinsic::sadd_sat, whole, z), result);
  auto [total, carry] = emitAddOrSubtractWithCarry(s, Intrinsic::uadd_with_overflow, whole, z,
                                                   takesCarry ? s.readCarry() : nullptr);
  if (s.takeWord("cc"))
    s.writeCarry(carry);
  s.writeResult(total, result);
}

void mad(Step &s) { multiplyAndAdd(s, false); }
void madc(Step &s) { multiplyAndAdd(s, true); }

/// The product of the low 24 bits: its low 32 bits, or the 32 bits from bit 16.
Value *multiply24(Step &s, ScalarType type) {
  if (type.bits() != 32 || type.isFloat())
    s.refuse("this instruction does not support this type");
  StringRef part = s.takeOneOf({"lo", "hi"});
  auto low = [&](Value *v) {
    Value *top = s.b.CreateShl(v, 8);
    Value *cut = type.isSigned() ? s.b.CreateAShr(top, 8) : s.b.CreateLShr(top, 8);
    return emitIntegerCast(s, cut, type, 64);
  };
  Value *whole = s.b.CreateMul(low(s.readInput(1, type)), low(s.readInput(2, type)));
  return s.b.CreateTrunc(part == "hi" ? s.b.CreateLShr(whole, 16) : whole, s.b.getInt32Ty());
}

void mul24(Step &s) {
  ScalarType type = s.takeType();
  s.writeResult(multiply24(s, type), type);
}

void mad24(Step &s) {
  ScalarType type = s.takeType();
  s.writeResult(s.b.CreateAdd(multiply24(s, type), s.readInput(3, type)), type);
}

/// As on GPUs, x / 0 is all ones and x % 0 is x. The quotient wraps on overflow.
void divide(Step &s, bool remainder) {
  ScalarType type = s.takeType();
  if (type.isFloat() && !remainder)
    return divideFloats(s, type);
  requireInteger(s, type);
  Value *x = s.readInput(1, type), *y = s.readInput(2, type);
  Value *zero = s.b.CreateICmpEQ(y, s.makeConstant(type, 0));
  Value *one = s.makeConstant(type, 1), *unsafe = zero;
  if (type.isSigned()) // x / -1 is -x
    unsafe = s.b.CreateOr(zero, s.b.CreateICmpEQ(y, s.makeConstant(type, ~uint64_t(0))));
  Value *divisor = s.b.CreateSelect(unsafe, one, y);
  Binary op = type.isSigned() ? (remainder ? llvm::Instruction::SRem : llvm::Instruction::SDiv)
                              : (remainder ? llvm::Instruction::URem : llvm::Instruction::UDiv);
  Value *result = s.b.CreateBinOp(op, x, divisor);
  if (type.isSigned())
    result =
        s.b.CreateSelect(unsafe, remainder ? s.makeConstant(type, 0) : s.b.CreateNeg(x), result);
  s.writeResult(s.b.CreateSelect(zero, remainder ? x : s.makeConstant(type, ~uint64_t(0)), result),
                type);
}

void div(Step &s) { divide(s, false); }
void rem(Step &s) { divide(s, true); }

void abs(Step &s) {
  ScalarType type = s.takeType();
  if (type.isFloat())
    return absoluteFloat(s, type);
  requireInteger(s, type);
  s.writeResult(s.b.CreateBinaryIntrinsic(Intrinsic::abs, s.readInput(1, type), s.b.getFalse()),
                type);
}

void neg(Step &s) {
  ScalarType type = s.takeType();
  if (type.isFloat())
    return negateFloat(s, type);
  requireInteger(s, type);
  s.writeResult(s.b.CreateNeg(s.readInput(1, type)), type);
}

void minOrMax(Step &s, bool largest) {
  ScalarType type = s.takeType();
  if (type.isFloat())
    return minMaxFloat(s, type, largest);
  requireInteger(s, type);
  auto id = type.isSigned() ? (largest ? Intrinsic::smax : Intrinsic::smin)
                            : (largest ? Intrinsic::umax : Intrinsic::umin);
  s.writeResult(s.b.CreateBinaryIntrinsic(id, s.readInput(1, type), s.readInput(2, type)), type);
}

void min(Step &s) { minOrMax(s, false); }
void max(Step &s) { minOrMax(s, true); }

void sad(Step &s) {
  ScalarType type = s.takeType();
  requireInteger(s, type);
  Value *x = s.readInput(1, type), *y = s.readInput(2, type);
  bool isSigned = type.isSigned();
  Value *larger = s.b.CreateBinaryIntrinsic(isSigned ? Intrinsic::smax : Intrinsic::umax, x, y);
  Value *smaller = s.b.CreateBinaryIntrinsic(isSigned ? Intrinsic::smin : Intrinsic::umin, x, y);
  s.writeResult(s.b.CreateAdd(s.b.CreateSub(larger, smaller), s.readInput(3, type)), type);
}

/// Extracts `bits` bits, starting at bit `from`.
Value *extractBits(Step &s, Value *v, unsigned from, unsigned bits, bool isSigned) {
  Value *cut = s.b.CreateTrunc(s.b.CreateLShr(v, from), s.bitsType(bits));
  return s.b.CreateIntCast(cut, s.b.getInt32Ty(), isSigned);
}

/// A dot product of the lanes of two words.
void emitDotProduct(Step &s, unsigned pieces, unsigned firstBits, unsigned secondFrom) {
  ScalarType x = s.takeType(), y = s.takeType();
  if (x.bits() != 32 || y.bits() != 32 || x.isFloat() || y.isFloat())
    s.refuse("this instruction does not support this type");
  Value *first = s.readInput(1, x), *second = s.readInput(2, y), *total = s.readInput(3, x);
  for (unsigned i = 0; i < pieces; ++i)
    total = s.b.CreateAdd(
        total, s.b.CreateMul(extractBits(s, first, i * firstBits, firstBits, x.isSigned()),
                             extractBits(s, second, secondFrom + i * 8, 8, y.isSigned())));
  s.writeResult(total, x);
}

void dp4a(Step &s) { emitDotProduct(s, 4, 8, 0); }
void dp2a(Step &s) {
  StringRef half = s.takeOneOf({"lo", "hi"});
  if (half.empty())
    s.refuse("dp2a needs .lo or .hi");
  emitDotProduct(s, 2, 16, half == "hi" ? 16 : 0);
}

} // namespace

ArrayRef<Row> integerInstructions() {
  static const Row rows[] = {
      {"add", 3, 3, add},     {"addc", 3, 3, addc}, {"sub", 3, 3, sub},   {"subc", 3, 3, subc},
      {"mul", 3, 3, mul},     {"mad", 4, 4, mad},   {"madc", 4, 4, madc}, {"mul24", 3, 3, mul24},
      {"mad24", 4, 4, mad24}, {"div", 3, 3, div},   {"rem", 3, 3, rem},   {"abs", 2, 2, abs},
      {"neg", 2, 2, neg},     {"min", 3, 3, min},   {"max", 3, 3, max},   {"sad", 4, 4, sad},
      {"dp4a", 4, 4, dp4a},   {"dp2a", 4, 4, dp2a},
  };
  return rows;
}

} // namespace heddle::ptx
