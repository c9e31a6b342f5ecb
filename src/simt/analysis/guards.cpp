#include "simt/analysis/guards.h"

#include "simt/ir/ops.h"
#include "simt/ir/thread_indices.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Visits the comparisons that hold if the condition has the value `isTrue`.
bool anyComparisonImpliedBy(const Value &condition, bool isTrue,
                            function_ref<bool(const Comparison &)> visit) {
  const Value *first, *second;
  if (isTrue ? match(&condition, m_LogicalAnd(m_Value(first), m_Value(second)))
             : match(&condition, m_LogicalOr(m_Value(first), m_Value(second))))
    return anyComparisonImpliedBy(*first, isTrue, visit) ||
           anyComparisonImpliedBy(*second, isTrue, visit);
  const auto *compare = dyn_cast<ICmpInst>(&condition);
  if (!compare)
    return false;
  CmpInst::Predicate predicate = isTrue ? compare->getPredicate() : compare->getInversePredicate();
  Value *left = compare->getOperand(0), *right = compare->getOperand(1);
  return ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate)
             ? visit({CmpInst::getSwappedPredicate(predicate), right, left})
             : visit({predicate, left, right});
}

bool containsTrap(const BasicBlock &block) {
  return any_of(block, [](const Instruction &i) {
    std::optional<Op> op = calledOp(&i);
    return isa<UnreachableInst>(i) || (op && info(*op).has(NoReturn));
  });
}

/// Returns true if a thread leaves a loop in the middle of its body: a `break`, or a `return`.
bool leavesLoopEarly(const BasicBlock &from, const BasicBlock &to, const LoopInfo &loops) {
  const Loop *loop = loops.getLoopFor(&from);
  if (!loop || loop->contains(&to) || &from == loop->getHeader() || loop->isLoopLatch(&from))
    return false;
  const BasicBlock *latch = loop->getLoopLatch();
  return loop->isLoopExiting(loop->getHeader()) || (latch && loop->isLoopExiting(latch));
}

/// The post-dominators of each block from which a thread may return. Paths that end in a trap do not count, and neither
/// do those that leave a loop early: they do not keep the other threads from meeting in the loop.
class PostDominators {
public:
  PostDominators(const Function &f, const LoopInfo &loops) {
    for (const BasicBlock &block : f)
      if (succ_empty(&block) && !containsTrap(block))
        blocks_.insert(&block);
    for (size_t i = 0; i < blocks_.size(); ++i)
      for (const BasicBlock *from : predecessors(blocks_[i]))
        if (!leavesLoopEarly(*from, *blocks_[i], loops))
          blocks_.insert(from);
    DenseMap<const BasicBlock *, unsigned> numbers;
    for (const BasicBlock *block : blocks_)
      numbers.try_emplace(block, unsigned(numbers.size()));
    successors_.resize(blocks_.size());
    for (const BasicBlock *block : blocks_)
      for (const BasicBlock *next : successors(block))
        if (numbers.contains(next) && !leavesLoopEarly(*block, *next, loops))
          successors_[numbers.at(block)].push_back(numbers.at(next));
    sets_.assign(blocks_.size(), BitVector(unsigned(blocks_.size()), true));
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned i = 0; i < blocks_.size(); ++i)
        changed |= update(i);
    }
  }

  bool contains(const BasicBlock &block) const { return blocks_.contains(&block); }
  // Blocks are numbered.
  ArrayRef<const BasicBlock *> blocks() const { return blocks_.getArrayRef(); }
  ArrayRef<unsigned> successorsOf(unsigned block) const { return successors_[block]; }
  const BitVector &of(unsigned block) const { return sets_[block]; }

private:
  bool update(unsigned i) {
    BitVector found(unsigned(blocks_.size()), !succ_empty(blocks_[i]));
    for (unsigned next : successors_[i])
      found &= sets_[next];
    found.set(i);
    bool changed = found != sets_[i];
    sets_[i] = std::move(found);
    return changed;
  }

  SmallSetVector<const BasicBlock *, 32> blocks_;
  std::vector<SmallVector<unsigned, 2>> successors_;
  std::vector<BitVector> sets_;
};

