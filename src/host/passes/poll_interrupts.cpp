#include "host/passes/poll_interrupts.h"

#include "host/passes/loop_pieces.h"
#include "simt/ir/host_memory.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::host {

using namespace llvm;

namespace {

/// Iterations between polls of a simple counted loop; they take less than a millisecond.
constexpr uint64_t iterationsBetweenPolls = 4096;

/// True if each iteration waits for a float of the previous one, so that polling is free.
bool hasFloatRecurrence(const Loop &loop) {
  return any_of(loop.getHeader()->phis(),
                [](const PHINode &phi) { return phi.getType()->isFloatingPointTy(); });
}

bool isNestedInnermost(const Loop &loop) { return loop.isInnermost() && loop.getParentLoop(); }

bool shouldPollInLoop(Loop &loop, ScalarEvolution &evolution) {
  bool isBounded = !isa<SCEVCouldNotCompute>(evolution.getSymbolicMaxBackedgeTakenCount(&loop));
  // More deeply nested loops are often short (over the dimensions of a point), so that polling would cost time.
  return !isNestedInnermost(loop) || !isBounded ||
         (hasFloatRecurrence(loop) && loop.getLoopDepth() == 2);
}

/// The counter of a loop that polls once per many iterations; nullopt if it polls in each.
std::optional<CountedLoop> matchLoopToSplitForPolls(Loop &loop, ScalarEvolution &evolution) {
  return isNestedInnermost(loop) ? std::nullopt : matchCountedLoop(loop, evolution);
}

void insertPollBefore(Instruction &end) {
  Module &module = *end.getModule();
  IRBuilder<> b(&end);
  Constant *flag = module.getOrInsertGlobal(simt::interruptFlag, b.getInt8Ty());
  LoadInst *set = b.CreateLoad(b.getInt8Ty(), flag);
  set->setAtomic(AtomicOrdering::Monotonic);
  set->setAlignment(Align(1));
  Instruction *answer =
      SplitBlockAndInsertIfThen(b.CreateICmpNE(set, b.getInt8(0)), &end, /*Unreachable=*/false,
                                MDBuilder(module.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(answer);
  FunctionCallee function =
      module.getOrInsertFunction(simt::interruptFunction, FunctionType::get(b.getVoidTy(), false));
  auto *callee = cast<Function>(function.getCallee());
  callee->addFnAttr(Attribute::NoUnwind);
  callee->addFnAttr(Attribute::Cold);
  b.CreateCall(function);
}

} // namespace

PreservedAnalyses PollInterrupts::run(Function &f, FunctionAnalysisManager &am) {
  auto &evolution = am.getResult<ScalarEvolutionAnalysis>(f);
  SmallVector<Instruction *, 8> ends;
  SmallVector<CountedLoop, 8> counted;
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    if (!shouldPollInLoop(*loop, evolution)) {
      continue;
    } else if (std::optional<CountedLoop> counts = matchLoopToSplitForPolls(*loop, evolution)) {
      counted.push_back(*counts);
    } else {
      SmallVector<BasicBlock *, 2> latches;
      loop->getLoopLatches(latches);
      for (BasicBlock *latch : latches)
        ends.push_back(latch->getTerminator());
    }
  for (const CountedLoop &loop : counted)
    ends.push_back(splitLoopIntoPieces(loop, iterationsBetweenPolls));
  for (Instruction *end : ends)
    insertPollBefore(*end);
  return ends.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::host
