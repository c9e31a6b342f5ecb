#include "simt/check/insert_barrier_checks.h"

#include "simt/analysis/divergence.h"
#include "simt/analysis/sync_points.h"
#include "simt/check/checked_access.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// Barriers of the block and the grid, and warp operations that wait for the lanes of a mask.
bool isCheckedBarrier(const Instruction &i) {
  std::optional<Op> op = calledOp(&i);
  return isBlockBarrier(i) || op == Op::GridBarrier || (isWarpOperation(i) && op != Op::WarpActive);
}

/// True if a thread that reaches the block returns without another effect.
bool onlyReturns(const BasicBlock &from) {
  SmallPtrSet<const BasicBlock *, 8> seen;
  for (const BasicBlock *block = &from; seen.insert(block).second;
       block = block->getSingleSuccessor()) {
    for (const Instruction &i : *block)
      if (!i.isTerminator() && i.mayHaveSideEffects())
        return false;
    if (isa<ReturnInst>(block->getTerminator()))
      return true;
    if (!block->getSingleSuccessor())
      return false;
  }
  return false;
}

class BarrierJoins {
public:
  /// isRelevant: the branches to consider; null for all.
  BarrierJoins(Function &f, FunctionAnalysisManager &am,
               function_ref<bool(const BasicBlock &)> isRelevant = nullptr)
      : f_(f), dominators_(am.getResult<DominatorTreeAnalysis>(f)),
        postDominators_(am.getResult<PostDominatorTreeAnalysis>(f)),
        loops_(am.getResult<LoopAnalysis>(f)), isRelevant_(isRelevant) {}

  /// The joins of a barrier in `block`, outermost first.
  SmallVector<BasicBlock *, 4> find(BasicBlock &block) const {
    SmallSetVector<BasicBlock *, 4> joins;
    SmallSetVector<BasicBlock *, 8> around;
    around.insert(&block);
    for (unsigned i = 0; i < around.size(); ++i)
      for (BasicBlock &branch : f_) {
        bool isOuter = dominators_.properlyDominates(&branch, around[i]);
        if (!controls(branch, *around[i]) || (!isOuter && !leavesLoopOf(branch, *around[i])))
          continue;
        const auto *join = postDominators_.getNode(&branch)->getIDom();
        bool counts = !isRelevant_ || isRelevant_(branch);
        if (counts && join && join->getBlock() && !onlyReturns(*join->getBlock()))
          joins.insert(join->getBlock());
        if (isOuter)
          around.insert(&branch);
      }
    SmallVector<BasicBlock *, 4> sorted = joins.takeVector();
    sort(sorted, [&](BasicBlock *a, BasicBlock *b) {
      return postDominators_.getNode(a)->getLevel() < postDominators_.getNode(b)->getLevel();
    });
    return sorted;
  }

private:
  /// True if one side of the branch always leads to the block, and the other one may not.
  bool controls(const BasicBlock &branch, const BasicBlock &block) const {
    const BasicBlock *end = &branch;
    return succ_size(&branch) > 1 && !postDominators_.properlyDominates(&block, end) &&
           any_of(successors(&branch),
                  [&](const BasicBlock *side) { return postDominators_.dominates(&block, side); });
  }

  bool leavesLoopOf(const BasicBlock &branch, const BasicBlock &block) const {
    for (const Loop *loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop())
      if (loop->contains(&branch) && loop->isLoopExiting(&branch))
        return true;
    return false;
  }

  Function &f_;
  const DominatorTree &dominators_;
  const PostDominatorTree &postDominators_;
  const LoopInfo &loops_;
  function_ref<bool(const BasicBlock &)> isRelevant_;
};

SmallVector<CallInst *> findBarriers(Function &f) {
  SmallVector<CallInst *> barriers;
  for (Instruction &i : instructions(f))
    if (isCheckedBarrier(i))
      barriers.push_back(cast<CallInst>(&i));
  return barriers;
}

} // namespace

PreservedAnalyses InsertBarrierChecks::run(Function &f, FunctionAnalysisManager &am) {
  SmallVector<CallInst *> barriers = findBarriers(f);
  if (barriers.empty())
    return PreservedAnalyses::all();
  BarrierJoins joins(f, am);
  IRBuilder<> b(f.getContext());
  for (CallInst *barrier : barriers) {
    uint64_t site = cast<ConstantInt>(barrier->getArgOperand(0))->getZExtValue();
    for (auto [level, join] : enumerate(joins.find(*barrier->getParent()))) {
      b.SetInsertPoint(join->getFirstInsertionPt());
      b.SetCurrentDebugLocation(barrier->getDebugLoc());
      CheckedJoin passed{.site = uint32_t(site), .level = uint32_t(level)};
      simt::call(b, Op::CheckSync,
                 {b.getInt32(uint32_t(SyncKind::Join)), b.getInt32(passed.encode())});
    }
  }
  return PreservedAnalyses::none();
}

bool maySkipBarrier(Function &f) {
  SmallVector<CallInst *> warpBarriers, blockBarriers;
  for (CallInst *call : findBarriers(f)) {
    if (calledOp(call) == Op::WarpBarrier)
      warpBarriers.push_back(call);
    else if (!isWarpOperation(*call))
      blockBarriers.push_back(call);
  }
  auto maySkip = [&](ArrayRef<CallInst *> barriers, DivergenceAnalyses analyses) {
    UniformityInfo &uniformity = analyses.functions().getResult<UniformityInfoAnalysis>(f);
    auto isDivergent = [&](const BasicBlock &branch) {
      return uniformity.hasDivergentTerminator(branch);
    };
    BarrierJoins joins(f, analyses.functions(), isDivergent);
    return any_of(barriers,
                  [&](CallInst *barrier) { return !joins.find(*barrier->getParent()).empty(); });
  };
  return (!warpBarriers.empty() && maySkip(warpBarriers, DivergenceAnalyses(Neighbors::InOrder))) ||
         (!blockBarriers.empty() &&
          maySkip(blockBarriers, DivergenceAnalyses(makeBlockUniformity())));
}

} // namespace heddle::simt
