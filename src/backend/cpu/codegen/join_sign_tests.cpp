#include "backend/cpu/codegen/join_sign_tests.h"

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

/// An index, and the choice between it and the same from the end.
struct Choice {
  SelectInst *select;
  Value *index;
};

std::optional<Choice> choiceAt(Instruction &i) {
  auto *select = dyn_cast<SelectInst>(&i);
  Value *tested;
  if (!select || !select->getType()->isIntegerTy() ||
      !match(select->getCondition(), m_SpecificICmp(CmpInst::ICMP_SLT, m_Value(tested), m_Zero())))
    return std::nullopt;
  Value *index = select->getFalseValue();
  if (!match(index, m_SExtOrSelf(m_Specific(tested))) ||
      !match(select->getTrueValue(), m_c_Add(m_Specific(index), m_Value())))
    return std::nullopt;
  return Choice{select, index};
}

/// The choices of a block that one test can serve, from `first` on.
class Together {
public:
  explicit Together(const Choice &first) : choices_({first}) {}

  /// Adds a later choice of the block and moves what it needs in front of the first; false where that changes a result.
  bool add(const Choice &choice) {
    if (choices_.size() == mostTests ||
        choice.index->getType() != choices_.front().index->getType())
      return false;
    needed_.clear();
    first_ = choices_.front().select;
    if (!need(choice.select->getTrueValue()) || !need(choice.select->getCondition()))
      return false;
    for (Instruction *i : needed_)
      i->moveBefore(first_->getIterator());
    choices_.push_back(choice);
    return true;
  }

  bool areSeveral() const { return choices_.size() > 1; }

  void emit() {
    IRBuilder<> b(choices_.front().select);
    Value *signs = choices_.front().index;
    for (const Choice &choice : drop_begin(choices_))
      signs = b.CreateOr(signs, choice.index);
    Value *below = b.CreateIsNeg(signs);
    BasicBlock *head = b.GetInsertBlock();
    Instruction *ends =
        SplitBlockAndInsertIfThen(below, choices_.front().select->getIterator(), false,
                                  choices_.front().select->getMetadata(LLVMContext::MD_prof));
    for (const Choice &choice : choices_) {
      auto *on = ends->getSuccessor(0);
      auto *phi = PHINode::Create(choice.select->getType(), 2, choice.select->getName());
      phi->insertBefore(on->begin());
      choice.select->replaceAllUsesWith(phi);
      phi->addIncoming(choice.select, ends->getParent());
      phi->addIncoming(choice.index, head);
      moveToEnds(choice.select, *ends);
    }
  }

private:
  /// Collects in `needed_`, in their order, the instructions behind the first choice that `value` is computed from.
  bool need(Value *value) {
    auto *i = dyn_cast<Instruction>(value);
    if (!i || i->getParent() != first_->getParent() || i->comesBefore(first_) ||
        is_contained(needed_, i))
      return true;
    if (i == first_ || isa<PHINode>(i) || i->mayHaveSideEffects() || i->isVolatile() ||
        any_of(choices_, [&](const Choice &c) { return c.select == i; }) ||
        ((i->mayReadFromMemory() || !isSafeToSpeculativelyExecute(i)) && changesBefore(*i)))
      return false;
    if (!all_of(i->operands(), [&](Value *operand) { return need(operand); }))
      return false;
    needed_.push_back(i);
    return true;
  }

  /// Whether what is between the first choice and `i` writes memory, or may not come to `i`.
  bool changesBefore(Instruction &i) const {
    return any_of(make_range(first_->getIterator(), i.getIterator()),
                  [](const Instruction &other) { return other.mayHaveSideEffects(); });
  }

  static void moveToEnds(SelectInst *select, Instruction &ends) {
    select->setMetadata(LLVMContext::MD_prof, nullptr);
    auto *last = cast<Instruction>(select->getTrueValue());
    if (last->hasOneUse())
      last->moveBefore(ends.getIterator());
    auto *test = cast<Instruction>(select->getCondition());
    if (test->hasOneUse())
      test->moveBefore(ends.getIterator());
    select->moveBefore(ends.getIterator());
  }

  SmallVector<Choice, mostTests> choices_;
  Instruction *first_ = nullptr;
  SmallVector<Instruction *> needed_;
};

SmallVector<Together> testsOf(BasicBlock &block) {
  SmallVector<Together> groups;
  SmallVector<Choice> choices;
  for (Instruction &i : block)
    if (std::optional<Choice> choice = choiceAt(i))
      choices.push_back(*choice);
  Instruction *first = nullptr;
  for (const Choice &choice : choices) {
    bool near = first && std::distance(first->getIterator(), choice.select->getIterator()) <=
                             std::ptrdiff_t(farthest);
    if (near && groups.back().add(choice))
      continue;
    groups.emplace_back(choice);
    first = choice.select;
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
