#include "simt/passes/expand_checks.h"

#include "simt/ir/checks.h"
#include "simt/passes/lowering.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Checks of one block with no access or effect in between.
using AdjacentChecks = SmallVector<CallInst *, 4>;

SmallVector<AdjacentChecks> collectAdjacentChecks(Function &f) {
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

  void expandAdjacentChecks(const AdjacentChecks &group) {
    CallInst *last = group.back();
    IRBuilder<> b(last);
    SmallVector<IndexCheck, 4> checks;
    for (CallInst *call : group)
      checks.push_back(IndexCheck::of(*call));
    bool isExact;
    Value *any = emitMayFailTest(b, checks, isExact);
    if (isExact && checks.size() == 1) {
      emitTrapIf(*last, any, last);
    } else {
      BasicBlock *before = last->getParent();
      Instruction *end = SplitBlockAndInsertIfThen(any, last, /*Unreachable=*/false, unlikely_);
      end->getParent()->setName("may_be_out_of_bounds");
      last->getParent()->setName("in_bounds");
      for (CallInst *call : group) {
        b.SetInsertPoint(end);
        b.SetCurrentDebugLocation(call->getDebugLoc());
        emitTrapIf(*call, emitFailureTest(b, IndexCheck::of(*call)), end);
      }
      for (CallInst *call : group)
        moveWrapToSlowPath(IndexCheck::of(*call), before, end);
    }
    for (CallInst *call : group)
      call->eraseFromParent();
  }

  /// Replaces wraps after the checks by the indices that these computed.
  void replaceWraps() {
    if (wrapped_.empty())
      return;
    DominatorTree dominators(f_);
    for (auto [check, index] : wrapped_)
      for (User *user : make_early_inc_range(check.first->users())) {
        auto *wrap = dyn_cast<CallInst>(user);
        if (!wrap || !isWrap(*wrap) || wrap->getArgOperand(0) != check.first ||
            wrap->getArgOperand(1) != check.high)
          continue;
        wrap->replaceUsesWithIf(
            index, [&, index = index](Use &use) { return dominators.dominates(index, use); });
        if (wrap->use_empty())
          wrap->eraseFromParent();
      }
    for (auto [check, index] : wrapped_)
      RecursivelyDeleteTriviallyDeadInstructions(index);
  }

private:
  /// Emits a trap before `at`, guarded by `out`.
  void emitTrapIf(CallInst &call, Value *out, Instruction *at) {
    IndexCheck check = IndexCheck::of(call);
    bool isEnd = after_ == ExpandChecks::Unreachable;
    Instruction *stop = SplitBlockAndInsertIfThen(out, at, isEnd, unlikely_);
    stop->getParent()->setName("out_of_bounds");
    IRBuilder<> b(stop);
    b.SetCurrentDebugLocation(call.getDebugLoc());
    stop->setDebugLoc(call.getDebugLoc());
    simt::call(b, Op::TrapIndex, {check.site, emitFirstOutOfBounds(b, check), check.high});
  }

  /// An index that passes the combined test is nonnegative, so that it needs no wrap.
  void moveWrapToSlowPath(const IndexCheck &check, BasicBlock *before, Instruction *end) {
    // LLVM keeps no uses of constants.
    if (!check.isSingleIndex() || match(check.low, m_Zero()) || isa<llvm::Constant>(check.first) ||
        none_of(check.first->users(), [](User *user) { return isWrap(*user); }))
      return;
    IRBuilder<> b(end);
    Value *wrapped = call(b, Op::Wrap, {check.first, check.high});
    BasicBlock *join = end->getSuccessor(0);
    b.SetInsertPoint(join, join->begin());
    PHINode *index = b.CreatePHI(wrapped->getType(), 2, "index");
    index->addIncoming(check.first, before);
    index->addIncoming(wrapped, end->getParent());
    wrapped_.push_back({check, index});
  }

  Function &f_;
  ExpandChecks::AfterTrap after_;
  MDNode *unlikely_;
  SmallVector<std::pair<IndexCheck, PHINode *>>
      wrapped_; ///< checks, and their indices without wraps
};

} // namespace

PreservedAnalyses ExpandChecks::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<AdjacentChecks> all = collectAdjacentChecks(f);
  if (all.empty())
    return PreservedAnalyses::all();
  CheckExpansion checkExpansion(f, after);
  for (const AdjacentChecks &group : all)
    checkExpansion.expandAdjacentChecks(group);
  checkExpansion.replaceWraps();
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
