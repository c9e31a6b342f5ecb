#include "backend/cpu/operations/traps.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/plan.h"
#include "backend/cpu/abi/runtime_symbols.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/vectorize/widen.h"
#include "simt/ir/ops.h"

#include "llvm/IR/InstIterator.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

Value *loadBlockIndex(IRBuilderBase &b, Value *context, unsigned axis) {
  constexpr simt::Op indices[] = {simt::Op::BlockIdX, simt::Op::BlockIdY, simt::Op::BlockIdZ};
  return loadConstantField(b, context, offsetof(BlockContext, block) + 4 * axis, b.getInt32Ty(), 0,
                           simt::info(indices[axis]).bound);
}

/// The operands that identify the running thread: the context and, in a kernel, thread and block indices. In a run of
/// blocks, the loop determines the block index.
SmallVector<Value *, 17> emitThreadOperands(IRBuilderBase &b, Function &f) {
  SmallVector<Value *, 17> operands{contextOf(f)};
  if (!isKernel(f))
    return operands;
  for (unsigned axis = 0; axis < 3; ++axis)
    operands.push_back(f.getArg(ThreadXArgument + axis));
  for (unsigned axis = 0; axis < 3; ++axis)
    operands.push_back(loadBlockIndex(b, operands.front(), axis));
  operands.push_back(b.getInt32(planOf(f).groups.linear));
  return operands;
}

CallInst *callRuntime(IRBuilderBase &b, const RuntimeSymbol &symbol, ArrayRef<Value *> operands) {
  SmallVector<Type *, 17> types(map_range(operands, [](Value *v) { return v->getType(); }));
  FunctionCallee callee = b.GetInsertBlock()->getModule()->getOrInsertFunction(
      symbol.name, FunctionType::get(b.getVoidTy(), types, false));
  auto *declared = cast<Function>(callee.getCallee());
  declared->addFnAttr(Attribute::NoUnwind);
  declared->addFnAttr(Attribute::Cold);
  return b.CreateCall(callee, operands);
}

void callTrap(IRBuilderBase &b, CallInst &call) {
  Function &f = *call.getFunction();
  SmallVector<Value *, 17> operands = emitThreadOperands(b, f);
  // A lane's thread follows the group's first thread by the lane number.
  if (auto lane = call.getOperandBundle(laneBundle))
    operands[ThreadXArgument] = b.CreateAdd(operands[ThreadXArgument], lane->Inputs[0]);
  bool hasIndex = call.arg_size() == 3;
  operands.push_back(call.getArgOperand(0));
  operands.push_back(hasIndex ? call.getArgOperand(1) : b.getInt64(0));
  operands.push_back(hasIndex ? call.getArgOperand(2) : b.getInt64(0));
  callRuntime(b, isKernel(f) ? trapThreadSymbol : trapSymbol, operands)->setDoesNotReturn();
}

/// isFirst: first check of its block, which reports the running thread to the runtime.
void callCheckLanes(IRBuilderBase &b, CallInst &call, bool isFirst) {
  Function &f = *call.getFunction();
  if (isFirst)
    callRuntime(b, recordThreadSymbol, emitThreadOperands(b, f));
  enum Operand { Site, First, FirstStride, Last, LastStride, Step, Low, High, Lanes };
  SmallVector<Value *, 10> operands{contextOf(f)};
  bool isSingleIndex = call.getArgOperand(First) == call.getArgOperand(Last);
  for (unsigned n = Site; n <= Lanes; ++n)
    if (!isSingleIndex || n < Last || n > Step)
      operands.push_back(call.getArgOperand(n));
  CallInst *made =
      callRuntime(b, isSingleIndex ? checkLanesSymbol : checkLanesOfRangesSymbol, operands);
  if (call.doesNotReturn())
    made->setDoesNotReturn();
}

void callNanosleep(IRBuilderBase &b, CallInst &call) {
  auto *type = FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt32Ty()}, false);
  FunctionCallee sleep = call.getModule()->getOrInsertFunction(nanosleepSymbol.name, type);
  cast<Function>(sleep.getCallee())->addFnAttr(Attribute::NoUnwind);
  b.CreateCall(sleep, {contextOf(*call.getFunction()), call.getArgOperand(0)});
}

bool lowerTrapFenceClockOrSleep(CallInst &call) {
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
    if (!lowerTrapFenceClockOrSleep(*call))
      continue;
    call->eraseFromParent();
    changed = true;
  }
  if (Function *placeholder = f.getParent()->getFunction(checkLanesPlaceholder)) {
    const BasicBlock *last = nullptr;
    for (Instruction &i : make_early_inc_range(instructions(f)))
      if (auto *call = dyn_cast<CallInst>(&i); call && call->getCalledFunction() == placeholder) {
        IRBuilder<> b(call);
        callCheckLanes(b, *call, call->getParent() != last);
        last = call->getParent();
        call->eraseFromParent();
        changed = true;
      }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
