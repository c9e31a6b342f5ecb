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

/// A lane's thread is that many after the group's first.
void addLane(IRBuilderBase &b, CallInst &call) {
  std::optional<OperandBundleUse> lane = call.getOperandBundle(laneBundle);
  if (!lane)
    return;
  Function &f = *call.getFunction();
  Value *context = contextOf(f);
  auto storeIndex = [&](Value *index, unsigned axis) {
    b.CreateStore(index, fieldAddress(b, context, offsetof(BlockContext, thread) + 4 * axis));
  };
  Value *number = b.CreateAdd(f.getArg(ThreadXArgument), lane->Inputs[0]);
  if (!f.hasFnAttribute(linearAttribute))
    return storeIndex(number, 0);
  for (unsigned axis : {0u, 1u}) {
    Value *extent = loadConstantField(b, context, offsetof(BlockContext, blockDim) + 4 * axis,
                                      b.getInt32Ty(), 1);
    storeIndex(b.CreateURem(number, extent), axis);
    number = b.CreateUDiv(number, extent);
  }
  storeIndex(number, 2);
}

Value *loadBlockIndex(IRBuilderBase &b, Value *context, unsigned axis) {
  constexpr simt::Op indices[] = {simt::Op::BlockIdX, simt::Op::BlockIdY, simt::Op::BlockIdZ};
  return loadConstantField(b, context, offsetof(BlockContext, block) + 4 * axis, b.getInt32Ty(), 0,
                           simt::info(indices[axis]).bound);
}

/// A run of blocks knows by its loop which of them traps.
void storeBlock(IRBuilderBase &b, Value *context) {
  for (unsigned axis = 0; axis < 3; ++axis)
    b.CreateStore(loadBlockIndex(b, context, axis),
                  fieldAddress(b, context, offsetof(BlockContext, stoppedBlock) + 4 * axis));
}

void callTrap(IRBuilderBase &b, CallInst &call) {
  storeThread(b);
  storeBlock(b, contextOf(*call.getFunction()));
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

void callCheckLanes(IRBuilderBase &b, CallInst &call) {
  Function &f = *call.getFunction();
  Value *context = contextOf(f);
  SmallVector<Value *, 17> operands{context};
  for (unsigned axis = 0; axis < 3; ++axis)
    operands.push_back(f.getArg(ThreadXArgument + axis));
  for (unsigned axis = 0; axis < 3; ++axis)
    operands.push_back(loadBlockIndex(b, context, axis));
  operands.push_back(call.getArgOperand(0));
  operands.push_back(b.getInt32(f.hasFnAttribute(linearAttribute)));
  append_range(operands, drop_begin(call.args()));
  SmallVector<Type *, 17> types(map_range(operands, [](Value *v) { return v->getType(); }));
  FunctionCallee check = call.getModule()->getOrInsertFunction(
      checkLanesSymbol.name, FunctionType::get(b.getVoidTy(), types, false));
  auto *declared = cast<Function>(check.getCallee());
  declared->addFnAttr(Attribute::NoUnwind);
  declared->addFnAttr(Attribute::Cold);
  CallInst *made = b.CreateCall(check, operands);
  if (call.doesNotReturn())
    made->setDoesNotReturn();
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
  if (Function *standIn = f.getParent()->getFunction(checkLanesStandIn))
    for (User *user : make_early_inc_range(standIn->users()))
      if (auto *call = cast<CallInst>(user); call->getFunction() == &f) {
        IRBuilder<> b(call);
        callCheckLanes(b, *call);
        call->eraseFromParent();
        changed = true;
      }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
