#include "backend/cpu/blocks/settle_loop_results.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr const char *keptMark = "heddle.kept";

} // namespace

PreservedAnalyses SettleLoopResults::run(Function &f, FunctionAnalysisManager &) {
  if (!f.isPresplitCoroutine())
    return PreservedAnalyses::all();
  SmallVector<PHINode *> results;
  for (BasicBlock &block : f)
    for (PHINode &phi : block.phis())
      if (phi.getNumIncomingValues() == 1 && isa<Instruction>(phi.getIncomingValue(0)))
        results.push_back(&phi);
  for (PHINode *phi : results) {
    IRBuilder<> b(phi->getParent(), phi->getParent()->getFirstInsertionPt());
    b.SetCurrentDebugLocation(phi->getDebugLoc());
    auto *kept = cast<Instruction>(b.CreateFreeze(phi));
    kept->setMetadata(keptMark, MDNode::get(f.getContext(), {}));
    phi->replaceUsesWithIf(kept, [&](Use &u) { return u.getUser() != kept; });
  }
  return results.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

PreservedAnalyses ReleaseLoopResults::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<Instruction *> kept;
  for (Instruction &i : instructions(f))
    if (isa<FreezeInst>(i) && i.hasMetadata(keptMark))
      kept.push_back(&i);
  for (Instruction *i : kept) {
    i->replaceAllUsesWith(i->getOperand(0));
    i->eraseFromParent();
  }
  return kept.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::cpu
