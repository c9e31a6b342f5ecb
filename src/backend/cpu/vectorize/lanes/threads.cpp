#include "backend/cpu/vectorize/lanes/threads.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Computes number / extent rounded down, both at most 1024. Vectors of integers have no division. The float quotient's
/// error is smaller than the distance to the next integer, because 0.5 was added to the number.
Value *emitSmallDivision(IRBuilderBase &b, Value *number, Value *extent) {
  Type *floats = number->getType()->getWithNewType(b.getFloatTy());
  Value *middle = b.CreateFAdd(b.CreateUIToFP(number, floats), ConstantFP::get(floats, 0.5));
  Value *exact = b.CreateFDiv(middle, b.CreateUIToFP(extent, floats));
  return b.CreateFPToUI(exact, number->getType());
}

} // namespace

IRBuilder<> LaneThreads::builderAtEntry() const {
  BasicBlock &entry = f.getEntryBlock();
  return IRBuilder<>(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
}

Value *LaneThreads::emitIndexOp(IRBuilderBase &b, simt::Op op) const {
  return b.CreateCall(simt::declare(*f.getParent(), op));
}

Value *LaneThreads::emitConsecutiveIndices(IRBuilderBase &b, simt::Op first) const {
  SmallVector<Constant *, 32> steps;
  for (unsigned lane = 0; lane < groups.width; ++lane)
    steps.push_back(b.getInt32(lane));
  return b.CreateAdd(b.CreateVectorSplat(groups.width, emitIndexOp(b, first)),
                     ConstantVector::get(steps));
}

Value *LaneThreads::emitMaskOfExistingLanes() {
  IRBuilder<> b = builderAtEntry();
  Value *extent = emitIndexOp(b, simt::Op::BlockDimX);
  if (groups.linear) {
    extent = b.CreateNUWMul(extent, emitIndexOp(b, simt::Op::BlockDimY));
    extent = b.CreateNUWMul(extent, emitIndexOp(b, simt::Op::BlockDimZ));
  }
  return b.CreateICmpULT(emitConsecutiveIndices(b, simt::Op::ThreadIdX),
                         b.CreateVectorSplat(groups.width, extent), "existing");
}

Value *LaneThreads::emitThreadIdOfLinearGroup(IRBuilderBase &b, simt::Op op) const {
  auto extent = [&](simt::Op of) { return b.CreateVectorSplat(groups.width, emitIndexOp(b, of)); };
  Value *number = emitConsecutiveIndices(b, simt::Op::ThreadIdX);
  Value *rowLength = extent(simt::Op::BlockDimX);
  Value *row = emitSmallDivision(b, number, rowLength);
  if (op == simt::Op::ThreadIdX)
    return b.CreateSub(number, b.CreateMul(row, rowLength));
  Value *rows = extent(simt::Op::BlockDimY);
  Value *plane = emitSmallDivision(b, row, rows);
  return op == simt::Op::ThreadIdZ ? plane : b.CreateSub(row, b.CreateMul(plane, rows));
}

Value *LaneThreads::getOrEmitIndexVector(simt::Op op) {
  if (Value *known = vectors_.lookup(op))
    return known;
  IRBuilder<> b = builderAtEntry();
  switch (op) {
  case simt::Op::ThreadIdX:
  case simt::Op::ThreadIdY:
  case simt::Op::ThreadIdZ:
    return vectors_[op] = emitThreadIdOfLinearGroup(b, op);
  case simt::Op::LaneId: {
    Value *lanes = emitConsecutiveIndices(b, simt::Op::LaneId);
    return vectors_[op] = b.CreateAnd(lanes, ConstantInt::get(lanes->getType(), 31));
  }
  default:
    return nullptr;
  }
}

} // namespace heddle::cpu
