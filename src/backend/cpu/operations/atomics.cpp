#include "backend/cpu/operations/atomics.h"

#include "backend/cpu/prepare/thread_context.h"
#include "simt/ir/ops.h"
#include "simt/passes/lowering.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace heddle::cpu {

using namespace llvm;
using RMW = AtomicRMWInst;

namespace {

bool isFloat(const CallInst &call) { return call.getType()->isFloatingPointTy(); }

/// What memory holds after `call`, when it held `old`.
Value *newValue(IRBuilderBase &b, const CallInst &call, simt::Op op, Value *old) {
  Value *operand = call.getArgOperand(1);
  if (op == simt::Op::AtomicCas)
    return b.CreateSelect(b.CreateICmpEQ(old, operand), call.getArgOperand(2), old);
  if (std::optional<RMW::BinOp> native = simt::sameOperation(op, isFloat(call)))
    return buildAtomicRMWValue(*native, b, old, operand);
  // Ordered comparisons: false when either side is NaN, so that memory stays as it is.
  Value *replaces =
      op == simt::Op::AtomicMin ? b.CreateFCmpOLT(operand, old) : b.CreateFCmpOGT(operand, old);
  return b.CreateSelect(replaces, operand, old);
}

/// Whether only the running block can reach the memory, or the caller only cares about the block.
bool seenByBlockOnly(const CallInst &call) {
  const auto *scope = cast<ConstantInt>(call.getArgOperand(call.arg_size() - 1));
  if (scope->equalsInt(unsigned(simt::Scope::Block)))
    return true;
  const Value *object = getUnderlyingObject(call.getArgOperand(0), 0);
  return isa<AllocaInst>(object) || object->getType()->getPointerAddressSpace() == simt::Shared;
}

Value *lowerPlain(IRBuilderBase &b, CallInst &call, simt::Op op) {
  Value *pointer = call.getArgOperand(0);
  Value *old = b.CreateLoad(call.getType(), pointer);
  b.CreateStore(newValue(b, call, op, old), pointer);
  return old;
}

Value *lowerCas(IRBuilderBase &b, CallInst &call) {
  auto *exchange =
      b.CreateAtomicCmpXchg(call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2),
                            MaybeAlign(), AtomicOrdering::Monotonic, AtomicOrdering::Monotonic);
  return b.CreateExtractValue(exchange, 0);
}

///       first = load; loop: old = phi(first, seen); (seen, ok) = cmpxchg(old, new(old)); ok ? done : loop
Value *lowerWithLoop(IRBuilderBase &b, CallInst &call, simt::Op op) {
  Value *pointer = call.getArgOperand(0);
  Type *type = call.getType();
  Type *bits = b.getIntNTy(type->getScalarSizeInBits());
  BasicBlock *before = call.getParent();
  BasicBlock *done = SplitBlock(before, &call);
  BasicBlock *loop = BasicBlock::Create(b.getContext(), "atomic", before->getParent(), done);

  before->getTerminator()->eraseFromParent();
  b.SetInsertPoint(before);
  LoadInst *first = b.CreateLoad(bits, pointer);
  first->setAtomic(AtomicOrdering::Monotonic);
  first->setAlignment(Align(type->getScalarSizeInBits() / 8));
  b.CreateBr(loop);

  b.SetInsertPoint(loop);
  PHINode *oldBits = b.CreatePHI(bits, 2);
  Value *old = b.CreateBitCast(oldBits, type);
  Value *next = b.CreateBitCast(newValue(b, call, op, old), bits);
  auto *exchange = b.CreateAtomicCmpXchg(pointer, oldBits, next, MaybeAlign(),
                                         AtomicOrdering::Monotonic, AtomicOrdering::Monotonic);
  oldBits->addIncoming(first, before);
  oldBits->addIncoming(b.CreateExtractValue(exchange, 0), loop);
  b.CreateCondBr(b.CreateExtractValue(exchange, 1), done, loop);
  return old;
}

void lower(CallInst &call, simt::Op op) {
  IRBuilder<> b(&call);
  Value *old;
  if (seenByBlockOnly(call))
    old = lowerPlain(b, call, op);
  else if (op == simt::Op::AtomicCas)
    old = lowerCas(b, call);
  else if (std::optional<RMW::BinOp> native = simt::sameOperation(op, isFloat(call)))
    old = b.CreateAtomicRMW(*native, call.getArgOperand(0), call.getArgOperand(1), MaybeAlign(),
                            AtomicOrdering::Monotonic);
  else
    old = lowerWithLoop(b, call, op);
  call.replaceAllUsesWith(old);
  call.eraseFromParent();
}

} // namespace

PreservedAnalyses LowerAtomics::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (CallInst *call : simtCalls(f)) {
    simt::Op op = *simt::calledOp(call);
    if (!simt::info(op).has(simt::ArgMemory))
      continue;
    lower(*call, op);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
