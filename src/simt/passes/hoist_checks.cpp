#include "simt/passes/hoist_checks.h"

#include "simt/ir/checks.h"
#include "simt/thresholds.h"

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

class CheckHoisting {
public:
  CheckHoisting(Loop &loop, ScalarEvolution &scev, DominatorTree &dominators,
                const TargetTransformInfo &target)
      : loop_(loop), scev_(scev), dominators_(dominators), target_(target),
        expander_(scev, "check") {}

  bool run() {
    if (!loop_.getLoopPreheader() || !loop_.getLoopLatch() || !analyzeExits())
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
      changed |= hoistCheck(*check);
    return changed;
  }

private:
  /// Finds how often the loop reaches its latch, and whether it may exit before the first iteration.
  bool analyzeExits() {
    BasicBlock *header = loop_.getHeader();
    exits_ = {};
    loop_.getExitingBlocks(exits_);
    exitsAtHeader_ = is_contained(exits_, header) && header != loop_.getLoopLatch();
    if (!exitsAtHeader_)
      return true;
    tripCount_ = scev_.getExitCount(&loop_, header);
    return !isa<SCEVCouldNotCompute>(tripCount_) && tripCount_->getType()->isIntegerTy();
  }

  /// Returns true if every started iteration reaches the check, and no effect precedes it in the first iteration.
  bool runsBeforeAllEffects(const CallInst &check) const {
    return all_of(effects_, [&](Instruction *i) { return dominators_.dominates(&check, i); }) &&
           all_of(exits_, [&](BasicBlock *exit) {
             return (exitsAtHeader_ && exit == loop_.getHeader()) ||
                    dominators_.dominates(check.getParent(), exit);
           });
  }

  bool hoistCheck(CallInst &call) {
    IndexCheck check = IndexCheck::of(call);
    if (!dominators_.dominates(call.getParent(), loop_.getLoopLatch()) ||
        !runsBeforeAllEffects(call))
      return false;
    auto isInvariant = [&](Value *v) { return loop_.isLoopInvariant(v); };
    const SCEV *low = scev_.getSCEV(check.low), *high = scev_.getSCEV(check.high);
    if (!scev_.isLoopInvariant(low, &loop_) || !scev_.isLoopInvariant(high, &loop_))
      return false;
    const SCEV *first = scev_.getSCEV(check.first), *last = first, *step = nullptr;
    bool isInduction = false;
    if (!check.isSingleIndex()) {
      if (!isInvariant(check.first) || !isInvariant(check.last) || !isInvariant(check.step))
        return false;
      last = scev_.getSCEV(check.last);
      step = scev_.getSCEV(check.step);
    } else if (scev_.isLoopInvariant(first, &loop_)) {
      step = scev_.getZero(first->getType());
    } else if (findIndexRange(first, last, step)) {
      isInduction = true;
    } else {
      return false;
    }
    return moveToPreheader(call, {first, last, step, low, high}, isInduction);
  }

  bool fitsWithoutOverflow(const SCEV *number) const {
    return scev_.getSignedRange(number).getMinSignedBits() < 63;
  }

  /// Returns true if the induction variable may overflow. It does not if its values and step are small: 32-bit starts
  /// and trip counts, as with the row offsets of a sparse matrix.
  bool mayInductionOverflow(const SCEVAddRecExpr &induction) const {
    return !induction.hasNoSignedWrap() &&
           !(fitsWithoutOverflow(&induction) &&
             fitsWithoutOverflow(induction.getStepRecurrence(scev_)));
  }

