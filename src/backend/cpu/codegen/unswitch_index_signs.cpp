#include "backend/cpu/codegen/unswitch_index_signs.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::cpu {
namespace {

/// Instructions of a loop that is worth a second version, about as many as LLVM copies.
constexpr unsigned longestLoop = 60;
/// A start and a distance up to here have a sum that an int64 holds.
constexpr uint64_t farthest = uint64_t(1) << 61;

/// A test whether an index is negative, `icmp slt i64 %k, 0`, of an index that counts from the end where it is.
struct SignTest {
  SelectInst *choice;
  const SCEVAddRecExpr *index;
};

class SignsOfLoop {
public:
  SignsOfLoop(Loop &loop, ScalarEvolution &evolution, const TargetTransformInfo &costs)
      : loop_(loop), evolution_(evolution), costs_(costs) {}

  /// Makes the tests depend on a value that the loop does not change; null if there are none.
  Value *guard();

private:
  void findTests();
  /// The number of the last round that comes to `i`: in a loop that is left at its head, it is one before `rounds`.
  const SCEV *lastRoundOf(const Instruction &i, const SCEV *rounds) {
    BasicBlock *head = loop_.getHeader();
    bool leftAtHead = loop_.getExitingBlock() == head && loop_.getLoopLatch() != head;
    if (!leftAtHead || i.getParent() == head)
      return rounds;
    return evolution_.getMinusSCEV(rounds, evolution_.getOne(rounds->getType()));
  }
  /// Computes `value` before the loop; null where that would take long.
  Value *before(const SCEV *value);
  /// Adds to `guard_` that `value` is more than `most`, as unsigned numbers, unless it never is; whether it could.
  bool mayExceed(const SCEV *value, uint64_t most);

  Loop &loop_;
  ScalarEvolution &evolution_;
  const TargetTransformInfo &costs_;
  SmallVector<SignTest> tests_;
  Value *guard_ = nullptr;
};

void SignsOfLoop::findTests() {
  for (BasicBlock *block : loop_.blocks())
    for (Instruction &i : *block) {
      auto *choice = dyn_cast<SelectInst>(&i);
      Value *index;
      if (!choice || !choice->getType()->isIntegerTy(64) ||
          !match(choice->getCondition(),
                 m_SpecificICmp(CmpInst::ICMP_SLT, m_Value(index), m_Zero())))
        continue;
      auto *moving = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(index));
      if (moving && moving->getLoop() == &loop_ && moving->isAffine() &&
          isa<SCEVConstant>(moving->getStepRecurrence(evolution_)))
        tests_.push_back({choice, moving});
    }
}

Value *SignsOfLoop::before(const SCEV *value) {
  Instruction *at = loop_.getLoopPreheader()->getTerminator();
  SCEVExpander expander(evolution_, "before");
  if (!expander.isSafeToExpandAt(value, at) ||
      expander.isHighCostExpansion(value, &loop_, SCEVCheapExpansionBudget, &costs_, at))
    return nullptr;
  return expander.expandCodeFor(value, value->getType(), at);
}

bool SignsOfLoop::mayExceed(const SCEV *value, uint64_t most) {
  if (evolution_.isKnownPredicate(CmpInst::ICMP_ULE, value,
                                  evolution_.getConstant(value->getType(), most)))
    return true;
  Value *computed = before(value);
  if (!computed)
    return false;
  IRBuilder<> b(loop_.getLoopPreheader()->getTerminator());
  Value *exceeds = b.CreateICmpUGT(computed, ConstantInt::get(computed->getType(), most));
  guard_ = guard_ ? b.CreateOr(guard_, exceeds) : exceeds;
  return true;
}

Value *SignsOfLoop::guard() {
  if (!loop_.getLoopPreheader())
    return nullptr;
  findTests();
  // At most: a check of another index may end the loop earlier.
  const SCEV *rounds =
      tests_.empty() ? nullptr : evolution_.getSymbolicMaxBackedgeTakenCount(&loop_);
  if (!rounds || isa<SCEVCouldNotCompute>(rounds) || rounds->getType()->getIntegerBitWidth() > 64)
    return nullptr;
  rounds = evolution_.getNoopOrZeroExtend(rounds, tests_.front().index->getType());
  SmallPtrSet<const SCEV *, 4> known;
  uint64_t largestStep = 1;
  for (const SignTest &test : tests_) {
    int64_t step =
        cast<SCEVConstant>(test.index->getStepRecurrence(evolution_))->getAPInt().getSExtValue();
    largestStep = std::max(largestStep, uint64_t(step < 0 ? -step : step));
    const SCEV *last = step < 0 ? lastRoundOf(*test.choice, rounds) : nullptr;
    const SCEV *ends[] = {test.index->getStart(),
                          last ? test.index->evaluateAtIteration(last, evolution_) : nullptr};
    for (const SCEV *end : ends)
      if (end && known.insert(end).second && !mayExceed(end, farthest))
        return nullptr;
  }
  if (largestStep > farthest || !mayExceed(rounds, farthest / largestStep) || !guard_)
    return nullptr;
  for (const SignTest &test : tests_) {
    IRBuilder<> b(test.choice);
    test.choice->setCondition(b.CreateLogicalAnd(guard_, test.choice->getCondition()));
  }
  return guard_;
}

/// Has the branches that a guard decides expect that it is false.
void expectFalse(Value &guard) {
  MDNode *weights = MDBuilder(guard.getContext()).createUnlikelyBranchWeights();
  for (User *user : guard.users())
    if (auto *branch = dyn_cast<BranchInst>(user))
      branch->setMetadata(LLVMContext::MD_prof, weights);
    else if (isa<FreezeInst>(user))
      expectFalse(*user);
}

} // namespace

PreservedAnalyses UnswitchIndexSigns::run(Function &f, FunctionAnalysisManager &am) {
  auto &evolution = am.getResult<ScalarEvolutionAnalysis>(f);
  const auto &costs = am.getResult<TargetIRAnalysis>(f);
  SmallVector<WeakVH> guards;
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    unsigned size = 0;
    for (const BasicBlock *block : loop->blocks())
      size += block->size();
    if (size <= longestLoop)
      if (Value *guard = SignsOfLoop(*loop, evolution, costs).guard())
        guards.push_back(guard);
  }
  if (guards.empty())
    return PreservedAnalyses::all();
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(SimpleLoopUnswitchPass(/*NonTrivial=*/true),
                                                 /*UseMemorySSA=*/true));
  passes.run(f, am);
  for (WeakVH &guard : guards)
    if (guard)
      expectFalse(*guard);
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
