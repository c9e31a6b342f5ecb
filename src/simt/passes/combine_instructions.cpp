#include "simt/passes/combine_instructions.h"

#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// True if a loop exits to `block`, or to a block before it.
bool comesAfterLoopExit(const BasicBlock &block, const LoopInfo &loops) {
  auto isInLoop = [&](const BasicBlock *before) { return loops.getLoopFor(before) != nullptr; };
  return any_of(predecessors(&block), [&](const BasicBlock *before) {
    return isInLoop(before) || any_of(predecessors(before), isInLoop);
  });
}

} // namespace

PreservedAnalyses CombineInstructions::run(Function &f, FunctionAnalysisManager &am) {
  auto &tree = am.getResult<DominatorTreeAnalysis>(f);
  auto &loops = am.getResult<LoopAnalysis>(f);
  SmallVector<BasicBlock *> returns; // blocks that only return
  for (BasicBlock &block : make_early_inc_range(f))
    if (isa<ReturnInst>(block.getTerminator()) && block.size() > 1 &&
        !comesAfterLoopExit(block, loops))
      returns.push_back(SplitBlock(&block, block.getTerminator(), &tree, &loops));
  PreservedAnalyses kept = InstCombinePass().run(f, am);
  DomTreeUpdater updater(tree, DomTreeUpdater::UpdateStrategy::Eager);
  for (BasicBlock *block : returns)
    MergeBlockIntoPredecessor(block, &updater, &loops);
  return kept;
}

} // namespace heddle::simt
