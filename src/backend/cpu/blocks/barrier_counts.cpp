#include "backend/cpu/blocks/barrier_counts.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/vectorize/widen.h"
#include "simt/ir/ops.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

Value *load(IRBuilderBase &b, Value *context, size_t offset) {
  return loadField(b, context, offset, b.getInt32Ty());
}

void store(IRBuilderBase &b, Value *value, Value *context, size_t offset) {
  b.CreateStore(value, fieldAddress(b, context, offset));
}

void add(IRBuilderBase &b, Value *context, size_t offset, Value *amount) {
  store(b, b.CreateAdd(load(b, context, offset), amount), context, offset);
}

} // namespace

void countArrival(IRBuilderBase &b, Value *context, CallInst &barrier) {
  if (barrier.getType()->isVoidTy())
    return;
  std::optional<OperandBundleUse> group = barrier.getOperandBundle(arrivedBundle);
  add(b, context, offsetof(BlockContext, barrierArrived),
      group ? group->Inputs[0].get() : b.getInt32(1));
  add(b, context, offsetof(BlockContext, barrierTrue),
      group ? group->Inputs[1].get() : b.CreateZExt(barrier.getArgOperand(1), b.getInt32Ty()));
}

void publishCounts(IRBuilderBase &b, Value *context) {
  store(b, load(b, context, offsetof(BlockContext, barrierTrue)), context,
        offsetof(BlockContext, barrierTrueResult));
  store(b, load(b, context, offsetof(BlockContext, barrierArrived)), context,
        offsetof(BlockContext, barrierArrivedResult));
  store(b, b.getInt32(0), context, offsetof(BlockContext, barrierTrue));
  store(b, b.getInt32(0), context, offsetof(BlockContext, barrierArrived));
}

Value *countResult(IRBuilderBase &b, Value *context, CallInst &barrier) {
  Value *yes = load(b, context, offsetof(BlockContext, barrierTrueResult));
  simt::Op op = *simt::calledOp(&barrier);
  if (op == simt::Op::BarrierCount)
    return yes;
  Value *holds =
      op == simt::Op::BarrierAnd
          ? b.CreateICmpEQ(yes, load(b, context, offsetof(BlockContext, barrierArrivedResult)))
          : b.CreateICmpNE(yes, b.getInt32(0));
  return b.CreateZExt(holds, b.getInt32Ty());
}

} // namespace heddle::cpu
