#include "codegen/unswitch_index_signs.h"

#include "simt/thresholds.h"

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

/// A start and a distance up to this bound have a sum that fits in an int64.
constexpr uint64_t maxIndexMagnitude = uint64_t(1) << 61;

/// A sign test `icmp slt i64 %k, 0` of an index that counts from the end if negative.
struct SignTest {
  SelectInst *select;
  const SCEVAddRecExpr *index;
};

class LoopSignTests {
public:
  LoopSignTests(Loop &loop, ScalarEvolution &evolution, const TargetTransformInfo &costs)
      : loop_(loop), evolution_(evolution), costs_(costs) {}

  /// Makes the tests depend on a loop-invariant guard; returns null if there are no tests.
  Value *emitGuard();

private:
  void findTests();
  /// The last iteration that reaches `i`: if the loop exits at its header, one before `backedgeCount`.
  const SCEV *lastIterationOf(const Instruction &i, const SCEV *backedgeCount) {
    BasicBlock *header = loop_.getHeader();
    bool exitsAtHeader = loop_.getExitingBlock() == header && loop_.getLoopLatch() != header;
    if (!exitsAtHeader || i.getParent() == header)
      return backedgeCount;
    return evolution_.getMinusSCEV(backedgeCount, evolution_.getOne(backedgeCount->getType()));
  }
  /// Emits `value` in the preheader; null if that is expensive.
  Value *expandInPreheader(const SCEV *value);
  /// Adds `value` > `most` (unsigned) to `guard_`, unless it is known to be false. Returns false if `value` cannot be
  /// computed.
  bool addGuard(const SCEV *value, uint64_t bound);

  Loop &loop_;
  ScalarEvolution &evolution_;
  const TargetTransformInfo &costs_;
  SmallVector<SignTest> tests_;
  Value *guard_ = nullptr;
};

void LoopSignTests::findTests() {
  for (BasicBlock *block : loop_.blocks())
    for (Instruction &i : *block) {
      auto *select = dyn_cast<SelectInst>(&i);
      Value *index;
      if (!select || !select->getType()->isIntegerTy(64) ||
          !match(select->getCondition(),
                 m_SpecificICmp(CmpInst::ICMP_SLT, m_Value(index), m_Zero())))
        continue;
      auto *induction = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(index));
      if (induction && induction->getLoop() == &loop_ && induction->isAffine() &&
          isa<SCEVConstant>(induction->getStepRecurrence(evolution_)))
        tests_.push_back({select, induction});
    }
}

Value *LoopSignTests::expandInPreheader(const SCEV *value) {
  Instruction *at = loop_.getLoopPreheader()->getTerminator();
  SCEVExpander expander(evolution_, "preheader");
  if (!expander.isSafeToExpandAt(value, at) ||
      expander.isHighCostExpansion(value, &loop_, SCEVCheapExpansionBudget, &costs_, at))
    return nullptr;
  return expander.expandCodeFor(value, value->getType(), at);
}

bool LoopSignTests::addGuard(const SCEV *value, uint64_t bound) {
  if (evolution_.isKnownPredicate(CmpInst::ICMP_ULE, value,
                                  evolution_.getConstant(value->getType(), bound)))
    return true;
  Value *computed = expandInPreheader(value);
  if (!computed)
    return false;
  IRBuilder<> b(loop_.getLoopPreheader()->getTerminator());
  Value *exceeds = b.CreateICmpUGT(computed, ConstantInt::get(computed->getType(), bound));
  guard_ = guard_ ? b.CreateOr(guard_, exceeds) : exceeds;
  return true;
}

Value *LoopSignTests::emitGuard() {
  if (!loop_.getLoopPreheader())
    return nullptr;
  findTests();
  // An upper bound: a bounds check of another index may exit the loop earlier.
  const SCEV *backedgeCount =
      tests_.empty() ? nullptr : evolution_.getSymbolicMaxBackedgeTakenCount(&loop_);
  if (!backedgeCount || isa<SCEVCouldNotCompute>(backedgeCount) ||
      backedgeCount->getType()->getIntegerBitWidth() > 64)
    return nullptr;
  backedgeCount = evolution_.getNoopOrZeroExtend(backedgeCount, tests_.front().index->getType());
  SmallPtrSet<const SCEV *, 4> known;
  uint64_t largestStep = 1;
  for (const SignTest &test : tests_) {
    int64_t step =
        cast<SCEVConstant>(test.index->getStepRecurrence(evolution_))->getAPInt().getSExtValue();
    largestStep = std::max(largestStep, uint64_t(step < 0 ? -step : step));
    const SCEV *last = step < 0 ? lastIterationOf(*test.select, backedgeCount) : nullptr;
    const SCEV *ends[] = {test.index->getStart(),
                          last ? test.index->evaluateAtIteration(last, evolution_) : nullptr};
    for (const SCEV *end : ends)
      if (end && known.insert(end).second && !addGuard(end, maxIndexMagnitude))
        return nullptr;
  }
  if (largestStep > maxIndexMagnitude ||
      !addGuard(backedgeCount, maxIndexMagnitude / largestStep) || !guard_)
    return nullptr;
  for (const SignTest &test : tests_) {
    IRBuilder<> b(test.select);
    test.select->setCondition(b.CreateLogicalAnd(guard_, test.select->getCondition()));
  }
  return guard_;
}

/// Marks the branches on the guard as unlikely.
void markUnlikely(Value &guard) {
  MDNode *weights = MDBuilder(guard.getContext()).createUnlikelyBranchWeights();
  for (User *user : guard.users())
    if (auto *branch = dyn_cast<BranchInst>(user))
      branch->setMetadata(LLVMContext::MD_prof, weights);
    else if (isa<FreezeInst>(user))
      markUnlikely(*user);
}

} // namespace

PreservedAnalyses UnswitchIndexSigns::run(Function &f, FunctionAnalysisManager &am) {
  auto &evolution = am.getResult<ScalarEvolutionAnalysis>(f);
  const auto &costs = am.getResult<TargetIRAnalysis>(f);
  SmallVector<WeakVH> guards;
  bool changed = false;
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    unsigned size = 0;
    for (const BasicBlock *block : loop->blocks())
      size += block->size();
    if (size <= thresholds::maxCopiedSize)
      if (Value *guard = LoopSignTests(*loop, evolution, costs).emitGuard()) {
        changed = true;
        if (!isa<Constant>(guard)) // otherwise the tests are folded
          guards.push_back(guard);
      }
  }
  if (guards.empty())
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(SimpleLoopUnswitchPass(/*NonTrivial=*/true),
                                                 /*UseMemorySSA=*/true));
  passes.run(f, am);
  for (WeakVH &guard : guards)
    if (guard)
      markUnlikely(*guard);
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
