#include "backend/nvptx/tune/unroll_small_loops.h"

#include "simt/thresholds.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr const char *countHint = "llvm.loop.unroll.count";

/// The number of instructions in an iteration; nullopt if the loop must not be unrolled.
std::optional<unsigned> countInstructionsIfUnrollable(const Loop &loop) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &i : *block) {
      if (const auto *call = dyn_cast<CallBase>(&i)) {
        if (call->isConvergent() || !isa<IntrinsicInst>(call))
          return std::nullopt;
        if (call->isDebugOrPseudoInst())
          continue;
      }
      if (!isa<PHINode>(i))
        ++size;
    }
  return size;
}

bool hasLoad(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &i) { return isa<LoadInst>(i); });
  });
}

bool hasUnrollHint(const Loop &loop) {
  for (const char *hint :
       {countHint, "llvm.loop.unroll.disable", "llvm.loop.unroll.runtime.disable",
        "llvm.loop.unroll.enable", "llvm.loop.unroll.full"})
    if (findOptionMDForLoop(&loop, hint))
      return true;
  return false;
}

unsigned chooseUnrollCount(const Loop &loop, ScalarEvolution &se) {
  if (!loop.isInnermost() || !loop.getLoopLatch() || !loop.getExitingBlock() ||
      hasUnrollHint(loop) || se.getSmallConstantTripCount(&loop))
    return 0;
  std::optional<unsigned> size = countInstructionsIfUnrollable(loop);
  if (!size || isa<SCEVCouldNotCompute>(se.getBackedgeTakenCount(&loop)))
    return 0;
  unsigned copies = hasLoad(loop) ? thresholds::maxUnrollCount : thresholds::minUnrollCount;
  while (copies * *size > thresholds::maxGpuCopySize)
    copies /= 2;
  return copies < thresholds::minUnrollCount ? 0 : copies;
}

} // namespace

PreservedAnalyses UnrollSmallLoops::run(Function &f, FunctionAnalysisManager &am) {
  auto &se = am.getResult<ScalarEvolutionAnalysis>(f);
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    if (unsigned copies = chooseUnrollCount(*loop, se))
      addStringMetadataToLoop(loop, countHint, copies);
  return PreservedAnalyses::all();
}

} // namespace heddle::nvptx
