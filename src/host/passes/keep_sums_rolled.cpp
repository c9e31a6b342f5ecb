#include "host/passes/keep_sums_rolled.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace heddle::host {

using namespace llvm;

namespace {

/// True if an iteration computes a float from that of the previous iteration.
bool accumulatesFloat(const Loop &loop) {
  const BasicBlock *latch = loop.getLoopLatch();
  return latch && any_of(loop.getHeader()->phis(), [&](const PHINode &phi) {
           const Value *next = phi.getIncomingValueForBlock(latch);
           return phi.getType()->isFloatingPointTy() && is_contained(phi.users(), next) &&
                  isa<BinaryOperator, IntrinsicInst>(next);
         });
}

} // namespace

PreservedAnalyses KeepSumsRolled::run(Function &f, FunctionAnalysisManager &am) {
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    if (loop->isInnermost() && accumulatesFloat(*loop))
      addStringMetadataToLoop(loop, "llvm.loop.unroll.runtime.disable");
  return PreservedAnalyses::all();
}

} // namespace heddle::host
