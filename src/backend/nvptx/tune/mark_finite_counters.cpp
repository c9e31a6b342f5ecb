#include "backend/nvptx/tune/mark_finite_counters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <utility>

namespace heddle::nvptx {

using namespace llvm;
using namespace PatternMatch;

namespace {

/// True if an endless loop with this instruction would have no effect: C++ assumes that such a loop ends. Loops that
/// store gain nothing from copies, because ptxas keeps the order of stores and loads.
bool isUnobservable(const Instruction &i) {
  const auto *call = dyn_cast<CallBase>(&i);
  return !i.mayHaveSideEffects() && !(call && call->isConvergent());
}

/// The addition that computes the next value of a counter with a step that is a power of two; null for other values.
BinaryOperator *matchIncrement(Value *next, const Loop &loop) {
  Value *counter;
  if (!match(next, m_Add(m_Value(counter), m_Power2())))
    return nullptr;
  auto *phi = dyn_cast<PHINode>(counter);
  bool isCounter = phi && phi->getParent() == loop.getHeader() &&
                   phi->getIncomingValueForBlock(loop.getLoopLatch()) == next;
  return isCounter ? cast<BinaryOperator>(next) : nullptr;
}

bool markCounterNoWrap(const Loop &loop) {
  BasicBlock *latch = loop.getLoopLatch();
  if (!latch || loop.getExitingBlock() != latch ||
      !all_of(loop.blocks(), [](const BasicBlock *b) { return all_of(*b, isUnobservable); }))
    return false;
  auto *branch = dyn_cast<BranchInst>(latch->getTerminator());
  auto *condition = branch ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (!condition)
    return false;
  CmpPredicate again = condition->getCmpPredicate();
  Value *next = condition->getOperand(0), *bound = condition->getOperand(1);
  if (loop.isLoopInvariant(next)) {
    std::swap(next, bound);
    again = CmpPredicate::getSwapped(again);
  }
  if (branch->getSuccessor(0) != loop.getHeader())
    again = CmpInst::getInversePredicate(again);
  BinaryOperator *increment = matchIncrement(next, loop);
  if (!increment || !loop.isLoopInvariant(bound))
    return false;
  if (again == CmpInst::ICMP_SLT || again == CmpInst::ICMP_SLE)
    increment->setHasNoSignedWrap();
  else if (again == CmpInst::ICMP_ULT || again == CmpInst::ICMP_ULE)
    increment->setHasNoUnsignedWrap();
  else
    return false;
  return true;
}

} // namespace

PreservedAnalyses MarkFiniteCounters::run(Function &f, FunctionAnalysisManager &am) {
  bool changed = false;
  for (const Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    changed |= markCounterNoWrap(*loop);
  return changed ? PreservedAnalyses::allInSet<CFGAnalyses>() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
