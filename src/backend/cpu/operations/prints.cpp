#include "backend/cpu/operations/prints.h"

#include "backend/cpu/abi/runtime_symbols.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/prepare/bind_context.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

void callPrint(CallInst &call, StringRef format) {
  IRBuilder<> b(&call);
  storeThreadIndex(b); // reported if memory runs out
  Module &m = *call.getModule();
  auto *type = FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getPtrTy()}, false);
  FunctionCallee print = m.getOrInsertFunction(printSymbol.name, type);
  auto *f = cast<Function>(print.getCallee());
  f->setDoesNotThrow();
  f->addParamAttr(1, Attribute::ReadOnly);
  for (unsigned i : {1, 2})
    f->addParamAttr(i, Attribute::getWithCaptureInfo(m.getContext(), CaptureInfo::none()));
  b.CreateCall(print, {contextOf(*call.getFunction()), b.CreateGlobalString(format, "format"),
                       call.getArgOperand(1)});
}

} // namespace

PreservedAnalyses LowerPrints::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<CallInst *, 4> prints;
  for (CallInst *call : simtCalls(f))
    if (simt::calledOp(call) == simt::Op::Print)
      prints.push_back(call);
  if (prints.empty())
    return PreservedAnalyses::all();
  std::vector<simt::SiteInfo> sites = simt::sitesOf(*f.getParent());
  for (CallInst *call : prints) {
    callPrint(*call, sites[cast<ConstantInt>(call->getArgOperand(0))->getZExtValue()].message);
    call->eraseFromParent();
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
