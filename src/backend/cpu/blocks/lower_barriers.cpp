#include "backend/cpu/blocks/lower_barriers.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/plan.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/blocks/barrier_counts.h"
#include "backend/cpu/blocks/warp_arrival.h"
#include "backend/cpu/prepare/kernel_arguments.h"
#include "simt/analysis/sync_points.h"
#include "simt/ir/ops.h"
#include "simt/ir/source_positions.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// The synchronization points of `f`, in order.
SmallVector<CallInst *, 8> collectSyncPoints(Function &f) {
  SmallVector<CallInst *, 8> barriers;
  for (CallInst *call : simtCalls(f))
    if (simt::isSyncPoint(*call))
      barriers.push_back(call);
  return barriers;
}

/// True for an operation whose operands the runtime reads, and whose result it computes.
bool resumesWithResult(simt::Op op) {
  return simt::info(op).has(simt::Warp) || simt::isNamedBarrier(op);
}

/// Creates the function (context, arguments, x, y, z) that replaces `kernel` and takes its body.
Function *makeThreadCoroutine(Function &kernel) {
  LLVMContext &c = kernel.getContext();
  Type *ptr = PointerType::get(c, 0);
  Type *i32 = Type::getInt32Ty(c);
  auto *type = FunctionType::get(ptr, {ptr, ptr, i32, i32, i32}, false);
  Function *f = Function::Create(type, GlobalValue::InternalLinkage, kernel.getAddressSpace());
  kernel.getParent()->getFunctionList().insert(kernel.getIterator(), f);
  f->takeName(&kernel);
  f->copyAttributesFrom(&kernel);
  f->setAttributes(
      AttributeList().addFnAttributes(c, AttrBuilder(c, kernel.getAttributes().getFnAttrs())));
  f->setLinkage(GlobalValue::InternalLinkage);
  f->setPresplitCoroutine();
  addContextAttributes(*f, 0);
  f->splice(f->begin(), &kernel);
  f->setSubprogram(kernel.getSubprogram());
  kernel.setSubprogram(nullptr);

  f->getArg(0)->setName("context");
  f->getArg(1)->setName("arguments");
  kernel.getArg(ContextArgument)->replaceAllUsesWith(f->getArg(0));
  for (unsigned i = 0; i < 3; ++i) {
    f->getArg(2 + i)->takeName(kernel.getArg(ThreadXArgument + i));
    kernel.getArg(ThreadXArgument + i)->replaceAllUsesWith(f->getArg(2 + i));
  }
  IRBuilder<> b(c);
  b.SetInsertPoint(entryInsertionPoint(*f));
  loadKernelArguments(b, kernel, f->getArg(1));
  return f;
}

/// Builds the common parts of a switch-resumed coroutine.
class Coroutine {
public:
  explicit Coroutine(Function &f)
      : f(f), m(*f.getParent()), b(f.getContext()),
        tokenNone(ConstantTokenNone::get(f.getContext())) {
    emitBegin();
    emitCleanup();
    returnThroughFinalSuspend();
  }

  /// Replaces a barrier, a warp operation or a yield by a suspend point, and its result by the runtime's.
  void lowerToSuspend(CallInst &barrier) {
    simt::Op op = *simt::calledOp(&barrier);
    BasicBlock *before = barrier.getParent();
    BasicBlock *after = SplitBlock(before, &barrier);
    after->setName("resume");
    before->getTerminator()->eraseFromParent();
    b.SetInsertPoint(before);
    b.SetCurrentDebugLocation(barrier.getDebugLoc());
    storeArrival(barrier);
    emitSuspend(false, after);
    b.SetInsertPoint(&barrier);
    if (!barrier.getType()->isVoidTy())
      barrier.replaceAllUsesWith(resumesWithResult(op)
                                     ? loadWarpResult(b, contextOf(f), barrier)
                                     : emitPredicateResult(b, contextOf(f), barrier));
    barrier.eraseFromParent();
  }

private:
  Value *callIntrinsic(Intrinsic::ID id, ArrayRef<Type *> types, ArrayRef<Value *> operands) {
    return b.CreateCall(Intrinsic::getOrInsertDeclaration(&m, id, types), operands);
  }

