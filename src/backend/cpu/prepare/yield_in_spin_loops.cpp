#include "backend/cpu/prepare/yield_in_spin_loops.h"

#include "simt/analysis/spin_loops.h"
#include "simt/ir/ops.h"
#include "simt/passes/lowering.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;

PreservedAnalyses YieldInSpinLoops::run(Function &f, FunctionAnalysisManager &am) {
  if (!simt::isKernel(f))
    return PreservedAnalyses::all();
  SmallVector<std::pair<BasicBlock *, BasicBlock *>> spins;
  SmallSetVector<CallInst *, 4> sleeps;
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    if (simt::SpinPathEnd end = simt::findSpinPathEnd(*loop)) {
      spins.push_back({end.block, loop->getHeader()});
      if (end.hasPollLimit)
        continue; // the sleeps limit the time, too
      for (CallInst *call : simt::simtCalls(f))
        if (simt::calledOp(call) == simt::Op::Sleep && loop->contains(call))
          sleeps.insert(call);
    }
  for (CallInst *sleep : sleeps)
    sleep->eraseFromParent();
  for (auto [end, header] : spins) {
    DebugLoc location = end->getTerminator()->getDebugLoc();
    BasicBlock *latch = SplitEdge(end, header);
    latch->setName("wait");
    IRBuilder<> b(latch->getTerminator());
    b.SetCurrentDebugLocation(location);
    simt::call(b, simt::Op::Yield, {});
  }
  return spins.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::cpu
