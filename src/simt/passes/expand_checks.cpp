#include "simt/passes/expand_checks.h"

#include "simt/ir/checks.h"
#include "simt/passes/lowering.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Checks of one block with no access or effect in between.
using AdjacentChecks = SmallVector<CallInst *, 4>;

SmallVector<AdjacentChecks> adjacentChecks(Function &f) {
  SmallVector<AdjacentChecks> all;
  for (BasicBlock &block : f) {
    bool follows = false;
    for (Instruction &i : block) {
      if (isCheck(i)) {
        if (!follows)
          all.emplace_back();
        all.back().push_back(cast<CallInst>(&i));
        follows = true;
      } else if (i.mayReadOrWriteMemory() || i.mayHaveSideEffects()) {
        follows = false;
      }
    }
  }
  return all;
}

class CheckExpansion {
public:
  CheckExpansion(Function &f, ExpandChecks::AfterTrap after)
      : f_(f), after_(after), unlikely_(MDBuilder(f.getContext()).createUnlikelyBranchWeights()) {}

  void expand(const AdjacentChecks &group) {
    CallInst *last = group.back();
    IRBuilder<> b(last);
    SmallVector<IndexCheck, 4> checks;
    for (CallInst *call : group)
      checks.push_back(IndexCheck::of(*call));
    bool isExact;
    Value *any = emitMayFailTest(b, checks, isExact);
    if (isExact && checks.size() == 1) {
      trap(*last, any, last);
    } else {
      BasicBlock *before = last->getParent();
      Instruction *end = SplitBlockAndInsertIfThen(any, last, /*Unreachable=*/false, unlikely_);
      end->getParent()->setName("may_be_out_of_bounds");
      last->getParent()->setName("in_bounds");
      for (CallInst *call : group) {
        b.SetInsertPoint(end);
        b.SetCurrentDebugLocation(call->getDebugLoc());
        trap(*call, emitFailureTest(b, IndexCheck::of(*call)), end);
      }
      for (CallInst *call : group)
        recordSign(IndexCheck::of(*call), before, end);
    }
    for (CallInst *call : group)
      call->eraseFromParent();
  }

  /// Replaces sign tests after the checks by the recorded results.
  void applySigns() {
    if (signs_.empty())
      return;
    DominatorTree dominators(f_);
    for (auto [test, known] : signs_) {
      auto isAfter = [&, known = known](Use &use) {
        return use.getUser() != known && dominators.dominates(known, use);
      };
      // Sink selects that are used only after the check.
      for (User *user : make_early_inc_range(test->users()))
        if (auto *select = dyn_cast<SelectInst>(user);
            select && !dominators.dominates(known, select) && all_of(select->uses(), isAfter))
          select->moveBefore(known->getParent()->getFirstNonPHIIt());
      test->replaceUsesWithIf(known, isAfter);
    }
  }

private:
  /// Emits a trap before `at`, guarded by `out`.
  void trap(CallInst &call, Value *out, Instruction *at) {
    IndexCheck check = IndexCheck::of(call);
    bool isEnd = after_ == ExpandChecks::Unreachable;
    Instruction *stop = SplitBlockAndInsertIfThen(out, at, isEnd, unlikely_);
    stop->getParent()->setName("out_of_bounds");
    IRBuilder<> b(stop);
    b.SetCurrentDebugLocation(call.getDebugLoc());
    stop->setDebugLoc(call.getDebugLoc());
    simt::call(b, Op::TrapIndex, {check.site, emitFirstOutOfBounds(b, check), check.high});
  }

  /// An index that passes the combined test is nonnegative; a negative index counts from the end.
  void recordSign(const IndexCheck &check, BasicBlock *before, Instruction *end) {
    // LLVM keeps no uses of constants.
    if (!check.isSingleIndex() || match(check.low, m_Zero()) || isa<llvm::Constant>(check.first))
      return;
    Value *number = check.first, *narrow;
    if (match(number, m_SExt(m_Value(narrow))))
      number = narrow;
    for (Value *v : {check.first, number})
      for (User *user : v->users()) {
        if (!match(user, m_SpecificICmp(CmpInst::ICMP_SLT, m_Specific(v), m_Zero())))
          continue;
        IRBuilder<> b(end);
        Value *negative = b.CreateICmpSLT(v, Constant::getNullValue(v->getType()));
        BasicBlock *join = end->getSuccessor(0);
        b.SetInsertPoint(join, join->begin());
        PHINode *known = b.CreatePHI(b.getInt1Ty(), 2, "negative");
        known->addIncoming(b.getFalse(), before);
        known->addIncoming(negative, end->getParent());
        signs_.push_back({cast<Instruction>(user), known});
        return;
      }
  }

  Function &f_;
  ExpandChecks::AfterTrap after_;
  MDNode *unlikely_;
  SmallVector<std::pair<Instruction *, PHINode *>>
      signs_; ///< sign tests, and their results after checks
};

} // namespace

PreservedAnalyses ExpandChecks::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<AdjacentChecks> all = adjacentChecks(f);
  if (all.empty())
    return PreservedAnalyses::all();
  CheckExpansion checkExpansion(f, after);
  for (const AdjacentChecks &group : all)
    checkExpansion.expand(group);
  checkExpansion.applySigns();
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
