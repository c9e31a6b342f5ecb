#include "simt/check/insert_barrier_checks.h"

#include "simt/analysis/divergence.h"
#include "simt/analysis/sync_points.h"
#include "simt/check/checked_access.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/GenericDomTreeConstruction.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#include <utility>

namespace heddle::simt {

using namespace llvm;

namespace {

/// Barriers of the block and the grid, and warp operations that wait for the lanes of a mask.
bool isCheckedBarrier(const Instruction &i) {
  std::optional<Op> op = calledOp(&i);
  return isBlockBarrier(i) || op == Op::GridBarrier || (isWarpOperation(i) && op != Op::WarpActive);
}

/// True if a thread that reaches the block returns without another effect.
bool returnsWithoutEffects(const BasicBlock &from) {
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
  explicit BarrierJoins(Function &f) : f_(f), dominators_(f), loops_(dominators_) {
    // The header of a loop is the join of an earlier branch, but runs in each iteration.
    for (Loop *loop : loops_.getLoopsInPreorder())
      if (!loop->getLoopPreheader())
        InsertPreheaderForLoop(loop, &dominators_, &loops_, nullptr, /*PreserveLCSSA=*/false);
    postDominators_.recalculate(f);
    removePathsToTraps();
  }

  /// The joins of a barrier in `block`, outermost first.
  SmallVector<BasicBlock *, 4> findJoins(BasicBlock &block) const {
    SmallSetVector<BasicBlock *, 4> joins;
    SmallSetVector<BasicBlock *, 8> around;
    around.insert(&block);
    for (unsigned i = 0; i < around.size(); ++i)
      for (BasicBlock &branch : f_) {
        bool isOuter = dominators_.properlyDominates(&branch, around[i]);
        if (!decidesIfReached(branch, *around[i]) ||
            (!isOuter && !mayExitLoopAround(branch, *around[i])))
          continue;
        const auto *join = postDominators_.getNode(&branch)->getIDom();
        if (join && join->getBlock() && !returnsWithoutEffects(*join->getBlock()))
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
  bool decidesIfReached(const BasicBlock &branch, const BasicBlock &block) const {
    const BasicBlock *end = &branch;
    return succ_size(&branch) > 1 && !postDominators_.properlyDominates(&block, end) &&
           any_of(successors(&branch),
                  [&](const BasicBlock *side) { return postDominators_.dominates(&block, side); });
  }

  bool mayExitLoopAround(const BasicBlock &branch, const BasicBlock &block) const {
    for (const Loop *loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop())
      if (loop->contains(&branch) && loop->isLoopExiting(&branch))
        return true;
    return false;
  }

  /// Removes paths that stop the kernel from the post-dominator tree.
  void removePathsToTraps() {
    SmallVector<PostDominatorTree::UpdateType> edges;
    for (BasicBlock &block : f_) {
      bool traps = any_of(block, [](const Instruction &i) {
        return calledOp(&i) == Op::Trap || calledOp(&i) == Op::TrapIndex;
      });
      if (traps && succ_empty(&block))
        for (BasicBlock *from :
             SmallSetVector<BasicBlock *, 4>(pred_begin(&block), pred_end(&block)))
          edges.push_back({PostDominatorTree::Delete, from, &block});
    }
    if (edges.empty())
      return;
    GraphDiff<BasicBlock *, true> withoutTraps(edges);
    using Builder = DomTreeBuilder::SemiNCAInfo<PostDomTreeBase<BasicBlock>>;
    Builder::BatchUpdateInfo view(withoutTraps, &withoutTraps);
    Builder::CalculateFromScratch(postDominators_, &view);
  }

  Function &f_;
  DominatorTree dominators_;
  LoopInfo loops_;
  PostDominatorTree postDominators_; ///< without paths to traps
};

/// The paths from the end of a branch.
class PathsFrom {
public:
  explicit PathsFrom(const BasicBlock &branch) {
    SmallPtrSet<const BasicBlock *, 32> seen;
    for (const BasicBlock *side : successors(&branch))
      for (const BasicBlock *block : post_order_ext(side, seen))
        postOrder_.push_back(block);
    for (auto [i, block] : enumerate(postOrder_))
      indices_[block] = unsigned(i);
    computeDominators(branch);
  }

  /// True if a thread may reach `a` and another one `b`, without a block that both must run before.
  bool mayBeReachedSeparately(const BasicBlock &a, const BasicBlock &b) const {
    auto toA = indices_.find(&a), toB = indices_.find(&b);
    return toA != indices_.end() && toB != indices_.end() &&
           findCommonDominator(toA->second, toB->second) == root();
  }

private:
  /// The end of the branch. Other indices are those of the post-order, as in "A Simple, Fast Dominance Algorithm" by
  /// Cooper, Harvey and Kennedy.
  unsigned root() const { return unsigned(postOrder_.size()); }

  void computeDominators(const BasicBlock &branch) {
    const unsigned unknown = root() + 1;
    dominators_.assign(root() + 1, unknown);
    dominators_[root()] = root();
    for (bool changed = true; std::exchange(changed, false);)
      for (unsigned i = root(); i-- > 0;) {
        unsigned dominator = unknown;
        for (const BasicBlock *before : predecessors(postOrder_[i])) {
          auto found = indices_.find(before);
          unsigned from = before == &branch         ? root()
                          : found == indices_.end() ? unknown
                                                    : found->second;
          if (from == unknown || dominators_[from] == unknown)
            continue;
          dominator = dominator == unknown ? from : findCommonDominator(dominator, from);
        }
        changed |= std::exchange(dominators_[i], dominator) != dominator;
      }
  }

  unsigned findCommonDominator(unsigned a, unsigned b) const {
    while (a != b)
      (a < b ? a : b) = dominators_[std::min(a, b)];
    return a;
  }

  SmallVector<const BasicBlock *, 32> postOrder_;
  DenseMap<const BasicBlock *, unsigned> indices_;
  SmallVector<unsigned, 32> dominators_; ///< immediate ones
};

SmallVector<CallInst *> findBarriers(Function &f) {
  SmallVector<CallInst *> barriers;
  for (Instruction &i : instructions(f))
    if (isCheckedBarrier(i))
      barriers.push_back(cast<CallInst>(&i));
  return barriers;
}

} // namespace

PreservedAnalyses InsertBarrierChecks::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<CallInst *> barriers = findBarriers(f);
  if (barriers.empty())
    return PreservedAnalyses::all();
  BarrierJoins joins(f);
  IRBuilder<> b(f.getContext());
  for (CallInst *barrier : barriers) {
    uint64_t site = cast<ConstantInt>(barrier->getArgOperand(0))->getZExtValue();
    for (auto [level, join] : enumerate(joins.findJoins(*barrier->getParent()))) {
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
  if (warpBarriers.empty() && blockBarriers.empty())
    return false;
  BarrierJoins joins(f);
  auto maySkip = [&](ArrayRef<CallInst *> barriers, DivergenceAnalyses analyses) {
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> skips;
    for (CallInst *barrier : barriers)
      for (const BasicBlock *join : joins.findJoins(*barrier->getParent()))
        skips.emplace_back(barrier->getParent(), join);
    if (skips.empty())
      return false;
    UniformityInfo &uniformity = analyses.functionAnalyses().getResult<UniformityInfoAnalysis>(f);
    return any_of(f, [&](const BasicBlock &branch) {
      if (!uniformity.hasDivergentTerminator(branch))
        return false;
      PathsFrom paths(branch);
      return any_of(skips, [&](auto &skip) {
        return paths.mayBeReachedSeparately(*skip.first, *skip.second);
      });
    });
  };
  return maySkip(warpBarriers, DivergenceAnalyses(Neighbors::InOrder)) ||
         maySkip(blockBarriers, DivergenceAnalyses(makeBlockUniformity()));
}

} // namespace heddle::simt
