#include "simt_interpreter/atomics.h"

#include "simt_interpreter/arithmetic.h"

namespace heddle::interpreter {

using namespace llvm;
using simt::Op;

namespace {

/// Minima and maxima of floats (PTX ISA, "atom"); ops.def specifies NaNs.
APInt computeFloatAtomic(Op op, const Type *type, const APInt &old, const APInt &value) {
  APFloat a = floatOf(type, old), b = floatOf(type, value);
  constexpr auto nearestEven = APFloat::rmNearestTiesToEven;
  bool eitherIsNan = a.isNaN() || b.isNaN();
  switch (op) {
  case Op::AtomicAdd:
    a.add(b, nearestEven);
    return a.bitcastToAPInt();
  case Op::AtomicSub:
    a.subtract(b, nearestEven);
    return a.bitcastToAPInt();
  case Op::AtomicMin:
    return !eitherIsNan && b < a ? value : old;
  case Op::AtomicMax:
    return !eitherIsNan && b > a ? value : old;
  case Op::AtomicNanMin:
    return a.isNaN() || b < a ? value : old;
  case Op::AtomicNanMax:
    return a.isNaN() || b > a ? value : old;
  default:
    return value; // AtomicExch
  }
}

} // namespace

APInt computeAtomic(Op op, const Type *type, const APInt &old, const APInt &value,
                    const APInt &expected) {
  if (type->isFloatingPointTy())
    return computeFloatAtomic(op, type, old, value);
  switch (op) {
  case Op::AtomicAdd:
    return old + value;
  case Op::AtomicSub:
    return old - value;
  case Op::AtomicMin:
    return value.slt(old) ? value : old;
  case Op::AtomicMax:
    return value.sgt(old) ? value : old;
  case Op::AtomicUMin:
    return value.ult(old) ? value : old;
  case Op::AtomicUMax:
    return value.ugt(old) ? value : old;
  case Op::AtomicAnd:
    return old & value;
  case Op::AtomicOr:
    return old | value;
  case Op::AtomicXor:
    return old ^ value;
  case Op::AtomicInc:
    return old.uge(value) ? APInt(old.getBitWidth(), 0) : old + 1;
  case Op::AtomicDec:
    return old.isZero() || old.ugt(value) ? value : old - 1;
  case Op::AtomicCas:
    return old == expected ? value : old;
  default:
    return value; // AtomicExch
  }
}

} // namespace heddle::interpreter
