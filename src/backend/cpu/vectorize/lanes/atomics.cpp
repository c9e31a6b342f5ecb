#include "backend/cpu/vectorize/lanes/atomics.h"

#include "backend/cpu/vectorize/lanes/masks.h"
#include "simt/passes/atomics.h"

#include "llvm/Transforms/Utils/LoopUtils.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr unsigned operandOf = 1; // of (place, operand, scope)

bool adds(simt::Op op) { return op == simt::Op::AtomicAdd || op == simt::Op::AtomicSub; }

/// The intrinsic that makes one number of a vector of integers; nothing for other operations.
std::optional<Intrinsic::ID> reductionOf(simt::Op op) {
  switch (op) {
  case simt::Op::AtomicAdd:
  case simt::Op::AtomicSub: // of the sum
    return Intrinsic::vector_reduce_add;
  case simt::Op::AtomicMin:
    return Intrinsic::vector_reduce_smin;
  case simt::Op::AtomicMax:
    return Intrinsic::vector_reduce_smax;
  case simt::Op::AtomicUMin:
    return Intrinsic::vector_reduce_umin;
  case simt::Op::AtomicUMax:
    return Intrinsic::vector_reduce_umax;
  case simt::Op::AtomicAnd:
    return Intrinsic::vector_reduce_and;
  case simt::Op::AtomicOr:
    return Intrinsic::vector_reduce_or;
  case simt::Op::AtomicXor:
    return Intrinsic::vector_reduce_xor;
  default:
    return std::nullopt;
  }
}

bool isFloatOrder(simt::Op op) { return op == simt::Op::AtomicMin || op == simt::Op::AtomicMax; }

/// What changes nothing.
Constant *identityOf(simt::Op op, Type *type) {
  if (type->isFloatingPointTy())
    return adds(op) ? ConstantFP::getZero(type, /*Negative=*/op == simt::Op::AtomicAdd)
                    : ConstantFP::getInfinity(type, /*Negative=*/op == simt::Op::AtomicMax);
  return cast<Constant>(getReductionIdentity(*reductionOf(op), type, FastMathFlags()));
}

/// The least or the greatest, the first of those that are equal (zeros have signs): neighbours are compared, the lower
/// lane first.
Value *extreme(IRBuilderBase &b, Value *lanes, simt::Op op) {
  unsigned count = cast<FixedVectorType>(lanes->getType())->getNumElements();
  for (; count > 1; count /= 2) {
    SmallVector<int, 16> even, odd;
    for (unsigned lane = 0; lane < count; lane += 2) {
      even.push_back(int(lane));
      odd.push_back(int(lane) + 1);
    }
    Value *lower = b.CreateShuffleVector(lanes, even), *upper = b.CreateShuffleVector(lanes, odd);
    Value *replaces =
        op == simt::Op::AtomicMin ? b.CreateFCmpOLT(upper, lower) : b.CreateFCmpOGT(upper, lower);
    lanes = b.CreateSelect(replaces, upper, lower);
  }
  return b.CreateExtractElement(lanes, uint64_t(0));
}

/// How many lanes of the mask come before each.
Value *lanesBefore(IRBuilderBase &b, Value *mask, Type *type) {
  unsigned width = cast<FixedVectorType>(type)->getNumElements();
  SmallVector<Constant *, 32> numbers, below;
  Type *bits = b.getIntNTy(width);
  for (unsigned lane = 0; lane < width; ++lane) {
    numbers.push_back(ConstantInt::get(type->getScalarType(), lane));
    below.push_back(ConstantInt::get(bits, maskTrailingOnes<uint64_t>(lane)));
  }
  if (!mask)
    return ConstantVector::get(numbers);
  Value *before =
      b.CreateAnd(b.CreateVectorSplat(width, bitsOf(b, mask)), ConstantVector::get(below));
  return b.CreateZExtOrTrunc(b.CreateUnaryIntrinsic(Intrinsic::ctpop, before), type);
}

} // namespace

bool canJoinAtomics(const CallInst &atomic, const LaneShapes &shapes) {
  simt::Op op = *simt::calledOp(&atomic);
  if (!shapes.of(*atomic.getArgOperand(0)).isUniform())
    return false;
  if (!atomic.use_empty())
    return adds(op) && atomic.getType()->isIntegerTy() &&
           shapes.of(*atomic.getArgOperand(operandOf)).isUniform();
  return atomic.getType()->isFloatingPointTy() ? adds(op) || isFloatOrder(op)
                                               : reductionOf(op).has_value();
}

Value *joinAtomics(IRBuilderBase &b, CallInst &atomic, LaneValues &values, Value *mask) {
  simt::Op op = *simt::calledOp(&atomic);
  Type *type = atomic.getType();
  auto *one = cast<CallInst>(atomic.clone());
  Value *operand = atomic.getArgOperand(operandOf), *before = nullptr;
  if (!atomic.use_empty()) {
    auto *wide = cast<FixedVectorType>(values.wide(type));
    before = b.CreateMul(lanesBefore(b, mask, wide),
                         b.CreateVectorSplat(wide->getNumElements(), operand));
    Value *count =
        mask ? b.CreateZExtOrTrunc(b.CreateUnaryIntrinsic(Intrinsic::ctpop, bitsOf(b, mask)), type)
             : ConstantInt::get(type, wide->getNumElements());
    one->setArgOperand(operandOf, b.CreateMul(operand, count));
  } else {
    Value *lanes = values.vector(operand);
    Value *identity = ConstantVector::getSplat(
        cast<VectorType>(lanes->getType())->getElementCount(), identityOf(op, type));
    if (mask)
      lanes = b.CreateSelect(mask, lanes, identity);
    if (type->isIntegerTy()) {
      one->setArgOperand(operandOf, b.CreateUnaryIntrinsic(*reductionOf(op), lanes));
    } else if (adds(op)) {
      one->setArgOperand(operandOf, identityOf(op, type));
      CallInst *bundled = CallInst::Create(one, OperandBundleDef(simt::lanesBundle, lanes));
      one->deleteValue();
      one = bundled;
    } else { // a NaN is no lane's
      lanes = b.CreateSelect(b.CreateFCmpORD(lanes, lanes), lanes, identity);
      one->setArgOperand(operandOf, extreme(b, lanes, op));
    }
  }
  b.Insert(one);
  if (!before)
    return nullptr;
  Value *old = b.CreateVectorSplat(cast<FixedVectorType>(before->getType())->getNumElements(), one);
  return op == simt::Op::AtomicSub ? b.CreateSub(old, before) : b.CreateAdd(old, before);
}

} // namespace heddle::cpu
