#include "simt/passes/hoist_checks.h"

#include "simt/ir/checks.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// What is computed in front of a loop costs at most that many instructions: no divisions.
constexpr unsigned mostExpansion = 8;

class Hoist {
public:
  Hoist(Loop &loop, ScalarEvolution &numbers, DominatorTree &dominators,
        const TargetTransformInfo &target)
      : loop_(loop), numbers_(numbers), dominators_(dominators), target_(target),
        expander_(numbers, "check") {}

  bool run() {
    if (!loop_.getLoopPreheader() || !loop_.getLoopLatch() || !findRounds())
      return false;
    SmallVector<CallInst *> checks;
    for (BasicBlock *block : loop_.blocks())
      for (Instruction &i : *block) {
        if (isCheck(i))
          checks.push_back(cast<CallInst>(&i));
        else if (i.mayHaveSideEffects() || !isGuaranteedToTransferExecutionToSuccessor(&i))
          effects_.push_back(&i);
      }
    bool changed = false;
    for (CallInst *check : checks)
      changed |= hoist(*check);
    return changed;
  }

private:
  /// How often the loop comes to its latch, and whether it may leave before its first round.
  bool findRounds() {
    BasicBlock *header = loop_.getHeader();
    exits_ = {};
    loop_.getExitingBlocks(exits_);
    leavesAtHeader_ = is_contained(exits_, header) && header != loop_.getLoopLatch();
    if (!leavesAtHeader_)
      return true;
    backs_ = numbers_.getExitCount(&loop_, header);
    return !isa<SCEVCouldNotCompute>(backs_) && backs_->getType()->isIntegerTy();
  }

  /// Whether each round comes to it that is begun, and nothing changes before it in the first.
  bool isFirstToAct(const CallInst &check) const {
    return all_of(effects_, [&](Instruction *i) { return dominators_.dominates(&check, i); }) &&
           all_of(exits_, [&](BasicBlock *exit) {
             return (leavesAtHeader_ && exit == loop_.getHeader()) ||
                    dominators_.dominates(check.getParent(), exit);
           });
  }

  bool hoist(CallInst &call) {
    IndexCheck check = IndexCheck::of(call);
    if (!dominators_.dominates(call.getParent(), loop_.getLoopLatch()) || !isFirstToAct(call))
      return false;
    auto isFixed = [&](Value *v) { return loop_.isLoopInvariant(v); };
    const SCEV *low = numbers_.getSCEV(check.low), *high = numbers_.getSCEV(check.high);
    if (!numbers_.isLoopInvariant(low, &loop_) || !numbers_.isLoopInvariant(high, &loop_))
      return false;
    const SCEV *first = numbers_.getSCEV(check.first), *last = first, *step = nullptr;
    bool isCounted = false;
    if (!check.isOfOneIndex()) {
      if (!isFixed(check.first) || !isFixed(check.last) || !isFixed(check.step))
        return false;
      last = numbers_.getSCEV(check.last);
      step = numbers_.getSCEV(check.step);
    } else if (numbers_.isLoopInvariant(first, &loop_)) {
      step = numbers_.getZero(first->getType());
    } else if (findRange(first, last, step)) {
      isCounted = true;
    } else {
      return false;
    }
    return moveOut(call, {first, last, step, low, high}, isCounted);
  }

  bool isSmall(const SCEV *number) const {
    return numbers_.getSignedRange(number).getMinSignedBits() < 63;
  }

  /// Returns whether a step may lead past the ends of the type. It does not where each number and the step are small: with a start
  /// and rounds of 32 bits, as where a sparse matrix's rows begin.
  bool mayWrap(const SCEVAddRecExpr &counted) const {
    return !counted.hasNoSignedWrap() &&
           !(isSmall(&counted) && isSmall(counted.getStepRecurrence(numbers_)));
  }

  /// The first and the last of the indices that all rounds check, where these change nothing.
  bool findRange(const SCEV *&first, const SCEV *&last, const SCEV *&step) {
    auto *counted = dyn_cast<SCEVAddRecExpr>(first);
    if (!counted || counted->getLoop() != &loop_ || !counted->isAffine() || !effects_.empty() ||
        exits_.size() != 1 || mayWrap(*counted))
      return false;
    const SCEV *rounds = leavesAtHeader_ ? backs_ : numbers_.getExitCount(&loop_, exits_.front());
    if (isa<SCEVCouldNotCompute>(rounds) ||
        (!leavesAtHeader_ && exits_.front() != loop_.getLoopLatch()))
      return false;
    step = counted->getStepRecurrence(numbers_);
    first = counted->getStart();
    // Fewer than no rounds are none, too: `last` comes before `first`.
    if (auto *most = dyn_cast<SCEVSMaxExpr>(rounds);
        leavesAtHeader_ && most && most->getNumOperands() == 2 && most->getOperand(0)->isZero() &&
        most->getType() == counted->getType() && isSmall(most->getOperand(1)) && isSmall(first) &&
        step->isOne())
      rounds = most->getOperand(1);
    rounds = numbers_.getNoopOrZeroExtend(rounds, counted->getType());
    if (leavesAtHeader_)
      rounds = numbers_.getMinusSCEV(rounds, numbers_.getOne(rounds->getType()));
    last = numbers_.getAddExpr(first, numbers_.getMulExpr(rounds, step));
    return true;
  }

