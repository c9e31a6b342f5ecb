#include "backend/cpu/codegen/join_sign_tests.h"

#include "backend/cpu/codegen/expect_index_signs.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::cpu {
namespace {

/// Instructions between the first and the last of the choices that one test serves, and of indices together: they are kept
/// in registers from the test on.
constexpr unsigned farthest = 40;
constexpr unsigned mostTests = 4;

/// Whether an index is tested itself, or what it extends, for the choice between it and the same from the end.
bool choosesByItsSign(const SelectInst &select) {
  return select.getType()->isIntegerTy() && choosesEnd(select) &&
         match(select.getFalseValue(),
               m_SExtOrSelf(m_Specific(cast<ICmpInst>(select.getCondition())->getOperand(0))));
}

/// The choices of a block that one test can serve, from `first` on.
class Together {
public:
  explicit Together(SelectInst &first) : choices_({&first}) {}

  SelectInst &first() const { return *choices_.front(); }

  /// Adds a later choice of the block and moves what it needs in front of the first; false where that changes a result.
  bool add(SelectInst &choice) {
    if (choices_.size() == mostTests || choice.getType() != first().getType())
      return false;
    SmallVector<Instruction *> needed;
    if (!need(choice.getTrueValue(), needed) || !need(choice.getCondition(), needed))
      return false;
    for (Instruction *i : needed)
      i->moveBefore(first().getIterator());
    choices_.push_back(&choice);
    return true;
  }

  bool areSeveral() const { return choices_.size() > 1; }

  void emit() {
    IRBuilder<> b(&first());
    Value *signs = first().getFalseValue();
    for (SelectInst *choice : drop_begin(choices_))
      signs = b.CreateOr(signs, choice->getFalseValue());
    Value *below = b.CreateIsNeg(signs);
    BasicBlock *head = b.GetInsertBlock();
    Instruction *ends = SplitBlockAndInsertIfThen(below, first().getIterator(), false,
                                                  first().getMetadata(LLVMContext::MD_prof));
    BasicBlock *on = ends->getSuccessor(0);
    for (SelectInst *choice : choices_) {
      auto *phi = PHINode::Create(choice->getType(), 2, choice->getName());
      phi->insertBefore(on->begin());
      choice->replaceAllUsesWith(phi);
      phi->addIncoming(choice, ends->getParent());
      phi->addIncoming(choice->getFalseValue(), head);
      moveToEnds(*choice, *ends);
    }
  }

private:
  /// Collects, in their order, the instructions behind the first choice that `value` is computed from.
  bool need(Value *value, SmallVectorImpl<Instruction *> &needed) const {
    auto *i = dyn_cast<Instruction>(value);
    if (!i || i->getParent() != first().getParent() || i->comesBefore(&first()) ||
        is_contained(needed, i))
      return true;
    if (isa<PHINode>(i) || i->mayHaveSideEffects() || is_contained(choices_, i) ||
        ((i->mayReadFromMemory() || !isSafeToSpeculativelyExecute(i)) && changesBefore(*i)))
      return false;
    if (!all_of(i->operands(), [&](Value *operand) { return need(operand, needed); }))
      return false;
    needed.push_back(i);
    return true;
  }

  /// Whether what is between the first choice and `i` writes memory, or may not come to `i`.
  bool changesBefore(Instruction &i) const {
    return any_of(make_range(first().getIterator(), i.getIterator()),
                  [](const Instruction &other) { return other.mayHaveSideEffects(); });
  }

  static void moveToEnds(SelectInst &select, Instruction &ends) {
    select.setMetadata(LLVMContext::MD_prof, nullptr);
    for (Value *operand : {select.getTrueValue(), select.getCondition()})
      if (operand->hasOneUse())
        cast<Instruction>(operand)->moveBefore(ends.getIterator());
    select.moveBefore(ends.getIterator());
  }

  SmallVector<SelectInst *, mostTests> choices_;
};

SmallVector<Together> testsOf(BasicBlock &block) {
  SmallVector<Together> groups;
  SmallVector<SelectInst *> choices;
  for (Instruction &i : block)
    if (auto *select = dyn_cast<SelectInst>(&i); select && choosesByItsSign(*select))
      choices.push_back(select);
  for (SelectInst *choice : choices) {
    auto isNear = [&](const SelectInst &first) {
      return std::distance(first.getIterator(), std::as_const(*choice).getIterator()) <=
             std::ptrdiff_t(farthest);
    };
    if (groups.empty() || !isNear(groups.back().first()) || !groups.back().add(*choice))
      groups.emplace_back(*choice);
  }
  return groups;
}

} // namespace

PreservedAnalyses JoinSignTests::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  SmallVector<BasicBlock *> blocks(make_pointer_range(f));
  for (BasicBlock *block : blocks) {
    SmallVector<Together> groups = testsOf(*block);
    for (Together &tests : reverse(groups))
      if (tests.areSeveral()) {
        tests.emit();
        changed = true;
      }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
