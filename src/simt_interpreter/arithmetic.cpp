#include "simt_interpreter/arithmetic.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"

#include <cmath>

namespace heddle::interpreter {

using namespace llvm;

namespace {

constexpr auto nearestEven = APFloat::rmNearestTiesToEven;

[[noreturn]] void throwUnsupported(const Instruction &i) {
  std::string name = i.getOpcodeName();
  if (auto *call = dyn_cast<CallInst>(&i); call && call->getCalledFunction())
    name = call->getCalledFunction()->getName().str();
  throw Failure{FailureKind::Unsupported, "the interpreter has no " + name};
}

APInt divideOrTakeRemainder(unsigned opcode, const APInt &a, const APInt &b) {
  if (b.isZero())
    throw Failure{FailureKind::Undefined, "an integer division by zero"};
  bool isSigned = opcode == Instruction::SDiv || opcode == Instruction::SRem;
  if (isSigned && a.isMinSignedValue() && b.isAllOnes())
    throw Failure{FailureKind::Undefined, "a signed division of the smallest integer by -1"};
  switch (opcode) {
  case Instruction::UDiv:
    return a.udiv(b);
  case Instruction::SDiv:
    return a.sdiv(b);
  case Instruction::URem:
    return a.urem(b);
  default:
    return a.srem(b);
  }
}

APInt computeFloatOperation(unsigned opcode, APFloat a, const APFloat &b, const Instruction &i) {
  switch (opcode) {
  case Instruction::FAdd:
    a.add(b, nearestEven);
    break;
  case Instruction::FSub:
    a.subtract(b, nearestEven);
    break;
  case Instruction::FMul:
    a.multiply(b, nearestEven);
    break;
  case Instruction::FDiv:
    a.divide(b, nearestEven);
    break;
  case Instruction::FRem:
    a.mod(b);
    break;
  default:
    throwUnsupported(i);
  }
  return a.bitcastToAPInt();
}

/// Shifts by at least the width are undefined; they give 0.
APInt computeBinary(const BinaryOperator &i, const APInt &a, const APInt &b) {
  if (i.getType()->isFloatingPointTy())
    return computeFloatOperation(i.getOpcode(), floatOf(i.getType(), a), floatOf(i.getType(), b),
                                 i);
  switch (i.getOpcode()) {
  case Instruction::Add:
    return a + b;
  case Instruction::Sub:
    return a - b;
  case Instruction::Mul:
    return a * b;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return divideOrTakeRemainder(i.getOpcode(), a, b);
  case Instruction::Shl:
    return a.shl(b);
  case Instruction::LShr:
    return a.lshr(b);
  case Instruction::AShr:
    return a.ashr(b);
  case Instruction::And:
    return a & b;
  case Instruction::Or:
    return a | b;
  case Instruction::Xor:
    return a ^ b;
  default:
    throwUnsupported(i);
  }
}

bool computeComparison(const CmpInst &i, const APInt &a, const APInt &b) {
  const Type *type = i.getOperand(0)->getType();
  if (type->isFloatingPointTy())
    return FCmpInst::compare(floatOf(type, a), floatOf(type, b), i.getPredicate());
  return ICmpInst::compare(a, b, i.getPredicate());
}

APInt computeCast(const CastInst &i, const APInt &a, const DataLayout &layout) {
  Type *from = i.getSrcTy(), *to = i.getDestTy();
  unsigned bits = unsigned(layout.getTypeSizeInBits(to));
  bool unused;
  switch (i.getOpcode()) {
  case Instruction::SExt:
    return a.sext(bits);
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::PtrToInt:
  case Instruction::PtrToAddr:
  case Instruction::IntToPtr:
    return a.zextOrTrunc(bits);
  case Instruction::BitCast:
  case Instruction::AddrSpaceCast: // addresses are equal in all address spaces
    return a;
  case Instruction::FPTrunc:
  case Instruction::FPExt: {
    APFloat value = floatOf(from, a);
    value.convert(to->getFltSemantics(), nearestEven, &unused);
    return value.bitcastToAPInt();
  }
  case Instruction::UIToFP:
  case Instruction::SIToFP: {
    APFloat value(to->getFltSemantics());
    value.convertFromAPInt(a, i.getOpcode() == Instruction::SIToFP, nearestEven);
    return value.bitcastToAPInt();
  }
  default:
    throwUnsupported(i);
  }
}

APInt computeAddress(const GetElementPtrInst &i, ArrayRef<Datum> operands,
                     const DataLayout &layout) {
  APInt address = operands[0][0];
  unsigned operand = 1;
  for (auto step = gep_type_begin(i); step != gep_type_end(i); ++step, ++operand) {
    APInt index = operands[operand][0].sextOrTrunc(64);
    if (StructType *structure = step.getStructTypeOrNull())
      address += layout.getStructLayout(structure)
                     ->getElementOffset(unsigned(index.getZExtValue()))
                     .getFixedValue();
    else
      address += index * step.getSequentialElementStride(layout).getFixedValue();
  }
  return address;
}

/// The index of the first scalar of an aggregate's element, and the element's type.
std::pair<size_t, Type *> locateElement(Type *type, ArrayRef<unsigned> indices) {
  size_t first = 0;
  for (unsigned index : indices) {
    if (auto *structure = dyn_cast<StructType>(type)) {
      for (unsigned i = 0; i < index; ++i)
        first += countScalars(structure->getElementType(i));
      type = structure->getElementType(index);
    } else {
      type = cast<ArrayType>(type)->getElementType();
      first += index * countScalars(type);
    }
  }
  return {first, type};
}

Datum computeExtractValue(const ExtractValueInst &i, const Datum &aggregate) {
  auto [first, type] = locateElement(i.getAggregateOperand()->getType(), i.getIndices());
  const APInt *begin = aggregate.begin() + first;
  return Datum(begin, begin + countScalars(type));
}

Datum computeInsertValue(const InsertValueInst &i, Datum aggregate, const Datum &element) {
  size_t first = locateElement(i.getType(), i.getIndices()).first;
  std::copy(element.begin(), element.end(), aggregate.begin() + first);
  return aggregate;
}

/// Correctly rounded: the double result has enough bits for a second rounding to a narrower type.
APInt squareRoot(const Type *type, const APInt &bits) {
  APFloat value = floatOf(type, bits);
  bool unused;
  value.convert(APFloat::IEEEdouble(), nearestEven, &unused);
  APFloat root(std::sqrt(value.convertToDouble()));
  root.convert(type->getFltSemantics(), nearestEven, &unused);
  return root.bitcastToAPInt();
}

APInt roundToWhole(APFloat value, RoundingMode mode) {
  value.roundToIntegral(mode);
  return value.bitcastToAPInt();
}

APInt convertSaturating(const Type *type, const APInt &bits, unsigned width, bool isSigned) {
  APSInt result(width, !isSigned);
  bool unused;
  floatOf(type, bits).convertToInteger(result, APFloat::rmTowardZero, &unused);
  return result;
}

APInt funnelShift(bool left, const APInt &high, const APInt &low, const APInt &by) {
  unsigned width = high.getBitWidth(), shift = unsigned(by.urem(width));
  if (shift == 0)
    return left ? high : low;
  unsigned right = left ? width - shift : shift;
  return high.shl(width - right) | low.lshr(right);
}

Datum makeOverflowResult(const APInt &result, bool overflow) {
  return {result, APInt(1, overflow)};
}

Datum computeWithOverflow(Intrinsic::ID id, const APInt &a, const APInt &b) {
  bool overflow = false;
  switch (id) {
  case Intrinsic::sadd_with_overflow:
    return makeOverflowResult(a.sadd_ov(b, overflow), overflow);
  case Intrinsic::uadd_with_overflow:
    return makeOverflowResult(a.uadd_ov(b, overflow), overflow);
  case Intrinsic::ssub_with_overflow:
    return makeOverflowResult(a.ssub_ov(b, overflow), overflow);
  case Intrinsic::usub_with_overflow:
    return makeOverflowResult(a.usub_ov(b, overflow), overflow);
  case Intrinsic::smul_with_overflow:
    return makeOverflowResult(a.smul_ov(b, overflow), overflow);
  default:
    return makeOverflowResult(a.umul_ov(b, overflow), overflow);
  }
}

APInt computeIntegerIntrinsic(const IntrinsicInst &call, const APInt &a, const APInt &b,
                              const APInt &c) {
  unsigned width = a.getBitWidth(), result = call.getType()->getScalarSizeInBits();
  switch (call.getIntrinsicID()) {
  case Intrinsic::ctpop:
    return APInt(width, a.popcount());
  case Intrinsic::ctlz:
    return APInt(width, a.countl_zero());
  case Intrinsic::cttz:
    return APInt(width, a.countr_zero());
  case Intrinsic::bitreverse:
    return a.reverseBits();
  case Intrinsic::bswap:
    return a.byteSwap();
  case Intrinsic::fshl:
    return funnelShift(true, a, b, c);
  case Intrinsic::fshr:
    return funnelShift(false, a, b, c);
  case Intrinsic::abs:
    return a.abs();
  case Intrinsic::smin:
    return a.slt(b) ? a : b;
  case Intrinsic::smax:
    return a.sgt(b) ? a : b;
  case Intrinsic::umin:
    return a.ult(b) ? a : b;
  case Intrinsic::umax:
    return a.ugt(b) ? a : b;
  case Intrinsic::scmp:
    return APInt(result, uint64_t(a.sgt(b) - a.slt(b)), true);
  case Intrinsic::ucmp:
    return APInt(result, uint64_t(a.ugt(b) - a.ult(b)), true);
  case Intrinsic::sadd_sat:
    return a.sadd_sat(b);
  case Intrinsic::uadd_sat:
    return a.uadd_sat(b);
  case Intrinsic::ssub_sat:
    return a.ssub_sat(b);
  case Intrinsic::usub_sat:
    return a.usub_sat(b);
  case Intrinsic::expect:
    return a;
  default:
    throwUnsupported(call);
  }
}

/// fmuladd rounds twice here; devices may contract it.
APInt computeFloatIntrinsic(const IntrinsicInst &call, APFloat a, const APFloat &b,
                            const APFloat &c) {
  const APInt bits = a.bitcastToAPInt();
  auto asBits = [](const APFloat &value) { return value.bitcastToAPInt(); };
  switch (call.getIntrinsicID()) {
  case Intrinsic::sqrt:
    return squareRoot(call.getType(), bits);
  case Intrinsic::fabs:
    return asBits(abs(a));
  case Intrinsic::floor:
    return roundToWhole(a, APFloat::rmTowardNegative);
  case Intrinsic::ceil:
    return roundToWhole(a, APFloat::rmTowardPositive);
  case Intrinsic::trunc:
    return roundToWhole(a, APFloat::rmTowardZero);
  case Intrinsic::round:
    return roundToWhole(a, APFloat::rmNearestTiesToAway);
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::roundeven:
    return roundToWhole(a, nearestEven);
  case Intrinsic::fma:
    a.fusedMultiplyAdd(b, c, nearestEven);
    return asBits(a);
  case Intrinsic::fmuladd:
    a.multiply(b, nearestEven);
    a.add(c, nearestEven);
    return asBits(a);
  case Intrinsic::copysign:
    a.copySign(b);
    return asBits(a);
  case Intrinsic::minnum:
    return asBits(minnum(a, b));
  case Intrinsic::maxnum:
    return asBits(maxnum(a, b));
  case Intrinsic::minimum:
    return asBits(minimum(a, b));
  case Intrinsic::maximum:
    return asBits(maximum(a, b));
  case Intrinsic::minimumnum:
    return asBits(minimumnum(a, b));
  case Intrinsic::maximumnum:
    return asBits(maximumnum(a, b));
  case Intrinsic::canonicalize:
    return bits;
  default:
    throwUnsupported(call);
  }
}

} // namespace

APFloat floatOf(const Type *type, const APInt &bits) {
  return APFloat(type->getFltSemantics(), bits);
}

Datum computeInstruction(const Instruction &i, ArrayRef<Datum> operands, const DataLayout &layout) {
  if (auto *binary = dyn_cast<BinaryOperator>(&i))
    return {computeBinary(*binary, operands[0][0], operands[1][0])};
  if (auto *comparison = dyn_cast<CmpInst>(&i))
    return {APInt(1, computeComparison(*comparison, operands[0][0], operands[1][0]))};
  if (auto *cast = dyn_cast<CastInst>(&i))
    return {computeCast(*cast, operands[0][0], layout)};
  if (isa<SelectInst>(i))
    return operands[operands[0][0].isOne() ? 1 : 2];
  if (isa<FreezeInst>(i))
    return operands[0];
  if (i.getOpcode() == Instruction::FNeg)
    return {neg(floatOf(i.getType(), operands[0][0])).bitcastToAPInt()};
  if (auto *address = dyn_cast<GetElementPtrInst>(&i))
    return {computeAddress(*address, operands, layout)};
  if (auto *extraction = dyn_cast<ExtractValueInst>(&i))
    return computeExtractValue(*extraction, operands[0]);
  if (auto *insertion = dyn_cast<InsertValueInst>(&i))
    return computeInsertValue(*insertion, operands[0], operands[1]);
  throwUnsupported(i);
}

Datum computeIntrinsic(const IntrinsicInst &call, ArrayRef<Datum> operands) {
  const APInt none(1, 0), &a = operands[0][0];
  const APInt &b = operands.size() > 1 ? operands[1][0] : none;
  const APInt &c = operands.size() > 2 ? operands[2][0] : none;
  const Type *type = call.getArgOperand(0)->getType();
  Intrinsic::ID id = call.getIntrinsicID();
  if (isa<WithOverflowInst>(call))
    return computeWithOverflow(id, a, b);
  if (id == Intrinsic::fptosi_sat || id == Intrinsic::fptoui_sat)
    return {convertSaturating(type, a, call.getType()->getIntegerBitWidth(),
                              id == Intrinsic::fptosi_sat)};
  if (id == Intrinsic::is_fpclass)
    return {APInt(1, (floatOf(type, a).classify() & b.getZExtValue()) != 0)};
  if (!type->isFloatingPointTy())
    return {computeIntegerIntrinsic(call, a, b, c)};
  auto number = [&](const APInt &bits, bool given) {
    return given ? floatOf(type, bits) : APFloat::getZero(type->getFltSemantics());
  };
  return {computeFloatIntrinsic(call, number(a, true), number(b, operands.size() > 1),
                                number(c, operands.size() > 2))};
}

} // namespace heddle::interpreter
