#include "simt/analysis/thread_guards.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

bool ThreadGuards::forEachGuard(const BasicBlock &block,
                                function_ref<bool(const BasicBlockEdge &)> visit) const {
  for (const DomTreeNode *above = dominators_.getNode(&block)->getIDom(); above;
       above = above->getIDom()) {
    const Instruction &end = *above->getBlock()->getTerminator();
    const Loop *loop = loops_.getLoopFor(above->getBlock());
    bool isLeft = loop && !loop->contains(&block); // all threads leave it eventually
    if (isLeft || end.getNumSuccessors() < 2 || isUniformAlongX(*end.getOperand(0)))
      continue;
    for (const BasicBlock *next : successors(&end))
      if (BasicBlockEdge edge(above->getBlock(), next);
          dominators_.dominates(edge, &block) && !visit(edge))
        return false;
  }
  return true;
}

bool ThreadGuards::allThreadsReach(const BasicBlock &block) const {
  return forEachGuard(block, [](const BasicBlockEdge &) { return false; });
}

std::optional<SingleThread> ThreadGuards::singleThreadAt(const BasicBlock &block) const {
  std::optional<SingleThread> found;
  forEachGuard(block, [&](const BasicBlockEdge &edge) {
    if (const auto *branch = dyn_cast<BranchInst>(edge.getStart()->getTerminator()))
      found = matchSingleThread(*branch->getCondition(), edge.getEnd() == branch->getSuccessor(0));
    return !found;
  });
  return found;
}

bool ThreadGuards::areConvergedAt(const BasicBlock &block,
                                  function_ref<bool(const Instruction &)> isRelevant) const {
  for (const Loop *loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop()) {
    SmallVector<BasicBlock *, 4> exiting;
    loop->getExitingBlocks(exiting);
    if (any_of(exiting, [&](const BasicBlock *exit) {
          return !isUniformAlongX(*exit->getTerminator()->getOperand(0));
        }))
      return false;
  }
  return forEachGuard(block, [&](const BasicBlockEdge &edge) {
    return none_of(successors(edge.getStart()), [&](const BasicBlock *other) {
      return other != edge.getEnd() && any_of(depth_first(other), [&](const BasicBlock *reached) {
               return any_of(*reached, isRelevant);
             });
    });
  });
}

bool ThreadGuards::isUniformAlongX(Value &condition) const {
  Value *a, *b;
  if (match(&condition, m_LogicalOp(m_Value(a), m_Value(b))))
    return isUniformAlongX(*a) && isUniformAlongX(*b);
  return alongX_.of(condition) == 0;
}

std::optional<SingleThread> ThreadGuards::matchSingleThread(Value &condition, bool holds) const {
  Value *a, *b;
  bool both = holds ? match(&condition, m_LogicalAnd(m_Value(a), m_Value(b)))
                    : match(&condition, m_LogicalOr(m_Value(a), m_Value(b)));
  if (both) {
    std::optional<SingleThread> found = matchSingleThread(*a, holds);
    return found ? found : matchSingleThread(*b, holds);
  }
  CmpPredicate predicate;
  if (!match(&condition, m_ICmp(predicate, m_Value(a), m_Value(b))) ||
      predicate != (holds ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE))
    return std::nullopt;
  if (alongX_.of(*a) == 0)
    std::swap(a, b);
  if (alongX_.of(*a).value_or(0) == 0 || alongX_.of(*b) != 0)
    return std::nullopt;
  return SingleThread{a, b};
}

} // namespace heddle::simt
