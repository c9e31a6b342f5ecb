#include "backend/cpu/operations/access_checks.h"

#include "backend/cpu/abi/runtime_symbols.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/prepare/bind_context.h"
#include "simt/ir/ops.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

const RuntimeSymbol *runtimeFunctionFor(const CallInst &call) {
  switch (*simt::calledOp(&call)) {
  case simt::Op::CheckAccess:
    return &checkAccessSymbol;
  case simt::Op::CheckSync:
    return &checkSyncSymbol;
  case simt::Op::CheckReport:
    return &checkReportSymbol;
  case simt::Op::CheckForget:
    return &checkForgetSymbol;
  case simt::Op::CheckLoad:
    return &checkLoadSymbol;
  case simt::Op::CheckStore:
    return &checkStoreSymbol;
  case simt::Op::CheckCopy:
    return &checkCopySymbol;
  case simt::Op::CheckUse:
    return &checkUseSymbol;
  case simt::Op::CheckBlock:
    return &checkBlockSymbol;
  default:
    return nullptr;
  }
}

void replaceWithRuntimeCall(CallInst &call, const RuntimeSymbol &symbol) {
  IRBuilder<> b(&call);
  b.SetCurrentDebugLocation({}); // these are no accesses of the program
  storeThreadIndex(b);
  b.SetCurrentDebugLocation(call.getDebugLoc());
  SmallVector<Value *, 8> operands{contextOf(*call.getFunction())};
  append_range(operands, call.args());
  SmallVector<Type *, 8> types(map_range(operands, [](Value *v) { return v->getType(); }));
  bool isTest = call.getType()->isIntegerTy(1);
  auto *type = FunctionType::get(isTest ? b.getInt32Ty() : call.getType(), types, false);
  FunctionCallee callee = call.getModule()->getOrInsertFunction(symbol.name, type);
  cast<Function>(callee.getCallee())->setDoesNotThrow();
  Value *answer = b.CreateCall(callee, operands);
  if (!call.getType()->isVoidTy())
    call.replaceAllUsesWith(isTest ? b.CreateIsNotNull(answer) : answer);
  call.eraseFromParent();
}

} // namespace

PreservedAnalyses LowerAccessChecks::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (CallInst *call : simtCalls(f))
    if (const RuntimeSymbol *symbol = runtimeFunctionFor(*call)) {
      replaceWithRuntimeCall(*call, *symbol);
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
