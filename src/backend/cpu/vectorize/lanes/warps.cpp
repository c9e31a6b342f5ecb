#include "backend/cpu/vectorize/lanes/warps.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/vectorize/lanes/masks.h"
#include "simt/analysis/divergence.h"

#pragma GCC diagnostic error "-Wswitch" // for simt::WarpOp

namespace heddle::cpu {

using namespace llvm;

namespace {

simt::WarpOp warpOpOf(const CallInst &operation) {
  return simt::toWarpOp(*simt::calledOp(&operation));
}

bool isReduction(simt::WarpOp op) {
  using enum simt::WarpOp;
  switch (op) {
  case WarpAdd:
  case WarpMin:
  case WarpMax:
  case WarpUMin:
  case WarpUMax:
  case WarpAnd:
  case WarpOr:
  case WarpXor:
    return true;
  case WarpBarrier:
  case WarpActive:
  case WarpBallot:
  case WarpAll:
  case WarpAny:
  case WarpEqual:
  case WarpMatchAny:
  case WarpMatchAll:
  case ShuffleIndex:
  case ShuffleUp:
  case ShuffleDown:
  case ShuffleXor:
    return false;
  }
  llvm_unreachable("not a warp operation");
}

} // namespace

bool canWidenWarpOperation(const CallInst &operation) {
  return simt::hasUniformMask(operation) || !isReduction(warpOpOf(operation));
}

Value *VectorWarpOperation::packLanesToBits(Value *lanes) {
  return b.CreateBitCast(lanes, b.getInt32Ty());
}

Value *VectorWarpOperation::restrictToLaneMasks(Value *lanes) {
  Value *all = packLanesToBits(lanes);
  return mask ? b.CreateAnd(b.CreateVectorSplat(warpSize, all), mask) : all;
}

Value *VectorWarpOperation::emitAnyLaneOfMask(Value *lanes) {
  return b.CreateIsNotNull(restrictToLaneMasks(lanes));
}

Value *VectorWarpOperation::emitResult() {
  using enum simt::WarpOp;
  // Poison in inactive lanes must not propagate to other lanes.
  auto where = [&](Value *condition) { return b.CreateLogicalAnd(active, condition); };
  auto bits = [&] { return value->getType()->getScalarSizeInBits(); };
  switch (warpOpOf(operation)) {
  case WarpBarrier:
    return nullptr;
  case WarpActive:
    return packLanesToBits(active);
  case WarpBallot:
    return restrictToLaneMasks(where(value));
  case WarpAny:
    return emitAnyLaneOfMask(where(value));
  case WarpAll:
    return b.CreateNot(emitAnyLaneOfMask(where(b.CreateNot(value))));
  case WarpEqual:
    return b.CreateNot(
        b.CreateAnd(emitAnyLaneOfMask(where(value)), emitAnyLaneOfMask(where(b.CreateNot(value)))));
  case WarpMatchAny:
    return emitMatchAny();
  case WarpMatchAll:
    return emitMatchAll();
  case ShuffleIndex:
    return emitShuffle(sourceLaneByIndex());
  case ShuffleUp:
    return emitShuffle(sourceLaneBelow());
  case ShuffleDown:
    return emitShuffle(sourceLaneAbove());
  case ShuffleXor:
    return emitShuffle(sourceLaneXor());
  case WarpAdd:
    return emitReduction(Intrinsic::vector_reduce_add, APInt::getZero(bits()));
  case WarpMin:
    return emitReduction(Intrinsic::vector_reduce_smin, APInt::getSignedMaxValue(bits()));
  case WarpMax:
    return emitReduction(Intrinsic::vector_reduce_smax, APInt::getSignedMinValue(bits()));
  case WarpUMin:
    return emitReduction(Intrinsic::vector_reduce_umin, APInt::getMaxValue(bits()));
  case WarpUMax:
    return emitReduction(Intrinsic::vector_reduce_umax, APInt::getZero(bits()));
  case WarpAnd:
    return emitReduction(Intrinsic::vector_reduce_and, APInt::getAllOnes(bits()));
  case WarpOr:
    return emitReduction(Intrinsic::vector_reduce_or, APInt::getZero(bits()));
  case WarpXor:
    return emitReduction(Intrinsic::vector_reduce_xor, APInt::getZero(bits()));
  }
  llvm_unreachable("not a warp operation");
}

Value *VectorWarpOperation::emitMatchAny() {
  Value *values = b.CreateFreeze(value);
  Value *result = PoisonValue::get(VectorType::get(b.getInt32Ty(), warpSize, false));
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    Value *own = b.CreateVectorSplat(warpSize, b.CreateExtractElement(values, lane));
    Value *same = packLanesToBits(b.CreateAnd(active, b.CreateICmpEQ(values, own)));
    result = b.CreateInsertElement(result, same, lane);
  }
  return mask ? b.CreateAnd(result, mask) : result;
}

