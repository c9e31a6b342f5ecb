#include "backend/cpu/codegen/avoid_endless_vectorization.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace heddle::cpu {
namespace {

// Each takes the vectorizer some ten microseconds.
constexpr double mostVisits = 2'000;

/// How many visits the vectorizer needs to decide for each value in the loop whether it is uniform. It does not visit the
/// operands of those that clearly are not.
double visitsIn(Loop &loop, const LoopInfo &loops) {
  DenseMap<const Value *, double> visits; // of each value that may be uniform
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
    if (loop->isInnermost() && visitsIn(*loop, loops) > mostVisits)
      addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  return PreservedAnalyses::all();
}

} // namespace heddle::cpu