  /// isCounted: without rounds, `last` is a step before `first`.
  bool moveOut(CallInst &call, std::array<const SCEV *, 5> operands, bool isCounted) {
    Instruction *end = loop_.getLoopPreheader()->getTerminator();
    SmallVector<const SCEV *, 6> made(operands.begin(), operands.end());
    bool always = !leavesAtHeader_ || (isCounted && numbers_.isKnownNonZero(operands[2])) ||
                  numbers_.isLoopEntryGuardedByCond(&loop_, CmpInst::ICMP_NE, backs_,
                                                    numbers_.getZero(backs_->getType()));
    if (!always)
      made.push_back(backs_);
    for (const SCEV *v : made)
      if (!expander_.isSafeToExpandAt(v, end))
        return false;
    if (expander_.isHighCostExpansion(made, &loop_, mostExpansion, &target_, end))
      return false;
    Type *type = call.getArgOperand(IndexCheck::First)->getType();
    SmallVector<Value *, 6> values{call.getArgOperand(IndexCheck::Site)};
    for (const SCEV *v : operands)
      values.push_back(expander_.expandCodeFor(v, type, end->getIterator()));
    if (operands[0] == operands[1])
      values[IndexCheck::Last] = values[IndexCheck::First];
    IRBuilder<> b(end);
    b.SetCurrentDebugLocation(call.getDebugLoc());
    if (!always) {
      // No index where there is no round.
      Value *count = expander_.expandCodeFor(backs_, backs_->getType(), end->getIterator());
      Value *&first = values[IndexCheck::First], *&last = values[IndexCheck::Last],
            *&step = values[IndexCheck::Step];
      step = b.CreateSelect(b.CreateIsNull(step), b.getInt64(1), step);
      last = b.CreateSelect(b.CreateIsNotNull(count), last, b.CreateSub(first, step));
    }
    CallInst *moved = b.CreateCall(call.getCalledFunction(), values);
    moved->setDebugLoc(call.getDebugLoc());
    call.eraseFromParent();
    return true;
  }

  Loop &loop_;
  ScalarEvolution &numbers_;
  DominatorTree &dominators_;
  const TargetTransformInfo &target_;
  SCEVExpander expander_;
  SmallVector<Instruction *> effects_; ///< what changes something or may not go on, but for checks
  SmallVector<BasicBlock *> exits_;
  bool leavesAtHeader_ = false; ///< it may leave before its first round
  const SCEV *backs_ = nullptr; ///< then: rounds
};

/// Adds the operands of a check that come after `to` in its block, in order. False where one of them has to stay.
bool findNeeded(Instruction &i, const Instruction &to, SmallSetVector<Instruction *, 8> &needed) {
  for (Value *operand : i.operands()) {
    auto *made = dyn_cast<Instruction>(operand);
    if (!made || made->getParent() != to.getParent() || made->comesBefore(&to))
      continue;
    if (made->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(made) ||
        !findNeeded(*made, to, needed))
      return false;
    needed.insert(made);
  }
  return true;
}

/// Moves a check up to the one before it, over reads: both have one branch then.
bool joinChecks(BasicBlock &block) {
  Instruction *previous = nullptr;
  bool changed = false;
  for (Instruction &i : make_early_inc_range(block)) {
    if (!isCheck(i)) {
      if (i.mayHaveSideEffects())
        previous = nullptr;
      continue;
    }
    SmallSetVector<Instruction *, 8> needed;
    if (previous && i.getPrevNode() != previous && findNeeded(i, *previous, needed)) {
      needed.insert(&i);
      Instruction *next = previous->getNextNode();
      for (Instruction *moved : needed)
        if (moved != next)
          moved->moveBefore(next->getIterator());
        else
          next = next->getNextNode();
      changed = true;
    }
    previous = &i;
  }
  return changed;
}

} // namespace

PreservedAnalyses HoistChecks::run(Function &f, FunctionAnalysisManager &am) {
  auto &loops = am.getResult<LoopAnalysis>(f);
  auto &numbers = am.getResult<ScalarEvolutionAnalysis>(f);
  auto &dominators = am.getResult<DominatorTreeAnalysis>(f);
  auto &target = am.getResult<TargetIRAnalysis>(f);
  bool changed = false;
  SmallVector<Loop *, 4> outsideIn = loops.getLoopsInPreorder();
  for (Loop *loop : reverse(outsideIn))
    changed |= Hoist(*loop, numbers, dominators, target).run();
  for (BasicBlock &block : f)
    changed |= joinChecks(block);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace heddle::simt