  /// Finds the first and last index that the loop checks, if its iterations have no effects.
  bool findIndexRange(const SCEV *&first, const SCEV *&last, const SCEV *&step) {
    auto *induction = dyn_cast<SCEVAddRecExpr>(first);
    if (!induction || induction->getLoop() != &loop_ || !induction->isAffine() ||
        !effects_.empty() || exits_.size() != 1 || mayInductionOverflow(*induction))
      return false;
    const SCEV *tripCount =
        exitsAtHeader_ ? tripCount_ : scev_.getExitCount(&loop_, exits_.front());
    if (isa<SCEVCouldNotCompute>(tripCount) ||
        (!exitsAtHeader_ && exits_.front() != loop_.getLoopLatch()))
      return false;
    step = induction->getStepRecurrence(scev_);
    first = induction->getStart();
    // A negative trip count also means no iterations: `last` precedes `first`.
    if (auto *clamped = dyn_cast<SCEVSMaxExpr>(tripCount);
        exitsAtHeader_ && clamped && clamped->getNumOperands() == 2 &&
        clamped->getOperand(0)->isZero() && clamped->getType() == induction->getType() &&
        fitsWithoutOverflow(clamped->getOperand(1)) && fitsWithoutOverflow(first) && step->isOne())
      tripCount = clamped->getOperand(1);
    tripCount = scev_.getNoopOrZeroExtend(tripCount, induction->getType());
    if (exitsAtHeader_)
      tripCount = scev_.getMinusSCEV(tripCount, scev_.getOne(tripCount->getType()));
    last = scev_.getAddExpr(first, scev_.getMulExpr(tripCount, step));
    return true;
  }

  /// isInduction: without iterations, `last` is one step before `first`.
  bool moveToPreheader(CallInst &call, std::array<const SCEV *, 5> operands, bool isInduction) {
    Instruction *end = loop_.getLoopPreheader()->getTerminator();
    SmallVector<const SCEV *, 6> expanded(operands.begin(), operands.end());
    bool always = !exitsAtHeader_ || (isInduction && scev_.isKnownNonZero(operands[2])) ||
                  scev_.isLoopEntryGuardedByCond(&loop_, CmpInst::ICMP_NE, tripCount_,
                                                 scev_.getZero(tripCount_->getType()));
    if (!always)
      expanded.push_back(tripCount_);
    for (const SCEV *v : expanded)
      if (!expander_.isSafeToExpandAt(v, end))
        return false;
    if (expander_.isHighCostExpansion(expanded, &loop_, SCEVCheapExpansionBudget, &target_, end))
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
      // Emit an empty range if the loop has no iterations.
      Value *count = expander_.expandCodeFor(tripCount_, tripCount_->getType(), end->getIterator());
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
  ScalarEvolution &scev_;
  DominatorTree &dominators_;
  const TargetTransformInfo &target_;
  SCEVExpander expander_;
  SmallVector<Instruction *>
      effects_; ///< instructions with side effects or that may not return, except checks
  SmallVector<BasicBlock *> exits_;
  bool exitsAtHeader_ = false;      ///< it may exit before its first iteration
  const SCEV *tripCount_ = nullptr; ///< valid if exitsAtHeader_
};

/// Collects, in order, the operands that are defined after `to` in its block. Returns false if one of them cannot move.
bool collectOperandsAfter(Instruction &i, const Instruction &to,
                          SmallSetVector<Instruction *, 8> &needed) {
  for (Value *operand : i.operands()) {
    auto *expanded = dyn_cast<Instruction>(operand);
    if (!expanded || expanded->getParent() != to.getParent() || expanded->comesBefore(&to))
      continue;
    if (expanded->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(expanded) ||
        !collectOperandsAfter(*expanded, to, needed))
      return false;
    needed.insert(expanded);
  }
  return true;
}

/// Moves a check up to the previous one, past loads, so that both share a branch.
bool moveChecksTogether(BasicBlock &block) {
  Instruction *previous = nullptr;
  bool changed = false;
  for (Instruction &i : make_early_inc_range(block)) {
    if (!isCheck(i)) {
      if (i.mayHaveSideEffects())
        previous = nullptr;
      continue;
    }
    SmallSetVector<Instruction *, 8> needed;
    if (previous && i.getPrevNode() != previous && collectOperandsAfter(i, *previous, needed)) {
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
  auto &scev = am.getResult<ScalarEvolutionAnalysis>(f);
  auto &dominators = am.getResult<DominatorTreeAnalysis>(f);
  auto &target = am.getResult<TargetIRAnalysis>(f);
  bool changed = false;
  SmallVector<Loop *, 4> outsideIn = loops.getLoopsInPreorder();
  for (Loop *loop : reverse(outsideIn))
    changed |= CheckHoisting(*loop, scev, dominators, target).run();
  for (BasicBlock &block : f)
    changed |= moveChecksTogether(block);
  return changed ? PreservedAnalyses::allInSet<CFGAnalyses>() : PreservedAnalyses::all();
}

} // namespace heddle::simt