/// Returns true for `threadIdx.x < 64`, or a similar comparison with a multiple of the warp size.
bool isSelectionOfWarps(const Value &condition) {
  CmpPredicate predicate;
  const Value *thread;
  const APInt *bound;
  if (!match(&condition, m_ICmp(predicate, m_ZExtOrSExtOrSelf(m_Value(thread)), m_APInt(bound))) ||
      calledOp(thread) != Op::ThreadIdX)
    return false;
  ConstantRange taken = ConstantRange::makeExactICmpRegion(predicate, *bound);
  auto startsWarp = [](const APInt &i) { return i.urem(warpSize) == 0; };
  return startsWarp(taken.getLower()) && startsWarp(taken.getUpper());
}

} // namespace

bool anyGuardingEdge(const BasicBlock &block, const DominatorTree &dominators,
                     function_ref<bool(const BasicBlockEdge &)> visit) {
  const DomTreeNode *node = dominators.getNode(&block);
  for (; node && node->getIDom(); node = node->getIDom()) {
    const BasicBlock *from = node->getIDom()->getBlock();
    if (from->getSingleSuccessor())
      continue;
    for (const BasicBlock *next : successors(from))
      if (BasicBlockEdge edge(from, next); dominators.dominates(edge, &block) && visit(edge))
        return true;
  }
  return false;
}

bool anyImpliedComparison(const BasicBlock &block, const DominatorTree &dominators,
                          function_ref<bool(const Comparison &, const BasicBlock &from)> visit) {
  return anyGuardingEdge(block, dominators, [&](const BasicBlockEdge &edge) {
    const BasicBlock &from = *edge.getStart();
    const auto *branch = dyn_cast<BranchInst>(from.getTerminator());
    return branch &&
           anyComparisonImpliedBy(*branch->getCondition(), edge.getEnd() == branch->getSuccessor(0),
                                  [&](const Comparison &c) { return visit(c, from); });
  });
}

SmallVector<Comparison, 4> collectImpliedComparisons(const BasicBlock &block,
                                                     const DominatorTree &dominators) {
  SmallVector<Comparison, 4> found;
  anyImpliedComparison(block, dominators, [&](const Comparison &c, const BasicBlock &) {
    found.push_back(c);
    return false;
  });
  return found;
}

ThreadGuards::ThreadGuards(const Function &f, const DominatorTree &dominators,
                           const LoopInfo &loops, const ThreadStrides &alongX)
    : dominators_(dominators), loops_(loops), alongX_(alongX) {
  PostDominators postDominators(f, loops);
  ArrayRef<const BasicBlock *> blocks = postDominators.blocks();
  for (unsigned from = 0; from < blocks.size(); ++from) {
    if (blocks[from]->getSingleSuccessor())
      continue;
    BitVector joins = postDominators.of(from);
    joins.reset(from);
    for (unsigned next : postDominators.successorsOf(from)) {
      BitVector controlled = postDominators.of(next);
      controlled.reset(joins);
      for (unsigned i : controlled.set_bits())
        controllingEdges_[blocks[i]].push_back({blocks[from], blocks[next]});
    }
  }
  for (const BasicBlock &block : f)
    if (!postDominators.contains(block))
      anyGuardingEdge(block, dominators, [&](const BasicBlockEdge &edge) {
        controllingEdges_[&block].push_back(edge);
        return false;
      });
}

