// Logic, shifts and bit fields (PTX ISA 9.0, 9.7.1 and 9.7.8). Shift amounts of at least the bit width shift out all
// bits.
#include "frontend/ptx/step.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

constexpr ScalarType word{ScalarType::Bits, 32};
constexpr ScalarType amountType{ScalarType::Unsigned, 32};

ScalarType takeBitsType(Step &s, bool predicates = false) {
  ScalarType type = s.takeType();
  if (type.isFloat() || (type.kind == ScalarType::Predicate && !predicates) || type.bits() == 8)
    s.refuse("this instruction does not support this type");
  return type;
}

void emitLogic(Step &s, llvm::Instruction::BinaryOps op) {
  ScalarType type = takeBitsType(s, /*predicates=*/true);
  s.writeResult(s.b.CreateBinOp(op, s.readInput(1, type), s.readInput(2, type)), type);
}

void andBits(Step &s) { emitLogic(s, llvm::Instruction::And); }
void orBits(Step &s) { emitLogic(s, llvm::Instruction::Or); }
void xorBits(Step &s) { emitLogic(s, llvm::Instruction::Xor); }
void notBits(Step &s) {
  ScalarType type = takeBitsType(s, /*predicates=*/true);
  s.writeResult(s.b.CreateNot(s.readInput(1, type)), type);
}
void cnot(Step &s) {
  ScalarType type = takeBitsType(s);
  Value *isZero = s.b.CreateICmpEQ(s.readInput(1, type), s.makeConstant(type, 0));
  s.writeResult(s.b.CreateZExt(isZero, s.bitsType(type.bits())), type);
}

/// Shifts `v` by any 32-bit amount.
Value *emitShift(Step &s, llvm::Instruction::BinaryOps op, Value *v, Value *amount) {
  Type *type = v->getType();
  unsigned bits = type->getIntegerBitWidth();
  Value *most = s.b.getInt32(bits - 1);
  Value *inside = s.b.CreateBinaryIntrinsic(Intrinsic::umin, amount, most);
  Value *result = s.b.CreateBinOp(op, v, s.b.CreateZExtOrTrunc(inside, type));
  if (op == llvm::Instruction::AShr)
    return result;
  return s.b.CreateSelect(s.b.CreateICmpUGT(amount, most), Constant::getNullValue(type), result);
}

void shl(Step &s) {
  ScalarType type = takeBitsType(s);
  s.writeResult(
      emitShift(s, llvm::Instruction::Shl, s.readInput(1, type), s.readInput(2, amountType)), type);
}

void shr(Step &s) {
  ScalarType type = takeBitsType(s);
  auto op = type.isSigned() ? llvm::Instruction::AShr : llvm::Instruction::LShr;
  s.writeResult(emitShift(s, op, s.readInput(1, type), s.readInput(2, amountType)), type);
}

/// Funnel shift: shifts the 64 bits of two words, low word first.
void shf(Step &s) {
  StringRef side = s.takeOneOf({"l", "r"}), ends = s.takeOneOf({"clamp", "wrap"});
  if (side.empty() || ends.empty() || takeBitsType(s).bits() != 32)
    s.refuse("shf needs .l or .r, .clamp or .wrap, and .b32");
  Value *low = s.readInput(1, word), *high = s.readInput(2, word),
        *amount = s.readInput(3, amountType);
  auto id = side == "l" ? Intrinsic::fshl : Intrinsic::fshr;
  Value *result = s.b.CreateIntrinsic(id, {low->getType()}, {high, low, amount});
  if (ends == "clamp")
    result = s.b.CreateSelect(s.b.CreateICmpUGT(amount, s.b.getInt32(31)), side == "l" ? low : high,
                              result);
  s.writeResult(result, word);
}

/// Any function of three bits, given by a table of 8 results. Computed as the sum (xor) of products of its operands.
void lop3(Step &s) {
  takeBitsType(s);
  uint64_t table = s.readConstant(4) & 0xff;
  Value *x[] = {s.readInput(3, word), s.readInput(2, word),
                s.readInput(1, word)};       // by bit of the table index
  for (unsigned bit = 1; bit < 8; bit <<= 1) // Moebius transform: results to coefficients
    for (unsigned i = 0; i < 8; ++i)
      if (i & bit)
        table ^= (table >> (i ^ bit) & 1) << i;
  Value *total = s.makeConstant(word, 0);
  for (unsigned i = 0; i < 8; ++i) {
    if (!(table >> i & 1))
      continue;
    Value *term = s.makeConstant(word, ~uint64_t(0));
    for (unsigned n = 0; n < 3; ++n)
      if (i >> n & 1)
        term = s.b.CreateAnd(term, x[n]);
    total = s.b.CreateXor(total, term);
  }
  s.writeResult(total, word);
}

