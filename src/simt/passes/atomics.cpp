#include "simt/passes/atomics.h"

#include "simt/passes/lowering.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace heddle::simt {

using namespace llvm;

SmallVector<CallInst *, 8> atomicCalls(Function &f) {
  SmallVector<CallInst *, 8> calls = simtCalls(f);
  erase_if(calls, [](const CallInst *call) { return !info(*calledOp(call)).has(ArgMemory); });
  return calls;
}

std::optional<AtomicRMWInst::BinOp> equivalentAtomicRMW(const CallInst &atomic) {
  bool isFloat = atomic.getType()->isFloatingPointTy();
  switch (*calledOp(&atomic)) {
  case Op::AtomicAdd:
    return isFloat ? AtomicRMWInst::FAdd : AtomicRMWInst::Add;
  case Op::AtomicSub:
    return isFloat ? AtomicRMWInst::FSub : AtomicRMWInst::Sub;
  case Op::AtomicMin:
    // atomicrmw fmin returns the number if memory holds a NaN; this operation keeps the NaN.
    return isFloat ? std::nullopt : std::optional(AtomicRMWInst::Min);
  case Op::AtomicMax:
    return isFloat ? std::nullopt : std::optional(AtomicRMWInst::Max);
  case Op::AtomicUMin:
    return AtomicRMWInst::UMin;
  case Op::AtomicUMax:
    return AtomicRMWInst::UMax;
  case Op::AtomicNanMin:
    return AtomicRMWInst::FMin;
  case Op::AtomicNanMax:
    return AtomicRMWInst::FMax;
  case Op::AtomicAnd:
    return AtomicRMWInst::And;
  case Op::AtomicOr:
    return AtomicRMWInst::Or;
  case Op::AtomicXor:
    return AtomicRMWInst::Xor;
  case Op::AtomicInc:
    return AtomicRMWInst::UIncWrap;
  case Op::AtomicDec:
    return AtomicRMWInst::UDecWrap;
  case Op::AtomicExch:
    return AtomicRMWInst::Xchg;
  default:
    return std::nullopt;
  }
}

namespace {

/// Emits the value in memory after `atomic`, given the old value.
Value *emitNewValue(IRBuilderBase &b, const CallInst &atomic, Value *old) {
  Op op = *calledOp(&atomic);
  Value *operand = atomic.getArgOperand(1);
  if (op == Op::AtomicCas)
    return b.CreateSelect(b.CreateICmpEQ(old, operand), atomic.getArgOperand(2), old);
  if (auto lanes = atomic.getOperandBundle(lanesBundle)) {
    Value *numbers = lanes->Inputs.front();
    if (op == Op::AtomicAdd)
      return b.CreateFAddReduce(old, numbers);
    unsigned count = cast<FixedVectorType>(numbers->getType())->getNumElements();
    for (unsigned lane = 0; lane < count;
         ++lane) // subtract one by one: negating the sum would flip a NaN's sign
      old = b.CreateFSub(old, b.CreateExtractElement(numbers, lane));
    return old;
  }
  if (auto same = equivalentAtomicRMW(atomic))
    return buildAtomicRMWValue(*same, b, old, operand);
  if (op != Op::AtomicMin && op != Op::AtomicMax)
    report_fatal_error(Twine("the value in memory after ") + info(op).name + " is not defined");
  // Ordered comparisons are false for NaN, so memory stays unchanged.
  Value *replaces =
      op == Op::AtomicMin ? b.CreateFCmpOLT(operand, old) : b.CreateFCmpOGT(operand, old);
  return b.CreateSelect(replaces, operand, old);
}

Value *emitCompareAndSwap(IRBuilderBase &b, Value *pointer, Value *expected, Value *next,
                          SyncScope::ID scope) {
  auto *exchange =
      b.CreateAtomicCmpXchg(pointer, expected, next, MaybeAlign(), AtomicOrdering::Monotonic,
                            AtomicOrdering::Monotonic, scope);
  return b.CreateExtractValue(exchange, 0);
}

} // namespace

Value *lowerToLoadAndStore(IRBuilderBase &b, CallInst &atomic) {
  Value *pointer = atomic.getArgOperand(0);
  Value *old = b.CreateLoad(atomic.getType(), pointer);
  b.CreateStore(emitNewValue(b, atomic, old), pointer);
  return old;
}

Value *lowerToCompareAndSwap(IRBuilderBase &b, CallInst &atomic, SyncScope::ID scope) {
  return emitCompareAndSwap(b, atomic.getArgOperand(0), atomic.getArgOperand(1),
                            atomic.getArgOperand(2), scope);
}

Value *lowerToCompareAndSwapLoop(IRBuilderBase &b, CallInst &atomic, Value *guess,
                                 SyncScope::ID scope) {
  Type *type = atomic.getType(), *bits = guess->getType();
  BasicBlock *before = atomic.getParent();
  BasicBlock *done = SplitBlock(before, &atomic);
  before->getTerminator()->eraseFromParent();
  b.SetInsertPoint(before);
  Value *old = emitCompareAndSwapLoop(
      b, guess, done,
      [&](Value *old) {
        return b.CreateBitCast(emitNewValue(b, atomic, b.CreateBitCast(old, type)), bits);
      },
      [&](Value *expected, Value *next) {
        return emitCompareAndSwap(b, atomic.getArgOperand(0), expected, next, scope);
      });
  b.SetInsertPoint(&atomic);
  return b.CreateBitCast(old, type);
}

Value *emitCompareAndSwapLoop(IRBuilderBase &b, Value *guess, BasicBlock *done,
                              function_ref<Value *(Value *)> next,
                              function_ref<Value *(Value *, Value *)> exchange) {
  BasicBlock *before = b.GetInsertBlock();
  auto block = [&](const char *name) {
    return BasicBlock::Create(b.getContext(), name, before->getParent(), done);
  };
  BasicBlock *loop = block("atomic"), *attempt = block("atomic.attempt");
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *old = b.CreatePHI(guess->getType(), 2);
  Value *wanted = next(old);
  b.CreateCondBr(b.CreateICmpEQ(wanted, old), done, attempt);
  b.SetInsertPoint(attempt);
  Value *found = exchange(old, wanted);
  old->addIncoming(guess, before);
  old->addIncoming(found, attempt);
  b.CreateCondBr(b.CreateICmpEQ(found, old), done, loop);
  return old;
}

} // namespace heddle::simt
