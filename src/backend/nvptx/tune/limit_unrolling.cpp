#include "backend/nvptx/tune/limit_unrolling.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
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

/// Returns true if the loop contains another one whose trip count is unknown, and the same in each of its iterations.
bool containsRuntimeLoop(const Loop &outer, ScalarEvolution &evolution) {
  return any_of(outer.getSubLoops(), [&](const Loop *inner) {
    const SCEV *count = evolution.getSymbolicMaxBackedgeTakenCount(inner);
    bool isRuntimeLoop = isa<SCEVCouldNotCompute>(count) ||
                         (!isa<SCEVConstant>(count) && evolution.isLoopInvariant(count, &outer));
    return isRuntimeLoop || containsRuntimeLoop(*inner, evolution);
  });
}

} // namespace

bool hasUnrollHint(const Loop &loop) {
  return any_of(ArrayRef{"llvm.loop.unroll.count", "llvm.loop.unroll.disable",
                         "llvm.loop.unroll.runtime.disable", "llvm.loop.unroll.enable",
                         "llvm.loop.unroll.full"},
                [&](const char *hint) { return findOptionMDForLoop(&loop, hint); });
}

PreservedAnalyses KeepOuterLoopsRolled::run(Function &f, FunctionAnalysisManager &am) {
  auto &evolution = am.getResult<ScalarEvolutionAnalysis>(f);
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    if (evolution.getSmallConstantTripCount(loop) && !hasUnrollHint(*loop) &&
        containsRuntimeLoop(*loop, evolution))
      addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", /*V=*/true);
  return PreservedAnalyses::all();
}

PreservedAnalyses LimitUnrolling::run(Function &f, FunctionAnalysisManager &am) {
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    if (isLongRunning(*loop) && !findOptionMDForLoop(loop, "llvm.loop.unroll.count"))
      addStringMetadataToLoop(loop, "llvm.loop.unroll.runtime.disable");
  return PreservedAnalyses::all();
}

} // namespace heddle::nvptx