bool ThreadGuards::anyGuardSatisfies(const BasicBlock &block,
                                     function_ref<bool(const BasicBlockEdge &)> visit) const {
  SmallSetVector<const BasicBlock *, 8> reached;
  reached.insert(&block);
  for (size_t i = 0; i < reached.size(); ++i)
    for (const BasicBlockEdge &edge : controllingEdges_.lookup(reached[i])) {
      const BasicBlock *from = edge.getStart();
      if (dominators_.dominates(edge.getEnd(), from) || doAllThreadsLeaveBefore(*from, block))
        continue;
      if (!isUniformInWarp(*from->getTerminator()->getOperand(0)) && visit(edge))
        return true;
      reached.insert(from);
    }
  return false;
}

bool ThreadGuards::allThreadsReach(const BasicBlock &block) const {
  return !anyGuardSatisfies(block, [](const BasicBlockEdge &) { return true; });
}

bool ThreadGuards::threadsOfOneReachOther(const BasicBlock &one, const BasicBlock &other) const {
  return !anyGuardSatisfies(
      other, [&](const BasicBlockEdge &edge) { return !dominators_.dominates(edge, &one); });
}

std::optional<SingleThread> ThreadGuards::singleThreadAt(const BasicBlock &block) const {
  std::optional<SingleThread> found;
  anyImpliedComparison(block, dominators_, [&](const Comparison &c, const BasicBlock &from) {
    auto [predicate, index, value] = c;
    if (alongX_.of(*index) == 0)
      std::swap(index, value);
    if (predicate == CmpInst::ICMP_EQ && !doAllThreadsLeaveBefore(from, block) &&
        alongX_.of(*index).value_or(0) != 0 && alongX_.of(*value) == 0)
      found = {index, value};
    return found.has_value();
  });
  return found;
}

bool ThreadGuards::doAllThreadsLeaveBefore(const BasicBlock &from, const BasicBlock &block) const {
  const Loop *loop = loops_.getLoopFor(&from);
  return loop && !loop->contains(&block);
}

bool ThreadGuards::areConvergedAt(const BasicBlock &block,
                                  const SmallPtrSetImpl<const BasicBlock *> &relevant) const {
  return !anyGuardSatisfies(block, [&](const BasicBlockEdge &edge) {
    return !isLoopExitAround(*edge.getStart(), block) &&
           any_of(successors(edge.getStart()), [&](const BasicBlock *other) {
             return other != edge.getEnd() && any_of(depth_first(other), [&](const BasicBlock *b) {
                      return relevant.contains(b);
                    });
           });
  });
}

/// Returns true if the branch leaves a loop that contains the block.
bool ThreadGuards::isLoopExitAround(const BasicBlock &branch, const BasicBlock &block) const {
  const Loop *loop = loops_.getLoopFor(&branch);
  return loop && loop->contains(&block) && loop->isLoopExiting(&branch);
}

bool ThreadGuards::hasUniformTripCount(const Loop &loop) const {
  SmallVector<BasicBlock *, 4> exiting;
  loop.getExitingBlocks(exiting);
  return all_of(exiting, [&](const BasicBlock *exit) {
    return isUniformInWarp(*exit->getTerminator()->getOperand(0));
  });
}

bool DivergentRegions::contains(const DivergentRegions &others) const {
  return set_is_subset(others.branches, branches) && set_is_subset(others.loops, loops);
}

DivergentRegions ThreadGuards::divergentRegionsAt(const BasicBlock &block) const {
  DivergentRegions regions;
  anyGuardSatisfies(block, [&](const BasicBlockEdge &edge) {
    if (!isLoopExitAround(*edge.getStart(), block))
      regions.branches.insert(edge.getStart());
    return false;
  });
  for (const Loop *loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop())
    if (!hasUniformTripCount(*loop))
      regions.loops.insert(loop);
  return regions;
}

bool ThreadGuards::isUniformInWarp(Value &condition) const {
  Value *a, *b;
  if (match(&condition, m_LogicalOp(m_Value(a), m_Value(b))))
    return isUniformInWarp(*a) && isUniformInWarp(*b);
  return alongX_.of(condition) == 0 || isSelectionOfWarps(condition);
}

} // namespace heddle::simt
