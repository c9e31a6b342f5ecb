#include "backend/cpu/blocks/warp_arrival.h"

#include "backend/cpu/blocks/block_context.h"
#include "backend/cpu/prepare/thread_context.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

enum Operand : unsigned { Mask = 1, Value0 = 2, Lane = 3, Width = 4 };

WarpOperation operationOf(simt::Op op) {
  switch (op) {
  case simt::Op::WarpBarrier:
    return WarpOperation::Barrier;
  case simt::Op::WarpActive:
    return WarpOperation::Active;
  case simt::Op::WarpBallot:
    return WarpOperation::Ballot;
  case simt::Op::WarpAll:
    return WarpOperation::All;
  case simt::Op::WarpAny:
    return WarpOperation::Any;
  case simt::Op::WarpEqual:
    return WarpOperation::Equal;
  case simt::Op::WarpMatchAny:
    return WarpOperation::MatchAny;
  case simt::Op::WarpMatchAll:
    return WarpOperation::MatchAll;
  case simt::Op::ShuffleIndex:
    return WarpOperation::ShuffleIndex;
  case simt::Op::ShuffleUp:
    return WarpOperation::ShuffleUp;
  case simt::Op::ShuffleDown:
    return WarpOperation::ShuffleDown;
  case simt::Op::ShuffleXor:
    return WarpOperation::ShuffleXor;
  case simt::Op::WarpAdd:
    return WarpOperation::Add;
  case simt::Op::WarpMin:
    return WarpOperation::Min;
  case simt::Op::WarpMax:
    return WarpOperation::Max;
  case simt::Op::WarpUMin:
    return WarpOperation::UMin;
  case simt::Op::WarpUMax:
    return WarpOperation::UMax;
  case simt::Op::WarpAnd:
    return WarpOperation::And;
  case simt::Op::WarpOr:
    return WarpOperation::Or;
  case simt::Op::WarpXor:
    return WarpOperation::Xor;
  default:
    return WarpOperation::None;
  }
}

/// A value's 64 bits: a predicate as 0 or 1, integers sign-extended, which keeps their order, signed or not.
Value *widened(IRBuilderBase &b, Value *v) {
  return v->getType()->isIntegerTy(1) ? b.CreateZExt(v, b.getInt64Ty())
                                      : b.CreateSExt(v, b.getInt64Ty());
}

} // namespace

bool isWarpOperation(simt::Op op) { return operationOf(op) != WarpOperation::None; }

void storeWarpArrival(IRBuilderBase &b, Value *context, CallInst &operation) {
  auto store = [&](size_t offset, Value *v) {
    b.CreateStore(v, fieldAddress(b, context, offsetof(BlockContext, warp) + offset));
  };
  simt::Op op = *simt::calledOp(&operation);
  store(offsetof(WarpArrival, operation), b.getInt32(uint32_t(operationOf(op))));
  bool overloaded = simt::info(op).overloaded();
  uint32_t bits = overloaded ? operation.getArgOperand(Value0)->getType()->getIntegerBitWidth() : 0;
  store(offsetof(WarpArrival, bits), b.getInt32(bits));
  if (operation.arg_size() > Mask)
    store(offsetof(WarpArrival, mask), operation.getArgOperand(Mask));
  if (operation.arg_size() > Value0)
    store(offsetof(WarpArrival, value), widened(b, operation.getArgOperand(Value0)));
  if (operation.arg_size() > Width) {
    store(offsetof(WarpArrival, lane), operation.getArgOperand(Lane));
    store(offsetof(WarpArrival, width), operation.getArgOperand(Width));
  }
}

Value *warpResult(IRBuilderBase &b, Value *context, CallInst &operation) {
  Value *result = loadField(b, context, offsetof(BlockContext, warpResult), b.getInt64Ty());
  return b.CreateTrunc(result, operation.getType());
}

} // namespace heddle::cpu
