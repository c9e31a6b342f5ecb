// Floating-point arithmetic (PTX ISA 9.0, 9.7.3 to 9.7.5). Operations that PTX approximates are exact, or as accurate
// as SIMT IR's functions.
#include "frontend/ptx/floats.h"

#include "simt/passes/relax_floats.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

using Values = ArrayRef<Value *>;

/// The opcode words for the rounding mode and for the adjustment of the result.
class Rounding {
public:
  explicit Rounding(Step &s)
      : s_(s), flush(s), mode(s.takeOneOf({"rn", "rz", "rm", "rp"})),
        saturates_(s.takeWord("sat")) {}

  /// Emits the result in the instruction's rounding mode: calls `nearest`, or emits the operation of another mode.
  Value *emitRounded(ScalarType type, function_ref<Value *()> nearest, simt::Op toZero,
                     simt::Op down, simt::Op up, Values operands) const {
    if (mode.empty() || mode == "rn") {
      Value *v = nearest();
      if (auto *i = dyn_cast<llvm::Instruction>(v); i && mode == "rn" && isa<FPMathOperator>(i))
        i->setMetadata(simt::exactMetadata, MDNode::get(s_.b.getContext(), {}));
      return flushAndSaturate(v);
    }
    if (type.laneBits < 32)
      s_.refuse("16-bit numbers support only rounding to nearest");
    return flushAndSaturate(s_.emitOperation(mode == "rz"   ? toZero
                                             : mode == "rm" ? down
                                                            : up,
                                             operands));
  }

  Value *flushAndSaturate(Value *v) const {
    v = flush(v);
    return saturates_ ? clampToUnit(s_, v) : v;
  }

private:
  Step &s_;

public:
  const Flush flush;
  const StringRef mode;

private:
  bool saturates_;
};

void emitArithmetic(Step &s, ScalarType type, llvm::Instruction::BinaryOps op, simt::Op toZero,
                    simt::Op down, simt::Op up, bool negatesSecond = false) {
  Rounding rounding(s);
  Value *x = s.readInput(1, type), *y = s.readInput(2, type);
  s.writeResult(s.mapLanes(type, {x, y},
                           [&](Values v) {
                             Value *a = rounding.flush(v[0]), *c = rounding.flush(v[1]);
                             Value *operands[] = {
                                 a, negatesSecond && rounding.mode != "rn" ? s.b.CreateFNeg(c) : c};
                             return rounding.emitRounded(
                                 type, [&] { return s.b.CreateBinOp(op, a, c); }, toZero, down, up,
                                 operands);
                           }),
                type);
}

/// Emits a unary function that `compute` computes, with flushing and saturation.
void emitUnaryFunction(Step &s, function_ref<Value *(Value *)> compute) {
  ScalarType type = s.takeType();
  if (!type.isFloat())
    s.refuse("this instruction does not support this type");
  Rounding rounding(s);
  s.takeOneOf({"approx"});
  s.writeResult(s.mapLanes(type, {s.readInput(1, type)},
                           [&](Values v) {
                             return rounding.flushAndSaturate(compute(rounding.flush(v[0])));
                           }),
                type);
}

/// A SIMT math function, which exists for float and double. 16-bit types use float.
void emitMathFunction(Step &s, simt::Op op) {
  emitUnaryFunction(s, [&](Value *x) -> Value * {
    Type *type = x->getType();
    bool isShort = type->isHalfTy() || type->isBFloatTy();
    Value *wide = isShort ? s.b.CreateFPExt(x, s.b.getFloatTy()) : x;
    Value *y = s.emitOperation(op, {wide});
    return isShort ? s.b.CreateFPTrunc(y, type) : y;
  });
}

void ex2(Step &s) { emitMathFunction(s, simt::Op::Exp2); }
void lg2(Step &s) { emitMathFunction(s, simt::Op::Log2); }
void sin(Step &s) { emitMathFunction(s, simt::Op::Sin); }
void cos(Step &s) { emitMathFunction(s, simt::Op::Cos); }
void tanh(Step &s) { emitMathFunction(s, simt::Op::Tanh); }
void rsqrt(Step &s) { emitMathFunction(s, simt::Op::Rsqrt); }

void fma(Step &s) { fmaFloats(s, s.takeType()); }

void rcp(Step &s) {
  ScalarType type = s.takeType();
  s.takeWord("approx");
  Rounding rounding(s);
  Value *x = rounding.flush(s.readInput(1, type));
  if (!type.isFloat() || type.laneBits < 32)
    s.refuse("this instruction does not support this type");
  Value *one = ConstantFP::get(x->getType(), 1);
  s.writeResult(rounding.emitRounded(type, [&] { return s.b.CreateFDiv(one, x); },
                                     simt::Op::DivToZero, simt::Op::DivDown, simt::Op::DivUp,
                                     {one, x}),
                type);
}

void sqrt(Step &s) {
  ScalarType type = s.takeType();
  s.takeWord("approx");
  Rounding rounding(s);
  if (!type.isFloat() || type.laneBits < 32)
    s.refuse("this instruction does not support this type");
  Value *x = rounding.flush(s.readInput(1, type));
  s.writeResult(
      rounding.emitRounded(type, [&] { return s.b.CreateUnaryIntrinsic(Intrinsic::sqrt, x); },
                           simt::Op::SqrtToZero, simt::Op::SqrtDown, simt::Op::SqrtUp, {x}),
      type);
}

