#include "backend/cpu/blocks/plan_blocks.h"

#include "backend/cpu/abi/plan.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/blocks/block_runs.h"
#include "backend/cpu/blocks/regions.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/sync_points.h"
#include "simt/ir/ops.h"
#include "simt/ir/remarks.h"

#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Gives a loop's results their own values, which may be divergent although the loop's values are not.
void convertLoopsToLcssa(Function &kernel, FunctionAnalysisManager &analyses) {
  FunctionPassManager passes;
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  analyses.invalidate(kernel, passes.run(kernel, analyses));
}

/// Plans what a kernel's coroutines wait for.
void recordWaitKinds(Function &kernel, Plan &plan) {
  for (CallInst *call : simtCalls(kernel)) {
    simt::Op op = *simt::calledOp(call);
    plan.yields |= op == simt::Op::Yield;
    plan.waitsForGrid |= op == simt::Op::GridBarrier;
    plan.waitsForWarp |= simt::isWarpOperation(*call) || simt::isNamedBarrier(op);
  }
}

} // namespace

PreservedAnalyses PlanBlocks::run(Module &m, ModuleAnalysisManager &) {
  simt::DivergenceAnalyses known(uniformityInBlock);
  FunctionAnalysisManager &analyses = known.functionAnalyses();
  for (Function &kernel : m) {
    if (!isKernel(kernel))
      continue;
    Plan plan = planOf(kernel);
    if (!simt::hasSyncPoints(kernel)) {
      plan.runs = regions ? chooseBlockInterleaving(kernel) : BlockRuns::No;
    } else if (!regions) {
      plan.barriers = BarrierForm::Coroutines;
    } else {
      convertLoopsToLcssa(kernel, analyses);
      plan.whyCoroutines = whyNoRegions(kernel, analyses);
      plan.barriers = plan.whyCoroutines ? BarrierForm::Coroutines : BarrierForm::Regions;
      analyses.clear(kernel, kernel.getName());
      simt::addRemark(kernel, plan.describeBarriers());
    }
    if (plan.barriers == BarrierForm::Coroutines)
      recordWaitKinds(kernel, plan);
    setPlan(kernel, plan);
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