Value *VectorWarpOperation::emitMatchAll() {
  if (mask) {
    Value *all = restrictToLaneMasks(active);
    return b.CreateSelect(b.CreateICmpEQ(emitMatchAny(), all), all,
                          Constant::getNullValue(all->getType()));
  }
  Value *first = b.CreateBinaryIntrinsic(Intrinsic::cttz, packLanesToBits(active), b.getTrue());
  Value *own = b.CreateVectorSplat(warpSize, extractElementAt(b, value, first));
  Value *differ = emitAnyLaneOfMask(b.CreateLogicalAnd(active, b.CreateICmpNE(value, own)));
  return b.CreateSelect(differ, b.getInt32(0), packLanesToBits(active));
}

Value *VectorWarpOperation::emitReduction(Intrinsic::ID combine, const APInt &neutral) {
  Value *neutralValue = ConstantInt::get(value->getType(), neutral);
  return b.CreateUnaryIntrinsic(combine, b.CreateSelect(active, value, neutralValue));
}

VectorWarpOperation::Segments VectorWarpOperation::emitSubWarpSegments() {
  Type *numbers = VectorType::get(b.getInt32Ty(), warpSize, false);
  auto every = [&](uint32_t n) { return ConstantInt::get(numbers, n); };
  SmallVector<Constant *, warpSize> own;
  for (uint32_t i = 0; i < warpSize; ++i)
    own.push_back(b.getInt32(i));
  Value *self = ConstantVector::get(own);
  Value *segmentMask = b.CreateAnd(b.CreateSub(every(warpSize), width), every(31));
  Value *inSegment = b.CreateAnd(b.CreateNot(segmentMask), every(31));
  Value *first = b.CreateAnd(self, segmentMask), *last = b.CreateOr(first, inSegment);
  return {self, first, last, inSegment, b.CreateAnd(lane, every(31))};
}

Value *VectorWarpOperation::sourceLaneByIndex() {
  Segments s = emitSubWarpSegments();
  return b.CreateOr(s.first, b.CreateAnd(s.operand, s.inSegment));
}

Value *VectorWarpOperation::sourceLaneBelow() {
  Segments s = emitSubWarpSegments();
  Value *isInside = b.CreateICmpUGE(s.self, b.CreateAdd(s.first, s.operand));
  return b.CreateSelect(isInside, b.CreateSub(s.self, s.operand), s.self);
}

Value *VectorWarpOperation::sourceLaneAbove() {
  Segments s = emitSubWarpSegments();
  Value *source = b.CreateAdd(s.self, s.operand);
  return b.CreateSelect(b.CreateICmpULE(source, s.last), source, s.self);
}

Value *VectorWarpOperation::sourceLaneXor() {
  Segments s = emitSubWarpSegments();
  Value *source = b.CreateXor(s.self, s.operand);
  return b.CreateSelect(b.CreateICmpULE(source, s.last), source, s.self);
}

Value *VectorWarpOperation::permuteLanes(Value *source) {
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
Value *VectorWarpOperation::emitShuffle(Value *source) {
  Value *values = b.CreateSelect(active, value, Constant::getNullValue(value->getType()));
  std::swap(value, values);
  Value *result = permuteLanes(source);
  if (!mask)
    return result;
  Value *named = b.CreateTrunc(b.CreateLShr(mask, source), active->getType());
  return b.CreateSelect(named, result, Constant::getNullValue(result->getType()));
}

} // namespace heddle::cpu
