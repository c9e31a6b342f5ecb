#include "simt/passes/expand_checks.h"

#include "simt/ir/checks.h"
#include "simt/passes/lowering.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::simt {

using namespace llvm;

namespace {

void expand(CallInst &call, ExpandChecks::AfterTrap after) {
  IndexCheck check = IndexCheck::of(call);
  IRBuilder<> b(&call);
  Value *out = fails(b, check);
  MDNode *seldom = MDBuilder(b.getContext()).createUnlikelyBranchWeights();
  Instruction *stop = SplitBlockAndInsertIfThen(
      out, &call, /*Unreachable=*/after == ExpandChecks::Unreachable, seldom);
  stop->getParent()->setName("out_of_bounds");
  b.SetInsertPoint(stop);
  b.SetCurrentDebugLocation(call.getDebugLoc());
  stop->setDebugLoc(call.getDebugLoc());
  simt::call(b, Op::TrapIndex, {check.site, firstOutside(b, check), check.high});
  call.eraseFromParent();
}

} // namespace

PreservedAnalyses ExpandChecks::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (CallInst *call : simtCalls(f))
    if (isCheck(*call)) {
      expand(*call, after);
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
