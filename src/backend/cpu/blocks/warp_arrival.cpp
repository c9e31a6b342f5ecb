#include "backend/cpu/blocks/warp_arrival.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/thread_context.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

enum Operand : unsigned { Mask = 1, Value0 = 2, Lane = 3, Width = 4 };
enum NamedOperand : unsigned { Number = 1, Threads = 2, Predicate = 3 };

/// Widens a value to 64 bits: predicates to 0 or 1; integers sign-extended, which preserves signed and unsigned order.
Value *widenTo64Bits(IRBuilderBase &b, Value *v) {
  return v->getType()->isIntegerTy(1) ? b.CreateZExt(v, b.getInt64Ty())
                                      : b.CreateSExt(v, b.getInt64Ty());
}

} // namespace

void storeWarpArrival(IRBuilderBase &b, Value *context, CallInst &operation) {
  auto store = [&](size_t offset, Value *v) {
    b.CreateStore(v, emitFieldAddress(b, context, offsetof(BlockContext, warp) + offset));
  };
  simt::Op op = *simt::calledOp(&operation);
  store(offsetof(WarpArrival, operation), b.getInt32(uint32_t(op)));
  if (simt::isNamedBarrier(op)) {
    store(offsetof(WarpArrival, lane), operation.getArgOperand(Number));
    store(offsetof(WarpArrival, width), operation.getArgOperand(Threads));
    store(offsetof(WarpArrival, value), operation.arg_size() > Predicate
                                            ? widenTo64Bits(b, operation.getArgOperand(Predicate))
                                            : b.getInt64(0));
    return;
  }
  bool overloaded = simt::info(op).overloaded();
  uint32_t bits = overloaded ? operation.getArgOperand(Value0)->getType()->getIntegerBitWidth() : 0;
  store(offsetof(WarpArrival, bits), b.getInt32(bits));
  if (operation.arg_size() > Mask)
    store(offsetof(WarpArrival, mask), operation.getArgOperand(Mask));
  if (operation.arg_size() > Value0)
    store(offsetof(WarpArrival, value), widenTo64Bits(b, operation.getArgOperand(Value0)));
  if (operation.arg_size() > Width) {
    store(offsetof(WarpArrival, lane), operation.getArgOperand(Lane));
    store(offsetof(WarpArrival, width), operation.getArgOperand(Width));
  }
}

Value *loadWarpResult(IRBuilderBase &b, Value *context, CallInst &operation) {
  Value *result = loadField(b, context, offsetof(BlockContext, warpResult), b.getInt64Ty());
  return b.CreateTrunc(result, operation.getType());
}

} // namespace heddle::cpu
