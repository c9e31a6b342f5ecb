#include "backend/cpu/prepare/grid_stride_loops.h"

#include "simt/analysis/grid_indices.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

bool isGridIndex(Value *v) {
  return simt::findBlockStartOfGridIndex(*simt::stripExtensions(v)) != nullptr;
}

/// Matches `i < end`, if `condition` has the value `isTrue`, and sets g.end.
bool matchUpperBound(Value *condition, bool isTrue, Value *i, GridStrideLoop &g) {
  CmpPredicate predicate;
  if (!match(condition, m_c_ICmp(predicate, m_Specific(i), m_Value(g.end))))
    return false;
  ICmpInst::Predicate p =
      isTrue ? ICmpInst::Predicate(predicate) : ICmpInst::getInversePredicate(predicate);
  g.isSigned = p == ICmpInst::ICMP_SLT;
  return g.isSigned || p == ICmpInst::ICMP_ULT;
}

/// Matches the front end's condition for range(first, end, step) with a nonnegative step: iteration <= (end - 1 -
/// first) / step if first < end.
bool matchRangeCondition(GridStrideLoop &g) {
  Value *isInRange, *continues, *limit;
  if (!match(g.condition, m_LogicalAnd(m_Value(isInRange), m_Value(continues))) ||
      !matchUpperBound(isInRange, true, g.first, g))
    return false;
  CmpPredicate predicate;
  if (!match(continues, m_c_ICmp(predicate, m_Value(limit), m_Specific(g.phi))) ||
      ICmpInst::Predicate(predicate) != ICmpInst::ICMP_UGE)
    return false;
  return match(limit, m_UMin(m_UDiv(m_c_Add(m_Specific(g.end), m_Not(m_Specific(g.first))),
                                    m_Specific(g.step)),
                             m_ConstantInt()));
}

/// Matches `user` as the sum i = first + iteration * step. Also matches an element address at that distance from
/// element `first`, and rewrites it to use i.
bool matchOrRewriteIndexSum(Instruction &user, Instruction &distance, GridStrideLoop &g) {
  Value *first;
  if (match(&user, m_c_Add(m_Specific(&distance), m_Value(first)))) {
    if (!isGridIndex(first) || (g.index && g.index != &user))
      return false;
    g.index = &user, g.first = first;
    return true;
  }
  auto *address = dyn_cast<GetElementPtrInst>(&user);
  auto *base = address ? dyn_cast<GetElementPtrInst>(address->getPointerOperand()) : nullptr;
  if (!base || address->getNumIndices() != 1 || base->getNumIndices() != 1 ||
      address->getOperand(1) != &distance ||
      address->getSourceElementType() != base->getSourceElementType() ||
      !isGridIndex(base->getOperand(1)) || (g.first && g.first != base->getOperand(1)))
    return false;
  g.first = base->getOperand(1);
  if (!g.index) {
    IRBuilder<> b(distance.getParent(), std::next(distance.getIterator()));
    g.index = b.CreateAdd(g.first, &distance);
  }
  IRBuilder<> b(address);
  address->replaceAllUsesWith(
      b.CreateGEP(address->getSourceElementType(), base->getPointerOperand(), g.index));
  address->eraseFromParent();
  if (base->use_empty())
    base->eraseFromParent();
  return true;
}

} // namespace

std::optional<GridStrideLoop> matchGridStrideLoop(Loop &loop) {
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
  if (loop.getParentLoop() || !latch || !loop.getLoopPreheader() ||
      loop.getExitingBlock() != header || !hasSingleElement(header->phis()))
    return std::nullopt;
  auto *branch = dyn_cast<BranchInst>(header->getTerminator());
  GridStrideLoop g{
      .loop = &loop, .phi = &*header->phis().begin(), .index = nullptr, .first = nullptr};
  g.next = dyn_cast<Instruction>(g.phi->getIncomingValueForBlock(latch));
  g.condition = branch ? dyn_cast<Instruction>(branch->getCondition()) : nullptr;
  if (!g.next || !g.condition)
    return std::nullopt;
  g.continuesIf = loop.contains(branch->getSuccessor(0));
  Value *start = g.phi->getIncomingValueForBlock(loop.getLoopPreheader()), *step;
  if (!match(g.next, m_c_Add(m_Specific(g.phi), m_Value(step))))
    return std::nullopt;
  if (isGridIndex(start) && simt::isGridSize(step)) {
    g.index = g.phi, g.first = start, g.step = step;
    return matchUpperBound(g.condition, g.continuesIf, g.phi, g) ? std::optional(g) : std::nullopt;
  }
  // Matches loops over the iteration number: i = first + iteration * step, without other uses of the number.
  if (!match(start, m_Zero()) || !match(step, m_One()))
    return std::nullopt;
  Instruction *distance = nullptr;
  for (User *user : g.phi->users())
    if (user != g.next && match(user, m_c_Mul(m_Specific(g.phi), m_Value(g.step))))
      distance = cast<Instruction>(user);
  if (!distance || !simt::isGridSize(g.step) || !g.phi->hasNUses(3))
    return std::nullopt;
  for (User *user : make_early_inc_range(distance->users()))
    if (!matchOrRewriteIndexSum(*cast<Instruction>(user), *distance, g))
      return std::nullopt;
  return g.index && g.continuesIf && matchRangeCondition(g) ? std::optional(g) : std::nullopt;
}

} // namespace heddle::cpu