/// The 4-bit selector for byte `n` of the result: one of 8 source bytes, or its replicated sign if the highest bit is
/// set.
Value *emitByteSelector(Step &s, StringRef mode, Value *control, unsigned n) {
  Value *at = s.b.getInt32(n);
  if (mode.empty())
    return s.b.CreateAnd(s.b.CreateLShr(control, 4 * n), 15);
  Value *low = s.b.CreateAnd(control, 3);
  if (mode == "f4e")
    return s.b.CreateAdd(low, at);
  if (mode == "b4e")
    return s.b.CreateAnd(s.b.CreateSub(low, at), 7);
  if (mode == "rc8")
    return low;
  if (mode == "ecl")
    return s.b.CreateBinaryIntrinsic(Intrinsic::umax, low, at);
  if (mode == "ecr")
    return s.b.CreateBinaryIntrinsic(Intrinsic::umin, low, at);
  return s.b.CreateOr(s.b.CreateShl(s.b.CreateAnd(low, 1), 1), n & 1); // rc16
}

void prmt(Step &s) {
  takeBitsType(s);
  StringRef mode = s.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  Type *wide = s.b.getInt64Ty();
  Value *low = s.b.CreateZExt(s.readInput(1, word), wide),
        *high = s.b.CreateZExt(s.readInput(2, word), wide);
  Value *bytes = s.b.CreateOr(s.b.CreateShl(high, 32), low), *control = s.readInput(3, word);
  Value *result = s.makeConstant(word, 0);
  for (unsigned n = 0; n < 4; ++n) {
    Value *number = emitByteSelector(s, mode, control, n);
    Value *amount = s.b.CreateShl(s.b.CreateAnd(number, 7), 3);
    Value *byte =
        s.b.CreateTrunc(s.b.CreateLShr(bytes, s.b.CreateZExt(amount, wide)), s.b.getInt8Ty());
    Value *isSign = s.b.CreateICmpUGT(number, s.b.getInt32(7));
    byte = s.b.CreateSelect(isSign, s.b.CreateAShr(byte, 7), byte);
    result = s.b.CreateOr(result, s.b.CreateShl(s.b.CreateZExt(byte, s.b.getInt32Ty()), 8 * n));
  }
  s.writeResult(result, word);
}

/// A mask of the `length` lowest bits.
Value *emitLowBitMask(Step &s, ScalarType type, Value *length) {
  Value *all = s.makeConstant(type, ~uint64_t(0));
  return s.b.CreateNot(emitShift(s, llvm::Instruction::Shl, all, length));
}

Value *readLowByte(Step &s, size_t n) { return s.b.CreateAnd(s.readInput(n, amountType), 0xff); }

void bfe(Step &s) {
  ScalarType type = takeBitsType(s);
  Value *position = readLowByte(s, 2), *length = readLowByte(s, 3), *v = s.readInput(1, type);
  if (!type.isSigned())
    return s.writeResult(s.b.CreateAnd(emitShift(s, llvm::Instruction::LShr, v, position),
                                       emitLowBitMask(s, type, length)),
                         type);
  Value *field = emitShift(s, llvm::Instruction::AShr, v, position);
  Value *unused = s.b.CreateBinaryIntrinsic(Intrinsic::usub_sat, s.b.getInt32(type.bits()), length);
  Value *amount = s.b.CreateZExtOrTrunc(
      s.b.CreateBinaryIntrinsic(Intrinsic::umin, unused, s.b.getInt32(type.bits() - 1)),
      v->getType());
  Value *result = s.b.CreateAShr(s.b.CreateShl(field, amount), amount);
  Value *isEmpty = s.b.CreateICmpEQ(length, s.b.getInt32(0));
  s.writeResult(s.b.CreateSelect(isEmpty, s.makeConstant(type, 0), result), type);
}

void bfi(Step &s) {
  ScalarType type = takeBitsType(s);
  Value *position = readLowByte(s, 3), *length = readLowByte(s, 4);
  Value *field = emitShift(s, llvm::Instruction::Shl, s.readInput(1, type), position);
  Value *mask = emitShift(s, llvm::Instruction::Shl, emitLowBitMask(s, type, length), position);
  s.writeResult(s.b.CreateOr(s.b.CreateAnd(s.readInput(2, type), s.b.CreateNot(mask)),
                             s.b.CreateAnd(field, mask)),
                type);
}

