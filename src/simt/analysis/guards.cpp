#include "simt/analysis/guards.h"

#include "simt/ir/thread_indices.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
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

/// Returns true if a thread that leaves a loop from the block does so in the middle of its body: by a `break` or
/// `return`.
bool leavesLoopEarly(const Loop &loop, const BasicBlock &from) {
  if (&from == loop.getHeader() || loop.isLoopLatch(&from))
    return false;
  const BasicBlock *latch = loop.getLoopLatch();
  return loop.isLoopExiting(loop.getHeader()) || (latch && loop.isLoopExiting(latch));
}

/// The post-dominators of each block from which a thread may return. Paths that end in a trap do not count, and neither
/// do those that leave a loop early, or all relevant blocks: they do not keep the other threads from meeting.
class PostDominators {
public:
  PostDominators(const Function &f, const LoopInfo &loops, const Blocks &relevant)
      : beforeRelevant_(findBlocksBefore(relevant)), loops_(loops) {
    for (const BasicBlock &block : f)
      if (succ_empty(&block) && !containsTrap(block))
        blocks_.insert(&block);
    for (size_t i = 0; i < blocks_.size(); ++i)
      for (const BasicBlock *from : predecessors(blocks_[i]))
        if (counts(*from, *blocks_[i]))
          blocks_.insert(from);
    DenseMap<const BasicBlock *, unsigned> numbers;
    for (const BasicBlock *block : blocks_)
      numbers.try_emplace(block, unsigned(numbers.size()));
    successors_.resize(blocks_.size());
    for (const BasicBlock *block : blocks_)
      for (const BasicBlock *next : successors(block))
        if (numbers.contains(next) && counts(*block, *next))
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
  bool counts(const BasicBlock &from, const BasicBlock &to) const {
    auto isBeforeRelevant = [&](const BasicBlock *block) {
      return beforeRelevant_.contains(block);
    };
    const Loop *loop = loops_.getLoopFor(&from);
    if (loop && !loop->contains(&to))
      return !leavesLoopEarly(*loop, from);
    return isBeforeRelevant(&to) || none_of(successors(&from), isBeforeRelevant);
  }

  bool update(unsigned i) {
    BitVector found(unsigned(blocks_.size()), !succ_empty(blocks_[i]));
    for (unsigned next : successors_[i])
      found &= sets_[next];
    found.set(i);
    bool changed = found != sets_[i];
    sets_[i] = std::move(found);
    return changed;
  }

  const Blocks beforeRelevant_;
  const LoopInfo &loops_;
  SmallSetVector<const BasicBlock *, 32> blocks_;
  std::vector<SmallVector<unsigned, 2>> successors_;
  std::vector<BitVector> sets_;
};

/// Returns true for `threadIdx.x < 64`, or a similar comparison with a multiple of the warp size.
bool selectsWholeWarps(const Value &condition) {
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

Blocks findBlocksBefore(const Blocks &ends) {
  SmallVector<const BasicBlock *, 32> worklist(ends.begin(), ends.end());
  Blocks found(ends);
  while (!worklist.empty())
    for (const BasicBlock *from : predecessors(worklist.pop_back_val()))
      if (found.insert(from).second)
        worklist.push_back(from);
  return found;
}

bool isRowIndex(std::optional<Op> op) { return op == Op::ThreadIdY || op == Op::ThreadIdZ; }

ThreadGuards::ThreadGuards(const Function &f, const DominatorTree &dominators,
                           const LoopInfo &loops, const Accesses &accesses, const Blocks &relevant,
                           bool considersRows)
    : dominators_(dominators), loops_(loops), accesses_(accesses),
      alongX_(accesses.strides(Axis::X)),
      hasRows_(any_of(instructions(f), [](auto &i) { return isRowIndex(calledOp(&i)); })),
      considersRows_(considersRows && hasRows_) {
  PostDominators postDominators(f, loops, relevant);
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
  if (considersRows_)
    return found;
  anyImpliedComparison(block, dominators_, [&](const Comparison &c, const BasicBlock &from) {
    auto [predicate, index, value] = c;
    if (alongX_.of(*index) == 0)
      std::swap(index, value);
    if (predicate == CmpInst::ICMP_EQ && !doAllThreadsLeaveBefore(from, block) &&
        differsBetweenLanes(*index) && alongX_.of(*value) == 0)
      found = {index, value};
    return found.has_value();
  });
  return found;
}

/// Returns true for a thread's index, possibly without its upper bits, multiplied by a constant and added to values
/// that do not depend on the thread. The stride alone does not tell: it is an estimate.
bool ThreadGuards::differsBetweenLanes(const Value &v) const {
  if (std::optional<Op> op = calledOp(&v))
    return op == Op::ThreadIdX || op == Op::LaneId;
  const auto *i = dyn_cast<Instruction>(&v);
  if (!i || alongX_.of(v).value_or(0) == 0)
    return false;
  switch (i->getOpcode()) {
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc:
    return differsBetweenLanes(*i->getOperand(0));
  case Instruction::Shl:
  case Instruction::Mul:
    return isa<llvm::Constant>(i->getOperand(1)) && differsBetweenLanes(*i->getOperand(0));
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::And: {
    bool isFirst = alongX_.of(*i->getOperand(1)) == 0;
    return alongX_.of(*i->getOperand(isFirst)) == 0 &&
           differsBetweenLanes(*i->getOperand(!isFirst));
  }
  default:
    return false;
  }
}

bool ThreadGuards::doAllThreadsLeaveBefore(const BasicBlock &from, const BasicBlock &block) const {
  const Loop *loop = loops_.getLoopFor(&from);
  return loop && !loop->contains(&block);
}

bool ThreadGuards::areConvergedAt(const BasicBlock &block) const {
  return !anyGuardSatisfies(block, [&](const BasicBlockEdge &edge) {
    return !isLoopExitAround(*edge.getStart(), block);
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
  auto isUniformAlong = [&](Axis axis) { return accesses_.strides(axis).of(condition) == 0; };
  return considersRows_ ? all_of(std::array{Axis::X, Axis::Y, Axis::Z}, isUniformAlong)
                        : isUniformAlong(Axis::X) || selectsWholeWarps(condition);
}

} // namespace heddle::simt
