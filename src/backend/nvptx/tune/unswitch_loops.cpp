#include "backend/nvptx/tune/unswitch_loops.h"

#include "simt/ir/remarks.h"
#include "simt/thresholds.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

/// A loop that is copied for a condition of one test per iteration gains less than its copy costs.
constexpr unsigned minTestsPerIteration = 2;

/// A loop and the condition that it tests the most often.
struct RepeatedTest {
  Loop *loop;
  Value *condition;
};

/// Returns true if the loop may be copied, and both copies are small enough.
bool isCopyable(const Loop &loop) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &i : *block) {
      if (const auto *call = dyn_cast<CallBase>(&i))
        if (call->isConvergent() || call->cannotDuplicate())
          return false;
      ++size;
    }
  return 2 * size <= thresholds::maxUnrolledSize;
}

Value *findRepeatedCondition(const Loop &loop, const UniformityInfo &uniformity) {
  MapVector<Value *, unsigned> tests;
  for (const BasicBlock *block : loop.blocks()) {
    const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (branch && branch->isConditional() && !loop.isLoopExiting(block) &&
        !isa<Constant>(branch->getCondition()) && loop.isLoopInvariant(branch->getCondition()))
      ++tests[branch->getCondition()];
  }
  Value *found = nullptr;
  for (auto [condition, count] : tests)
    if (count >= minTestsPerIteration && (!found || count > tests[found]) &&
        uniformity.isUniform(condition))
      found = condition;
  return found;
}

/// Makes two loops of one: for the condition's true and false.
void copyLoop(const RepeatedTest &test, LoopInfo &loops, DominatorTree &tree) {
  Loop &loop = *test.loop;
  BasicBlock *entry = loop.getLoopPreheader();
  BasicBlock *preheader = SplitBlock(entry, entry->getTerminator(), &tree, &loops);
  SmallVector<BasicBlock *, 4> exits;
  loop.getUniqueExitBlocks(exits);
  ValueToValueMapTy map;
  SmallVector<BasicBlock *, 16> blocks;
  cloneLoopWithPreheader(preheader, entry, &loop, map, ".else", &loops, &tree, blocks);
  remapInstructionsInBlocks(blocks, map);
  for (BasicBlock *exit : exits)
    for (PHINode &phi : exit->phis())
      for (unsigned n = 0, count = phi.getNumIncomingValues(); n < count; ++n) {
        Value *copy = map.lookup(phi.getIncomingValue(n));
        phi.addIncoming(copy ? copy : phi.getIncomingValue(n),
                        cast<BasicBlock>(map[phi.getIncomingBlock(n)]));
      }
  IRBuilder<> b(entry->getTerminator());
  // The loop may not reach the tests, so a poison condition may be no error.
  Value *condition = isGuaranteedNotToBeUndefOrPoison(test.condition)
                         ? test.condition
                         : b.CreateFreeze(test.condition, test.condition->getName() + ".frozen");
  b.CreateCondBr(condition, preheader, cast<BasicBlock>(map[preheader]));
  entry->getTerminator()->eraseFromParent();
  auto setCondition = [&](ArrayRef<BasicBlock *> copy, bool value) {
    for (BasicBlock *block : copy)
      for (Instruction &i : *block)
        i.replaceUsesOfWith(test.condition, b.getInt1(value));
  };
  setCondition(loop.getBlocks(), true);
  setCondition(blocks, false);
}

} // namespace

PreservedAnalyses UnswitchLoops::run(Function &f, FunctionAnalysisManager &am) {
  auto &loops = am.getResult<LoopAnalysis>(f);
  SmallVector<Loop *> candidates;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && isCopyable(*loop))
      candidates.push_back(loop);
  if (candidates.empty())
    return PreservedAnalyses::all();
  auto &uniformity = am.getResult<UniformityInfoAnalysis>(f);
  SmallVector<RepeatedTest> found;
  for (Loop *loop : candidates)
    if (Value *condition = findRepeatedCondition(*loop, uniformity))
      found.push_back({loop, condition});
  if (found.empty())
    return PreservedAnalyses::all();
  auto &tree = am.getResult<DominatorTreeAnalysis>(f);
  for (const RepeatedTest &test : found) {
    simplifyLoop(test.loop, &tree, &loops, /*SE=*/nullptr, /*AC=*/nullptr, /*MSSAU=*/nullptr,
                 /*PreserveLCSSA=*/false);
    formLCSSA(*test.loop, tree, &loops, /*SE=*/nullptr);
    copyLoop(test, loops, tree);
    simt::addRemark(
        f,
        "a loop tests a condition several times in each iteration that no iteration changes: each "
        "result of the condition has a separate loop");
  }
  am.invalidate(f, PreservedAnalyses::none());
  SimplifyCFGPass().run(f, am);
  return PreservedAnalyses::none();
}

} // namespace heddle::nvptx