/// The magnitude of the second operand with the sign of the first.
void copysign(Step &s) {
  ScalarType type = s.takeType();
  if (!type.isFloat() || type.lanes > 1)
    s.refuse("this instruction does not support this type");
  s.writeResult(
      s.b.CreateBinaryIntrinsic(Intrinsic::copysign, s.readInput(2, type), s.readInput(1, type)),
      type);
}

void testp(Step &s) {
  StringRef question =
      s.takeOneOf({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  ScalarType type = s.takeType();
  if (question.empty() || !type.isFloat() || type.laneBits < 32)
    s.refuse("this test does not exist");
  FPClassTest classes = question == "finite"       ? fcFinite
                        : question == "infinite"   ? fcInf
                        : question == "number"     ? FPClassTest(fcAllFlags & ~fcNan)
                        : question == "notanumber" ? fcNan
                        : question == "normal"     ? fcNormal
                                                   : fcSubnormal;
  s.writePredicates(s.b.createIsFPClass(s.readInput(1, type), classes), nullptr);
}

} // namespace

Value *Flush::operator()(Value *v) const {
  if (!wanted)
    return v;
  Value *zero = s.b.CreateBinaryIntrinsic(Intrinsic::copysign, ConstantFP::get(v->getType(), 0), v);
  return s.b.CreateSelect(s.b.createIsFPClass(v, fcSubnormal), zero, v);
}

Value *clampToUnit(Step &s, Value *v) {
  Value *zero = ConstantFP::get(v->getType(), 0), *one = ConstantFP::get(v->getType(), 1);
  Value *above = s.b.CreateSelect(s.b.CreateFCmpOGT(v, zero), v, zero);
  return s.b.CreateSelect(s.b.CreateFCmpOLT(above, one), above, one);
}

void addFloats(Step &s, ScalarType type) {
  emitArithmetic(s, type, llvm::Instruction::FAdd, simt::Op::AddToZero, simt::Op::AddDown,
                 simt::Op::AddUp);
}

void subtractFloats(Step &s, ScalarType type) {
  emitArithmetic(s, type, llvm::Instruction::FSub, simt::Op::AddToZero, simt::Op::AddDown,
                 simt::Op::AddUp, /*negatesSecond=*/true);
}

void multiplyFloats(Step &s, ScalarType type) {
  emitArithmetic(s, type, llvm::Instruction::FMul, simt::Op::MulToZero, simt::Op::MulDown,
                 simt::Op::MulUp);
}

void divideFloats(Step &s, ScalarType type) {
  if (type.laneBits < 32)
    s.refuse("this instruction does not support this type");
  s.takeOneOf({"approx", "full"});
  emitArithmetic(s, type, llvm::Instruction::FDiv, simt::Op::DivToZero, simt::Op::DivDown,
                 simt::Op::DivUp);
}

void fmaFloats(Step &s, ScalarType type) {
  if (!type.isFloat())
    s.refuse("this instruction does not support this type");
  Rounding rounding(s);
  bool clips = s.takeWord("relu");
  Value *operands[] = {s.readInput(1, type), s.readInput(2, type), s.readInput(3, type)};
  s.writeResult(
      s.mapLanes(
          type, operands,
          [&](Values v) {
            Value *xyz[] = {rounding.flush(v[0]), rounding.flush(v[1]), rounding.flush(v[2])};
            Value *y = rounding.emitRounded(
                type, [&] { return s.b.CreateIntrinsic(Intrinsic::fma, {xyz[0]->getType()}, xyz); },
                simt::Op::FmaToZero, simt::Op::FmaDown, simt::Op::FmaUp, xyz);
            if (!clips)
              return y;
            Value *zero = ConstantFP::get(y->getType(), 0);
            return s.b.CreateBinaryIntrinsic(Intrinsic::maximum, y, zero);
          }),
      type);
}

void absoluteFloat(Step &s, ScalarType type) {
  Flush flush(s);
  s.writeResult(
      s.mapLanes(type, {s.readInput(1, type)},
                 [&](Values v) { return flush(s.b.CreateUnaryIntrinsic(Intrinsic::fabs, v[0])); }),
      type);
}

void negateFloat(Step &s, ScalarType type) {
  Flush flush(s);
  s.writeResult(s.mapLanes(type, {s.readInput(1, type)},
                           [&](Values v) { return flush(s.b.CreateFNeg(v[0])); }),
                type);
}

void minMaxFloat(Step &s, ScalarType type, bool largest) {
  Flush flush(s);
  auto id = s.takeWord("NaN") ? (largest ? Intrinsic::maximum : Intrinsic::minimum)
                              : (largest ? Intrinsic::maximumnum : Intrinsic::minimumnum);
  Value *x = s.readInput(1, type), *y = s.readInput(2, type);
  s.writeResult(
      s.mapLanes(type, {x, y},
                 [&](Values v) { return s.b.CreateBinaryIntrinsic(id, flush(v[0]), flush(v[1])); }),
      type);
}

ArrayRef<Row> floatInstructions() {
  static const Row rows[] = {
      {"fma", 4, 4, fma},     {"rcp", 2, 2, rcp},           {"sqrt", 2, 2, sqrt},
      {"rsqrt", 2, 2, rsqrt}, {"ex2", 2, 2, ex2},           {"lg2", 2, 2, lg2},
      {"sin", 2, 2, sin},     {"cos", 2, 2, cos},           {"tanh", 2, 2, tanh},
      {"testp", 2, 2, testp}, {"copysign", 3, 3, copysign},
  };
  return rows;
}

} // namespace heddle::ptx
