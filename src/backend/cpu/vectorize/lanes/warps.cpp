#include "backend/cpu/vectorize/lanes/warps.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/vectorize/lanes/masks.h"
#include "simt/analysis/divergence.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

bool isReduction(simt::Op op) {
  switch (op) {
  case simt::Op::WarpAdd:
  case simt::Op::WarpMin:
  case simt::Op::WarpMax:
  case simt::Op::WarpUMin:
  case simt::Op::WarpUMax:
  case simt::Op::WarpAnd:
  case simt::Op::WarpOr:
  case simt::Op::WarpXor:
    return true;
  default:
    return false;
  }
}

} // namespace

bool canWidenWarpOperation(const CallInst &operation) {
  return simt::hasUniformMask(operation) || !isReduction(*simt::calledOp(&operation));
}

Value *VectorWarpOperation::bits(Value *lanes) { return b.CreateBitCast(lanes, b.getInt32Ty()); }

Value *VectorWarpOperation::visibleLanes(Value *lanes) {
  Value *all = bits(lanes);
  return mask ? b.CreateAnd(b.CreateVectorSplat(warpSize, all), mask) : all;
}

Value *VectorWarpOperation::any(Value *lanes) { return b.CreateIsNotNull(visibleLanes(lanes)); }

Value *VectorWarpOperation::result() {
  simt::Op op = *simt::calledOp(&operation);
  // Poison in inactive lanes must not propagate to other lanes.
  auto where = [&](Value *condition) { return b.CreateLogicalAnd(active, condition); };
  switch (op) {
  case simt::Op::WarpBarrier:
    return nullptr;
  case simt::Op::WarpActive:
    return bits(active);
  case simt::Op::WarpBallot:
    return visibleLanes(where(value));
  case simt::Op::WarpAny:
    return any(where(value));
  case simt::Op::WarpAll:
    return b.CreateNot(any(where(b.CreateNot(value))));
  case simt::Op::WarpEqual:
    return b.CreateNot(b.CreateAnd(any(where(value)), any(where(b.CreateNot(value)))));
  case simt::Op::WarpMatchAny:
    return matchAny();
  case simt::Op::WarpMatchAll:
    return matchAll();
  case simt::Op::ShuffleIndex:
  case simt::Op::ShuffleUp:
  case simt::Op::ShuffleDown:
  case simt::Op::ShuffleXor:
    return shuffle(op);
  default:
    return reduce(op);
  }
}

Value *VectorWarpOperation::matchAny() {
  Value *values = b.CreateFreeze(value);
  Value *result = PoisonValue::get(VectorType::get(b.getInt32Ty(), warpSize, false));
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    Value *own = b.CreateVectorSplat(warpSize, b.CreateExtractElement(values, lane));
    Value *same = bits(b.CreateAnd(active, b.CreateICmpEQ(values, own)));
    result = b.CreateInsertElement(result, same, lane);
  }
  return mask ? b.CreateAnd(result, mask) : result;
}

Value *VectorWarpOperation::matchAll() {
  if (mask) {
    Value *all = visibleLanes(active);
    return b.CreateSelect(b.CreateICmpEQ(matchAny(), all), all,
                          Constant::getNullValue(all->getType()));
  }
  Value *first = b.CreateBinaryIntrinsic(Intrinsic::cttz, bits(active), b.getTrue());
  Value *own = b.CreateVectorSplat(warpSize, extractElementAt(b, value, first));
  Value *differ = any(b.CreateLogicalAnd(active, b.CreateICmpNE(value, own)));
  return b.CreateSelect(differ, b.getInt32(0), bits(active));
}

