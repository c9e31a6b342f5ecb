#include "backend/cpu/codegen/merge_sign_tests.h"

#include "backend/cpu/codegen/expect_nonnegative_indices.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::cpu {
namespace {

/// Maximum distance in instructions between the first and the last select of a group, and maximum group size. Their
/// indices stay in registers from the test on.
constexpr unsigned maxTestDistance = 40;
constexpr unsigned maxMergedTests = 4;

/// Returns true if the select between an index and the same index from the end tests the sign of that index (before
/// extension).
bool selectsByOwnSign(const SelectInst &select) {
  return select.getType()->isIntegerTy() && isIndexSignSelect(select) &&
         match(select.getFalseValue(),
               m_SExtOrSelf(m_Specific(cast<ICmpInst>(select.getCondition())->getOperand(0))));
}

/// Selects of a block that share a test, starting with `first`.
class SignTestGroup {
public:
  explicit SignTestGroup(SelectInst &first) : selects_({&first}) {}

  SelectInst &first() const { return *selects_.front(); }

  /// Adds a later select and moves its operands before the first select. Returns false if that would change a result.
  bool add(SelectInst &select) {
    if (selects_.size() == maxMergedTests || select.getType() != first().getType())
      return false;
    SmallVector<Instruction *> needed;
    if (!collectOperands(select.getTrueValue(), needed) ||
        !collectOperands(select.getCondition(), needed))
      return false;
    for (Instruction *i : needed)
      i->moveBefore(first().getIterator());
    selects_.push_back(&select);
    return true;
  }

  bool hasSeveral() const { return selects_.size() > 1; }

  void emit() {
    IRBuilder<> b(&first());
    Value *signs = first().getFalseValue();
    for (SelectInst *select : drop_begin(selects_))
      signs = b.CreateOr(signs, select->getFalseValue());
    Value *below = b.CreateIsNeg(signs);
    BasicBlock *head = b.GetInsertBlock();
    Instruction *ends = SplitBlockAndInsertIfThen(below, first().getIterator(), false,
                                                  first().getMetadata(LLVMContext::MD_prof));
    BasicBlock *on = ends->getSuccessor(0);
    for (SelectInst *select : selects_) {
      auto *phi = PHINode::Create(select->getType(), 2, select->getName());
      phi->insertBefore(on->begin());
      select->replaceAllUsesWith(phi);
      phi->addIncoming(select, ends->getParent());
      phi->addIncoming(select->getFalseValue(), head);
      moveToWrapBlock(*select, *ends);
    }
  }

private:
  /// Collects, in order, the operands of `value` that are defined after the first select.
  bool collectOperands(Value *value, SmallVectorImpl<Instruction *> &needed) const {
    auto *i = dyn_cast<Instruction>(value);
    if (!i || i->getParent() != first().getParent() || i->comesBefore(&first()) ||
        is_contained(needed, i))
      return true;
    if (isa<PHINode>(i) || i->mayHaveSideEffects() || is_contained(selects_, i) ||
        ((i->mayReadFromMemory() || !isSafeToSpeculativelyExecute(i)) && mayBeClobbered(*i)))
      return false;
    if (!all_of(i->operands(), [&](Value *operand) { return collectOperands(operand, needed); }))
      return false;
    needed.push_back(i);
    return true;
  }

  /// Returns true if the code between the first select and `i` writes memory or may not reach `i`.
  bool mayBeClobbered(Instruction &i) const {
    return any_of(make_range(first().getIterator(), i.getIterator()),
                  [](const Instruction &other) { return other.mayHaveSideEffects(); });
  }

  static void moveToWrapBlock(SelectInst &select, Instruction &ends) {
    select.setMetadata(LLVMContext::MD_prof, nullptr);
    for (Value *operand : {select.getTrueValue(), select.getCondition()})
      if (operand->hasOneUse())
        cast<Instruction>(operand)->moveBefore(ends.getIterator());
    select.moveBefore(ends.getIterator());
  }

  SmallVector<SelectInst *, maxMergedTests> selects_;
};

SmallVector<SignTestGroup> groupSignTests(BasicBlock &block) {
  SmallVector<SignTestGroup> groups;
  SmallVector<SelectInst *> selects;
  for (Instruction &i : block)
    if (auto *select = dyn_cast<SelectInst>(&i); select && selectsByOwnSign(*select))
      selects.push_back(select);
  for (SelectInst *select : selects) {
    auto isNear = [&](const SelectInst &first) {
      return std::distance(first.getIterator(), std::as_const(*select).getIterator()) <=
             std::ptrdiff_t(maxTestDistance);
    };
    if (groups.empty() || !isNear(groups.back().first()) || !groups.back().add(*select))
      groups.emplace_back(*select);
  }
  return groups;
}

} // namespace

PreservedAnalyses MergeSignTests::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  SmallVector<BasicBlock *> blocks(make_pointer_range(f));
  for (BasicBlock *block : blocks) {
    SmallVector<SignTestGroup> groups = groupSignTests(*block);
    for (SignTestGroup &tests : reverse(groups))
      if (tests.hasSeveral()) {
        tests.emit();
        changed = true;
      }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
