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

/// Checks of one block, with no access and no effect in between.
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

class Expansion {
public:
  Expansion(Function &f, ExpandChecks::AfterTrap after)
      : f_(f), after_(after), seldom_(MDBuilder(f.getContext()).createUnlikelyBranchWeights()) {}

  void expand(const AdjacentChecks &together) {
    CallInst *last = together.back();
    IRBuilder<> b(last);
    SmallVector<IndexCheck, 4> checks;
    for (CallInst *call : together)
      checks.push_back(IndexCheck::of(*call));
    bool isExact;
    Value *any = mayFail(b, checks, isExact);
    if (isExact && checks.size() == 1) {
      trap(*last, any, last);
    } else {
      BasicBlock *before = last->getParent();
      Instruction *end = SplitBlockAndInsertIfThen(any, last, /*Unreachable=*/false, seldom_);
      end->getParent()->setName("may_be_out_of_bounds");
      last->getParent()->setName("in_bounds");
      for (CallInst *call : together) {
        b.SetInsertPoint(end);
        b.SetCurrentDebugLocation(call->getDebugLoc());
        trap(*call, fails(b, IndexCheck::of(*call)), end);
      }
      for (CallInst *call : together)
        noteSign(IndexCheck::of(*call), before, end);
    }
    for (CallInst *call : together)
      call->eraseFromParent();
  }

  /// Uses what is known of signs.
  void finish() {
    if (signs_.empty())
      return;
    DominatorTree dominators(f_);
    for (auto [test, known] : signs_) {
      auto isAfter = [&, known = known](Use &use) {
        return use.getUser() != known && dominators.dominates(known, use);
      };
      // Choices that nothing needs before the check come after it.
      for (User *user : make_early_inc_range(test->users()))
        if (auto *choice = dyn_cast<SelectInst>(user);
            choice && !dominators.dominates(known, choice) && all_of(choice->uses(), isAfter))
          choice->moveBefore(known->getParent()->getFirstNonPHIIt());
      test->replaceUsesWithIf(known, isAfter);
    }
  }

private:
  /// Traps at `at` where `out` holds.
  void trap(CallInst &call, Value *out, Instruction *at) {
    IndexCheck check = IndexCheck::of(call);
    bool isEnd = after_ == ExpandChecks::Unreachable;
    Instruction *stop = SplitBlockAndInsertIfThen(out, at, isEnd, seldom_);
    stop->getParent()->setName("out_of_bounds");
    IRBuilder<> b(stop);
    b.SetCurrentDebugLocation(call.getDebugLoc());
    stop->setDebugLoc(call.getDebugLoc());
    simt::call(b, Op::TrapIndex, {check.site, firstOutside(b, check), check.high});
  }

  /// An index that passes the first test is not negative: such an index counts from the end.
  void noteSign(const IndexCheck &check, BasicBlock *before, Instruction *end) {
    // LLVM keeps no uses of constants.
    if (!check.isOfOneIndex() || match(check.low, m_Zero()) || isa<llvm::Constant>(check.first))
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
  MDNode *seldom_;
  SmallVector<std::pair<Instruction *, PHINode *>>
      signs_; ///< tests, and their results after checks
};

} // namespace

PreservedAnalyses ExpandChecks::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<AdjacentChecks> all = adjacentChecks(f);
  if (all.empty())
    return PreservedAnalyses::all();
  Expansion expansion(f, after);
  for (const AdjacentChecks &together : all)
    expansion.expand(together);
  expansion.finish();
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