Value *VectorWarpOperation::reduce(simt::Op op) {
  auto of = [&](Intrinsic::ID id, const APInt &neutral) {
    Value *neutralValue = ConstantInt::get(value->getType(), neutral);
    return b.CreateUnaryIntrinsic(id, b.CreateSelect(active, value, neutralValue));
  };
  unsigned size = value->getType()->getScalarSizeInBits();
  switch (op) {
  case simt::Op::WarpMin:
    return of(Intrinsic::vector_reduce_smin, APInt::getSignedMaxValue(size));
  case simt::Op::WarpMax:
    return of(Intrinsic::vector_reduce_smax, APInt::getSignedMinValue(size));
  case simt::Op::WarpUMin:
    return of(Intrinsic::vector_reduce_umin, APInt::getMaxValue(size));
  case simt::Op::WarpUMax:
    return of(Intrinsic::vector_reduce_umax, APInt::getZero(size));
  case simt::Op::WarpAnd:
    return of(Intrinsic::vector_reduce_and, APInt::getAllOnes(size));
  case simt::Op::WarpOr:
    return of(Intrinsic::vector_reduce_or, APInt::getZero(size));
  case simt::Op::WarpXor:
    return of(Intrinsic::vector_reduce_xor, APInt::getZero(size));
  default:
    return of(Intrinsic::vector_reduce_add, APInt::getZero(size));
  }
}

/// The source lane of each lane, by PTX's arithmetic (PTX ISA 9.0, shfl.sync) on the operand c that CUDA derives from
/// the width.
Value *VectorWarpOperation::shuffleSource(simt::Op op) {
  Type *numbers = VectorType::get(b.getInt32Ty(), warpSize, false);
  auto every = [&](uint32_t n) { return ConstantInt::get(numbers, n); };
  SmallVector<Constant *, warpSize> own;
  for (uint32_t i = 0; i < warpSize; ++i)
    own.push_back(b.getInt32(i));
  Value *self = ConstantVector::get(own);
  Value *segmentMask = b.CreateAnd(b.CreateSub(every(warpSize), width), every(31));
  Value *inSegment = b.CreateAnd(b.CreateNot(segmentMask), every(31));
  Value *first = b.CreateAnd(self, segmentMask), *last = b.CreateOr(first, inSegment);
  Value *distance = b.CreateAnd(lane, every(31));
  auto inside = [&](Value *source, Value *is) { return b.CreateSelect(is, source, self); };
  switch (op) {
  case simt::Op::ShuffleUp:
    return inside(b.CreateSub(self, distance), b.CreateICmpUGE(self, b.CreateAdd(first, distance)));
  case simt::Op::ShuffleDown: {
    Value *source = b.CreateAdd(self, distance);
    return inside(source, b.CreateICmpULE(source, last));
  }
  case simt::Op::ShuffleXor: {
    Value *source = b.CreateXor(self, distance);
    return inside(source, b.CreateICmpULE(source, last));
  }
  default:
    return b.CreateOr(first, b.CreateAnd(distance, inSegment));
  }
}

Value *VectorWarpOperation::permute(Value *source) {
  if (auto *constant = dyn_cast<Constant>(source)) {
    SmallVector<int, warpSize> from;
    for (unsigned i = 0; i < warpSize; ++i)
      from.push_back(int(cast<ConstantInt>(constant->getAggregateElement(i))->getZExtValue()));
    return b.CreateShuffleVector(value, from);
  }
  Function &f = *b.GetInsertBlock()->getParent();
  Type *element = value->getType()->getScalarType();
  IRBuilder<> entry(&f.getEntryBlock(), f.getEntryBlock().begin());
  AllocaInst *memory = entry.CreateAlloca(value->getType(), nullptr, "warp");
  b.CreateAlignedStore(value, memory, memory->getAlign());
  Align alignment = f.getDataLayout().getABITypeAlign(element);
  return b.CreateMaskedGather(value->getType(), b.CreateGEP(element, memory, source), alignment,
                              active);
}

/// CUDA does not define the value of inactive lanes; use 0, as when threads run one at a time.
Value *VectorWarpOperation::shuffle(simt::Op op) {
  Value *source = shuffleSource(op);
  Value *values = b.CreateSelect(active, value, Constant::getNullValue(value->getType()));
  std::swap(value, values);
  Value *result = permute(source);
  if (!mask)
    return result;
  Value *named = b.CreateTrunc(b.CreateLShr(mask, source), active->getType());
  return b.CreateSelect(named, result, Constant::getNullValue(result->getType()));
}

} // namespace heddle::cpu
