#include "backend/cpu/blocks/barrier_counts.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/vectorize/widen.h"
#include "simt/ir/ops.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

Value *loadCounter(IRBuilderBase &b, Value *context, size_t offset) {
  return loadField(b, context, offset, b.getInt32Ty());
}

void storeCounter(IRBuilderBase &b, Value *value, Value *context, size_t offset) {
  b.CreateStore(value, emitFieldAddress(b, context, offset));
}

void addToCounter(IRBuilderBase &b, Value *context, size_t offset, Value *amount) {
  storeCounter(b, b.CreateAdd(loadCounter(b, context, offset), amount), context, offset);
}

} // namespace

void emitCountArrival(IRBuilderBase &b, Value *context, CallInst &barrier) {
  if (barrier.getType()->isVoidTy())
    return;
  std::optional<OperandBundleUse> group = barrier.getOperandBundle(arrivedBundle);
  addToCounter(b, context, offsetof(BlockContext, barrierArrived),
               group ? group->Inputs[0].get() : b.getInt32(1));
  addToCounter(b, context, offsetof(BlockContext, barrierTrue),
               group ? group->Inputs[1].get()
                     : b.CreateZExt(barrier.getArgOperand(1), b.getInt32Ty()));
}

void emitPublishAndResetCounts(IRBuilderBase &b, Value *context) {
  storeCounter(b, loadCounter(b, context, offsetof(BlockContext, barrierTrue)), context,
               offsetof(BlockContext, barrierTrueResult));
  storeCounter(b, loadCounter(b, context, offsetof(BlockContext, barrierArrived)), context,
               offsetof(BlockContext, barrierArrivedResult));
  storeCounter(b, b.getInt32(0), context, offsetof(BlockContext, barrierTrue));
  storeCounter(b, b.getInt32(0), context, offsetof(BlockContext, barrierArrived));
}

Value *emitPredicateResult(IRBuilderBase &b, Value *context, CallInst &barrier) {
  Value *yes = loadCounter(b, context, offsetof(BlockContext, barrierTrueResult));
  simt::Op op = *simt::calledOp(&barrier);
  if (op == simt::Op::BarrierCount)
    return yes;
  Value *holds =
      op == simt::Op::BarrierAnd
          ? b.CreateICmpEQ(yes,
                           loadCounter(b, context, offsetof(BlockContext, barrierArrivedResult)))
          : b.CreateICmpNE(yes, b.getInt32(0));
  return b.CreateZExt(holds, b.getInt32Ty());
}

} // namespace heddle::cpu
