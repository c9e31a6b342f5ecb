#include "host/aliases/vectorizable_loops.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/DemandedBits.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Vectorize/LoopVectorizationLegality.h"

namespace heddle::host {

using namespace llvm;

bool mayBeVectorized(Loop &loop, FunctionAnalysisManager &am) {
  Function &f = *loop.getHeader()->getParent();
  auto &remarks = am.getResult<OptimizationRemarkEmitterAnalysis>(f);
  auto &target = am.getResult<TargetIRAnalysis>(f);
  LoopVectorizeHints hints(&loop, /*InterleaveOnlyWhenForced=*/false, remarks, &target);
  if (!hints.allowVectorization(&f, &loop, /*VectorizeOnlyWhenForced=*/false))
    return false;
  PredicatedScalarEvolution evolution(am.getResult<ScalarEvolutionAnalysis>(f), loop);
  LoopVectorizationRequirements requirements;
  LoopVectorizationLegality legality(
      &loop, evolution, &am.getResult<DominatorTreeAnalysis>(f), &target,
      &am.getResult<TargetLibraryAnalysis>(f), &f, am.getResult<LoopAccessAnalysis>(f),
      &am.getResult<LoopAnalysis>(f), &remarks, &requirements, &hints,
      &am.getResult<DemandedBitsAnalysis>(f), &am.getResult<AssumptionAnalysis>(f),
      /*AllowRuntimeSCEVChecks=*/false, &am.getResult<AAManager>(f));
  return legality.canVectorize(/*UseVPlanNativePath=*/false) && !requirements.getExactFPInst();
}

PreservedAnalyses
transformInnermostLoops(Function &f, FunctionAnalysisManager &am,
                        function_ref<bool(Loop &, FunctionAnalysisManager &)> change) {
  SmallPtrSet<BasicBlock *, 16> unvisited;
  for (BasicBlock &block : f)
    unvisited.insert(&block);
  auto changeOne = [&] {
    for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
      if (loop->isInnermost() && unvisited.erase(loop->getHeader()) && change(*loop, am))
        return true;
    return false;
  };
  bool changed = false;
  while (changeOne()) {
    am.invalidate(f, PreservedAnalyses::none());
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::host
