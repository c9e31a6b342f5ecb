#include "backend/cpu/operations/atomics.h"

#include "backend/cpu/abi/thread_context.h"
#include "simt/ir/ops.h"
#include "simt/passes/atomics.h"

#include "llvm/Analysis/ValueTracking.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Returns true if only the running block can access the memory, or if the scope is the block.
bool isVisibleOnlyToBlock(const CallInst &call) {
  const auto *scope = cast<ConstantInt>(call.getArgOperand(call.arg_size() - 1));
  if (scope->equalsInt(unsigned(simt::Scope::Block)))
    return true;
  const Value *address = call.getArgOperand(0), *from = address;
  do { // step by step: shared memory is cast from a generic pointer in the context
    address = from;
    if (isa<AllocaInst>(address) || address->getType()->getPointerAddressSpace() == simt::Shared)
      return true;
    from = getUnderlyingObject(address, /*MaxLookup=*/1);
  } while (from != address);
  return false;
}

Value *lowerToCompareExchangeLoop(IRBuilderBase &b, CallInst &call) {
  unsigned bits = call.getType()->getScalarSizeInBits();
  LoadInst *guess = b.CreateAlignedLoad(b.getIntNTy(bits), call.getArgOperand(0), Align(bits / 8));
  guess->setAtomic(AtomicOrdering::Monotonic);
  return simt::lowerToCompareAndSwapLoop(b, call, guess, SyncScope::System);
}

void lowerAtomic(CallInst &call) {
  IRBuilder<> b(&call);
  Value *old;
  if (isVisibleOnlyToBlock(call))
    old = simt::lowerToLoadAndStore(b, call);
  else if (simt::calledOp(&call) == simt::Op::AtomicCas)
    old = simt::lowerToCompareAndSwap(b, call, SyncScope::System);
  else if (auto native = simt::equivalentAtomicRMW(call); native && !call.hasOperandBundles())
    old = b.CreateAtomicRMW(*native, call.getArgOperand(0), call.getArgOperand(1), MaybeAlign(),
                            AtomicOrdering::Monotonic);
  else
    old = lowerToCompareExchangeLoop(b, call);
  call.replaceAllUsesWith(old);
  call.eraseFromParent();
}

} // namespace

PreservedAnalyses LowerAtomics::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<CallInst *, 8> calls = simt::atomicCalls(f);
  for (CallInst *call : calls)
    lowerAtomic(*call);
  return calls.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::cpu
