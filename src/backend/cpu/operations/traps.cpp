#include "backend/cpu/operations/traps.h"

#include "backend/cpu/blocks/block_context.h"
#include "backend/cpu/codegen/runtime_symbols.h"
#include "backend/cpu/prepare/bind_context.h"
#include "backend/cpu/prepare/thread_context.h"
#include "backend/cpu/vectorize/widen.h"
#include "simt/ir/ops.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// A lane's thread is that many after the group's along x.
void addLane(IRBuilderBase &b, CallInst &call) {
  if (std::optional<OperandBundleUse> lane = call.getOperandBundle(laneBundle)) {
    Value *place = fieldAddress(b, contextOf(*call.getFunction()), offsetof(BlockContext, thread));
    b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt32Ty(), place), lane->Inputs[0]), place);
  }
}

void callTrap(IRBuilderBase &b, CallInst &call) {
  storeThread(b);
  addLane(b, call);
  Module &m = *call.getModule();
  auto *type = FunctionType::get(
      b.getVoidTy(), {b.getPtrTy(), b.getInt32Ty(), b.getInt64Ty(), b.getInt64Ty()}, false);
  FunctionCallee trap = m.getOrInsertFunction(trapSymbol.name, type);
  auto *f = cast<Function>(trap.getCallee());
  f->addFnAttr(Attribute::NoReturn);
  f->addFnAttr(Attribute::NoUnwind);
  f->addFnAttr(Attribute::Cold);
  bool hasIndex = call.arg_size() == 3;
  Value *index = hasIndex ? call.getArgOperand(1) : b.getInt64(0);
  Value *extent = hasIndex ? call.getArgOperand(2) : b.getInt64(0);
  b.CreateCall(trap, {contextOf(*call.getFunction()), call.getArgOperand(0), index, extent})
      ->setDoesNotReturn();
}

void callNanosleep(IRBuilderBase &b, CallInst &call) {
  auto *type = FunctionType::get(b.getVoidTy(), {b.getInt32Ty()}, false);
  FunctionCallee sleep = call.getModule()->getOrInsertFunction(nanosleepSymbol.name, type);
  cast<Function>(sleep.getCallee())->addFnAttr(Attribute::NoUnwind);
  b.CreateCall(sleep, call.getArgOperand(0));
}

bool lowerCall(CallInst &call) {
  IRBuilder<> b(&call);
  switch (*simt::calledOp(&call)) {
  case simt::Op::Trap:
  case simt::Op::TrapIndex:
    callTrap(b, call);
    return true;
  case simt::Op::FenceBlock:
    b.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
    return true;
  case simt::Op::FenceDevice:
  case simt::Op::FenceSystem:
    b.CreateFence(AtomicOrdering::SequentiallyConsistent);
    return true;
  case simt::Op::Clock:
    call.replaceAllUsesWith(b.CreateIntrinsic(Intrinsic::readcyclecounter, {}));
    return true;
  case simt::Op::Sleep:
    callNanosleep(b, call);
    return true;
  default:
    return false;
  }
}

} // namespace

PreservedAnalyses LowerTraps::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (CallInst *call : simtCalls(f)) {
    if (!lowerCall(*call))
      continue;
    call->eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