/// The position of the highest bit that differs from the sign; -1 if there is none.
void bfind(Step &s) {
  bool asAmount = s.takeWord("shiftamt");
  ScalarType type = takeBitsType(s);
  Value *v = s.readInput(1, type);
  if (type.isSigned())
    v = s.b.CreateXor(v, s.b.CreateAShr(v, type.bits() - 1));
  Value *zeros = s.b.CreateZExtOrTrunc(
      s.b.CreateBinaryIntrinsic(Intrinsic::ctlz, v, s.b.getFalse()), s.b.getInt32Ty());
  Value *place = asAmount ? zeros : s.b.CreateSub(s.b.getInt32(type.bits() - 1), zeros);
  Value *none = s.b.CreateICmpEQ(v, s.makeConstant(type, 0));
  s.writeResult(s.b.CreateSelect(none, s.b.getInt32(~0u), place), amountType);
}

void popc(Step &s) {
  ScalarType type = takeBitsType(s);
  Value *count = s.b.CreateUnaryIntrinsic(Intrinsic::ctpop, s.readInput(1, type));
  s.writeResult(s.b.CreateZExtOrTrunc(count, s.b.getInt32Ty()), amountType);
}

void clz(Step &s) {
  ScalarType type = takeBitsType(s);
  Value *count = s.b.CreateBinaryIntrinsic(Intrinsic::ctlz, s.readInput(1, type), s.b.getFalse());
  s.writeResult(s.b.CreateZExtOrTrunc(count, s.b.getInt32Ty()), amountType);
}

void brev(Step &s) {
  ScalarType type = takeBitsType(s);
  s.writeResult(s.b.CreateUnaryIntrinsic(Intrinsic::bitreverse, s.readInput(1, type)), type);
}

/// The position of the n-th set bit from a base, upwards, or downwards for a negative n; for 0 the base itself if its
/// bit is set. 0xffffffff if there is none.
void fns(Step &s) {
  IRBuilder<> &b = s.b;
  takeBitsType(s);
  Value *bits = s.readInput(1, word), *base = s.readInput(2, word), *n = s.readInput(3, word);
  Value *zero = b.getInt32(0), *one = b.getInt32(1), *last = b.getInt32(31);
  Value *isDown = b.CreateICmpSLT(n, zero);
  auto mirrorIfDown = [&](Value *place) {
    return b.CreateSelect(isDown, b.CreateSub(last, place), place);
  };
  bits = b.CreateSelect(isDown, b.CreateUnaryIntrinsic(Intrinsic::bitreverse, bits), bits);
  Value *before = b.CreateShl(b.getInt32(~0u), b.CreateAnd(mirrorIfDown(base), last));
  bits = b.CreateAnd(bits, before);
  Value *count = b.CreateBinaryIntrinsic(Intrinsic::abs, n, b.getFalse());
  for (unsigned i = 1; i <= 32; ++i) { // drops the bits before the n-th
    Value *without = b.CreateAnd(bits, b.CreateSub(bits, one));
    bits = b.CreateSelect(b.CreateICmpUGT(count, b.getInt32(i)), without, bits);
  }
  Value *place = mirrorIfDown(b.CreateBinaryIntrinsic(Intrinsic::cttz, bits, b.getFalse()));
  Value *isBase = b.CreateOr(b.CreateICmpNE(n, zero), b.CreateICmpEQ(place, base));
  Value *exists = b.CreateAnd(b.CreateICmpNE(bits, zero), b.CreateICmpULT(base, b.getInt32(32)));
  s.writeResult(b.CreateSelect(b.CreateAnd(exists, isBase), place, b.getInt32(~0u)), word);
}

/// A mask of `length` bits starting at bit `position`.
void bmsk(Step &s) {
  StringRef ends = s.takeOneOf({"clamp", "wrap"});
  takeBitsType(s);
  if (ends.empty())
    s.refuse("bmsk needs .clamp or .wrap");
  Value *position = s.readInput(1, amountType), *length = s.readInput(2, amountType);
  if (ends == "wrap") {
    position = s.b.CreateAnd(position, 31);
    length = s.b.CreateAnd(length, 31);
  }
  s.writeResult(emitShift(s, llvm::Instruction::Shl, emitLowBitMask(s, word, length), position),
                word);
}

} // namespace

ArrayRef<Row> bitInstructions() {
  static const Row rows[] = {
      {"and", 3, 3, andBits}, {"or", 3, 3, orBits}, {"xor", 3, 3, xorBits}, {"not", 2, 2, notBits},
      {"cnot", 2, 2, cnot},   {"shl", 3, 3, shl},   {"shr", 3, 3, shr},     {"shf", 4, 4, shf},
      {"lop3", 5, 5, lop3},   {"prmt", 4, 4, prmt}, {"bfe", 4, 4, bfe},     {"bfi", 5, 5, bfi},
      {"bfind", 2, 2, bfind}, {"popc", 2, 2, popc}, {"clz", 2, 2, clz},     {"brev", 2, 2, brev},
      {"bmsk", 3, 3, bmsk},   {"fns", 4, 4, fns},
  };
  return rows;
}

} // namespace heddle::ptx
