#include "backend/nvptx/tune/limit_unrolling.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

bool isLongRunning(const Instruction &i) {
  if (i.isAtomic())
    return true;
  if (const auto *call = dyn_cast<CallBase>(&i))
    return !isa<IntrinsicInst>(call) || call->isConvergent();
  // Divisions expand to dozens of instructions, except approximate float divisions.
  if (i.getOpcode() == Instruction::FDiv)
    return !i.getType()->isFloatTy() || !i.hasApproxFunc();
  return i.isIntDivRem() && !isa<Constant>(i.getOperand(1));
}

bool isLongRunning(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &i) { return isLongRunning(i); });
  });
}

} // namespace

PreservedAnalyses LimitUnrolling::run(Function &f, FunctionAnalysisManager &am) {
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    if (isLongRunning(*loop))
      addStringMetadataToLoop(loop, "llvm.loop.unroll.runtime.disable");
  return PreservedAnalyses::all();
}

} // namespace heddle::nvptx
