#include "codegen/avoid_endless_vectorization.h"

#include "simt/thresholds.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace heddle::cpu {
namespace {

/// Counts the visits that the vectorizer needs to decide the uniformity of each value in the loop. It does not visit
/// the operands of values that are obviously not uniform.
double countUniformityVisits(Loop &loop, const LoopInfo &loops) {
  DenseMap<const Value *, double> visits; // of values that may be uniform
  double all = 0;
  LoopBlocksRPO order(&loop);
  order.perform(&loops);
  for (BasicBlock *block : order)
    for (Instruction &i : *block) {
      bool mayBeUniform = !isa<PHINode>(i) && all_of(i.operands(), [&](const Use &operand) {
        auto *inside = dyn_cast<Instruction>(operand);
        return !inside || !loop.contains(inside) || visits.contains(inside);
      });
      double own = 1;
      if (mayBeUniform) {
        for (Value *operand : i.operands())
          own += visits.lookup(operand);
        visits[&i] = own;
      }
      all += own;
    }
  return all;
}

} // namespace

PreservedAnalyses AvoidEndlessVectorization::run(Function &f, FunctionAnalysisManager &am) {
  const LoopInfo &loops = am.getResult<LoopAnalysis>(f);
  for (Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && countUniformityVisits(*loop, loops) > thresholds::maxOptimizedSize)
      addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  return PreservedAnalyses::all();
}

} // namespace heddle::cpu