  void emitBegin() {
    // The start of the entry block: allocas stay in front, the frame comes first.
    b.SetInsertPoint(entryInsertionPoint(f));
    b.SetCurrentDebugLocation(simt::artificialLocation(f));
    Value *null = ConstantPointerNull::get(b.getPtrTy());
    Value *id = callIntrinsic(Intrinsic::coro_id, {}, {b.getInt32(0), null, null, null});
    Value *size = callIntrinsic(Intrinsic::coro_size, {b.getInt64Ty()}, {});
    Value *alignment = callIntrinsic(Intrinsic::coro_align, {b.getInt64Ty()}, {});
    Value *memory = emitFrameAllocation(b, contextOf(f), size, alignment);
    frame = callIntrinsic(Intrinsic::coro_begin, {}, {id, memory});
  }

  void emitCleanup() {
    LLVMContext &c = f.getContext();
    cleanup = BasicBlock::Create(c, "cleanup", &f);
    end = BasicBlock::Create(c, "suspend", &f);
    b.SetInsertPoint(cleanup);
    b.CreateBr(end);
    b.SetInsertPoint(end);
    callIntrinsic(Intrinsic::coro_end, {}, {frame, b.getFalse(), tokenNone});
    b.CreateRet(frame);
  }

  void returnThroughFinalSuspend() {
    LLVMContext &c = f.getContext();
    BasicBlock *last = BasicBlock::Create(c, "return", &f, cleanup);
    BasicBlock *never = BasicBlock::Create(c, "resumed.after.return", &f, cleanup);
    for (BasicBlock &block : f)
      if (isa_and_nonnull<ReturnInst>(block.getTerminator()) && &block != end) {
        block.getTerminator()->eraseFromParent();
        BranchInst::Create(last, &block);
      }
    b.SetInsertPoint(last);
    b.SetCurrentDebugLocation(simt::artificialLocation(f));
    emitSuspend(true, never);
    b.SetInsertPoint(never);
    b.CreateUnreachable();
  }

  void emitSuspend(bool final, BasicBlock *resume) {
    Value *state = callIntrinsic(Intrinsic::coro_suspend, {}, {tokenNone, b.getInt1(final)});
    SwitchInst *go = b.CreateSwitch(state, end, 2);
    go->addCase(b.getInt8(0), resume);
    go->addCase(b.getInt8(1), cleanup);
  }

  /// Stores the thread's site and operands for the runtime.
  void storeArrival(CallInst &barrier) {
    Value *context = contextOf(f);
    bool yields = simt::calledOp(&barrier) == simt::Op::Yield;
    b.CreateStore(yields ? b.getInt32(yieldSite) : barrier.getArgOperand(0),
                  emitFieldAddress(b, context, offsetof(BlockContext, barrierSite)));
    if (yields)
      return;
    if (resumesWithResult(*simt::calledOp(&barrier)))
      return storeWarpArrival(b, context, barrier);
    if (simt::calledOp(&barrier) == simt::Op::GridBarrier)
      b.CreateStore(b.getInt32(1),
                    emitFieldAddress(b, context, offsetof(BlockContext, gridBarrier)));
    emitCountArrival(b, context, barrier);
  }

  Function &f;
  Module &m;
  IRBuilder<> b;
  Value *tokenNone;
  Value *frame = nullptr;
  BasicBlock *cleanup = nullptr;
  BasicBlock *end = nullptr;
};

} // namespace

PreservedAnalyses LowerBarriers::run(Module &m, ModuleAnalysisManager &) {
  bool changed = false;
  for (Function &kernel : make_early_inc_range(m)) {
    if (!isKernel(kernel) || planOf(kernel).barriers != BarrierForm::Coroutines)
      continue;
    Function *f = makeThreadCoroutine(kernel);
    kernel.eraseFromParent();
    Coroutine coroutine(*f);
    for (CallInst *barrier : collectSyncPoints(*f))
      coroutine.lowerToSuspend(*barrier);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
