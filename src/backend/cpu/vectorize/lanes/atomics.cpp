#include "backend/cpu/vectorize/lanes/atomics.h"

#include "backend/cpu/vectorize/lanes/masks.h"
#include "simt/passes/atomics.h"

#include "llvm/Transforms/Utils/LoopUtils.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr unsigned valueOperand = 1; // of (address, operand, scope)

bool isAddOrSub(simt::Op op) { return op == simt::Op::AtomicAdd || op == simt::Op::AtomicSub; }

/// The reduction intrinsic for integers; nullopt for other operations.
std::optional<Intrinsic::ID> reductionIntrinsicFor(simt::Op op) {
  switch (op) {
  case simt::Op::AtomicAdd:
  case simt::Op::AtomicSub: // subtracts the sum
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

bool isMinOrMax(simt::Op op) { return op == simt::Op::AtomicMin || op == simt::Op::AtomicMax; }

/// The identity element of the operation.
Constant *identityElementOf(simt::Op op, Type *type) {
  if (type->isFloatingPointTy())
    return isAddOrSub(op) ? ConstantFP::getZero(type, /*Negative=*/op == simt::Op::AtomicAdd)
                          : ConstantFP::getInfinity(type, /*Negative=*/op == simt::Op::AtomicMax);
  return cast<Constant>(getReductionIdentity(*reductionIntrinsicFor(op), type, FastMathFlags()));
}

/// Reduces to the minimum or maximum; of equal values (signed zeros), the first one wins. Adjacent elements are
/// compared pairwise, the lower lane first.
Value *reduceMinMax(IRBuilderBase &b, Value *lanes, simt::Op op) {
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

/// The number of active lanes before each lane.
Value *emitCountLanesBefore(IRBuilderBase &b, Value *mask, Type *type) {
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
      b.CreateAnd(b.CreateVectorSplat(width, maskToInteger(b, mask)), ConstantVector::get(below));
  return b.CreateZExtOrTrunc(b.CreateUnaryIntrinsic(Intrinsic::ctpop, before), type);
}

} // namespace

bool canAggregateAtomics(const CallInst &atomic, const LaneShapes &shapes) {
  simt::Op op = *simt::calledOp(&atomic);
  if (!shapes.shapeOf(*atomic.getArgOperand(0)).isUniform())
    return false;
  if (!atomic.use_empty())
    return isAddOrSub(op) && atomic.getType()->isIntegerTy() &&
           shapes.shapeOf(*atomic.getArgOperand(valueOperand)).isUniform();
  return atomic.getType()->isFloatingPointTy() ? isAddOrSub(op) || isMinOrMax(op)
                                               : reductionIntrinsicFor(op).has_value();
}

Value *aggregateAtomics(IRBuilderBase &b, CallInst &atomic, LaneValues &values, Value *mask) {
  simt::Op op = *simt::calledOp(&atomic);
  Type *type = atomic.getType();
  auto *one = cast<CallInst>(atomic.clone());
  Value *operand = atomic.getArgOperand(valueOperand), *before = nullptr;
  if (!atomic.use_empty()) {
    auto *wide = cast<FixedVectorType>(values.vectorType(type));
    before = b.CreateMul(emitCountLanesBefore(b, mask, wide),
                         b.CreateVectorSplat(wide->getNumElements(), operand));
    Value *count =
        mask ? b.CreateZExtOrTrunc(b.CreateUnaryIntrinsic(Intrinsic::ctpop, maskToInteger(b, mask)),
                                   type)
             : ConstantInt::get(type, wide->getNumElements());
    one->setArgOperand(valueOperand, b.CreateMul(operand, count));
  } else {
    Value *lanes = values.vector(operand);
    Value *identity = ConstantVector::getSplat(
        cast<VectorType>(lanes->getType())->getElementCount(), identityElementOf(op, type));
    if (mask)
      lanes = b.CreateSelect(mask, lanes, identity);
    if (type->isIntegerTy()) {
      one->setArgOperand(valueOperand, b.CreateUnaryIntrinsic(*reductionIntrinsicFor(op), lanes));
    } else if (isAddOrSub(op)) {
      one->setArgOperand(valueOperand, identityElementOf(op, type));
      CallInst *bundled = CallInst::Create(one, OperandBundleDef(simt::lanesBundle, lanes));
      one->deleteValue();
      one = bundled;
    } else { // NaNs are ignored
      lanes = b.CreateSelect(b.CreateFCmpORD(lanes, lanes), lanes, identity);
      one->setArgOperand(valueOperand, reduceMinMax(b, lanes, op));
    }
  }
  b.Insert(one);
  if (!before)
    return nullptr;
  Value *old = b.CreateVectorSplat(cast<FixedVectorType>(before->getType())->getNumElements(), one);
  return op == simt::Op::AtomicSub ? b.CreateSub(old, before) : b.CreateAdd(old, before);
}

} // namespace heddle::cpu
