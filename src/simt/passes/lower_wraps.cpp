#include "simt/passes/lower_wraps.h"

#include "simt/ir/checks.h"
#include "simt/thresholds.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// A start and a distance up to this bound have a sum that fits in an int64.
constexpr uint64_t maxIndexMagnitude = uint64_t(1) << 61;
/// The cost of a guard before a loop: enough for the end of a loop that runs backwards, a - max(b, 0).
constexpr unsigned guardBudget = 8;

} // namespace

Value *emitIsNegative(IRBuilderBase &b, Value &index) {
  Value *number;
  const APInt *added;
  Type *type = index.getType();
  if (match(&index, m_NSWAdd(m_Value(number), m_APInt(added))) && !added->isMinSignedValue())
    return b.CreateICmpSLT(number, ConstantInt::get(type, -*added));
  return b.CreateICmpSLT(&index, ConstantInt::get(type, 0));
}

namespace {

/// Replaces the wrap by a select; `guard`, if not null, is false if the index is known to be nonnegative. If it is
/// true, the loop probably starts below zero.
void lowerToSelect(CallInst &wrap, Value *guard) {
  IRBuilder<> b(&wrap);
  Value *index = wrap.getArgOperand(0), *isNegative = emitIsNegative(b, *index);
  if (guard)
    isNegative = b.CreateLogicalAnd(guard, isNegative);
  Value *fromEnd = b.CreateAdd(index, wrap.getArgOperand(1));
  Value *wrapped = b.CreateSelect(isNegative, fromEnd, index);
  if (auto *select = dyn_cast<SelectInst>(wrapped); select && !guard)
    select->setMetadata(LLVMContext::MD_prof,
                        MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  wrap.replaceAllUsesWith(wrapped);
  wrap.eraseFromParent();
}

/// A wrap of an index that is affine in the loop's iteration number.
struct AffineWrap {
  CallInst *wrap;
  const SCEVAddRecExpr *index;
};

class LoopWraps {
public:
  LoopWraps(Loop &loop, ScalarEvolution &evolution, const TargetTransformInfo &costs)
      : loop_(loop), evolution_(evolution), costs_(costs) {}

  /// Lowers the affine wraps of the loop. Returns the loop-invariant guard that they depend on, if any.
  Value *lowerAffineWraps();

private:
  void findAffineWraps();
  /// Makes guard_ false only if all indices are nonnegative; null if that is known. Returns false if the guard cannot
  /// be computed.
  bool emitGuard();
  /// The last iteration that reaches `i`: if the loop exits at its header, one before `backedgeCount`.
  const SCEV *lastIterationThatReaches(const Instruction &i, const SCEV *backedgeCount) {
    BasicBlock *header = loop_.getHeader();
    bool exitsAtHeader = loop_.getExitingBlock() == header && loop_.getLoopLatch() != header;
    if (!exitsAtHeader || i.getParent() == header)
      return backedgeCount;
    return evolution_.getMinusSCEV(backedgeCount, evolution_.getOne(backedgeCount->getType()));
  }
  /// Returns true if an index that starts at most at maxIndexMagnitude may leave the int64 range within `backedgeCount`
  /// iterations.
  bool mayOverflow(const SCEVAddRecExpr &index, const SCEV *backedgeCount) const;
  /// Emits `value` in the preheader; null if that is expensive.
  Value *expandInPreheader(const SCEV *value);
  /// Adds `value` > `bound` (unsigned) to `guard_`, unless it is known to be false. Returns false if `value` cannot be
  /// computed.
  bool addGuard(const SCEV *value, uint64_t bound);

  Loop &loop_;
  ScalarEvolution &evolution_;
  const TargetTransformInfo &costs_;
  SmallVector<AffineWrap> wraps_;
  Value *guard_ = nullptr;
};

void LoopWraps::findAffineWraps() {
  for (BasicBlock *block : loop_.blocks())
    for (Instruction &i : *block) {
      if (!isWrap(i))
        continue;
      auto &wrap = cast<CallInst>(i);
      auto *index = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(wrap.getArgOperand(0)));
      if (index && index->getLoop() == &loop_ && index->isAffine() &&
          isa<SCEVConstant>(index->getStepRecurrence(evolution_)))
        wraps_.push_back({&wrap, index});
    }
}

Value *LoopWraps::expandInPreheader(const SCEV *value) {
  Instruction *at = loop_.getLoopPreheader()->getTerminator();
  SCEVExpander expander(evolution_, "preheader");
  if (!expander.isSafeToExpandAt(value, at) ||
      expander.isHighCostExpansion(value, &loop_, guardBudget, &costs_, at))
    return nullptr;
  return expander.expandCodeFor(value, value->getType(), at);
}

bool LoopWraps::addGuard(const SCEV *value, uint64_t bound) {
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

bool LoopWraps::mayOverflow(const SCEVAddRecExpr &index, const SCEV *backedgeCount) const {
  constexpr unsigned bits = 192; // for the sum of an int64 and a product of two
  APInt step = cast<SCEVConstant>(index.getStepRecurrence(evolution_))->getAPInt().abs();
  APInt start = APIntOps::umin(evolution_.getUnsignedRangeMax(index.getStart()).zext(bits),
                               APInt(bits, maxIndexMagnitude));
  APInt distance = step.zext(bits) * evolution_.getUnsignedRangeMax(backedgeCount).zext(bits);
  return (start + distance).ugt(uint64_t(INT64_MAX));
}

bool LoopWraps::emitGuard() {
  // An upper bound: a bounds check of another index may exit the loop earlier.
  const SCEV *backedgeCount = evolution_.getSymbolicMaxBackedgeTakenCount(&loop_);
  if (isa<SCEVCouldNotCompute>(backedgeCount) ||
      backedgeCount->getType()->getIntegerBitWidth() > 64)
    return false;
  backedgeCount = evolution_.getNoopOrZeroExtend(backedgeCount, wraps_.front().index->getType());
  SmallPtrSet<const SCEV *, 4> known;
  uint64_t largestStep = 1;
  for (auto [wrap, index] : wraps_) {
    int64_t step =
        cast<SCEVConstant>(index->getStepRecurrence(evolution_))->getAPInt().getSExtValue();
    largestStep = std::max(largestStep, uint64_t(step < 0 ? -step : step));
    const SCEV *last = step < 0 ? lastIterationThatReaches(*wrap, backedgeCount) : nullptr;
    const SCEV *ends[] = {index->getStart(),
                          last ? index->evaluateAtIteration(last, evolution_) : nullptr};
    for (const SCEV *end : ends)
      if (end && known.insert(end).second && !addGuard(end, maxIndexMagnitude))
        return false;
  }
  const SCEV *guarded = evolution_.applyLoopGuards(backedgeCount, &loop_);
  if (none_of(wraps_, [&](const AffineWrap &w) { return mayOverflow(*w.index, guarded); }))
    return true;
  return largestStep <= maxIndexMagnitude &&
         addGuard(backedgeCount, maxIndexMagnitude / largestStep);
}

Value *LoopWraps::lowerAffineWraps() {
  findAffineWraps();
  if (wraps_.empty() || !loop_.getLoopPreheader() || !emitGuard())
    return nullptr;
  for (auto [wrap, index] : wraps_)
    if (guard_) {
      lowerToSelect(*wrap, guard_);
    } else {
      wrap->replaceAllUsesWith(wrap->getArgOperand(0));
      wrap->eraseFromParent();
    }
  return guard_;
}

/// Marks the branches on the guard as unlikely.
void markBranchesUnlikely(Value &guard) {
  MDNode *weights = MDBuilder(guard.getContext()).createUnlikelyBranchWeights();
  for (User *user : guard.users())
    if (auto *branch = dyn_cast<BranchInst>(user))
      branch->setMetadata(LLVMContext::MD_prof, weights);
    else if (isa<FreezeInst>(user))
      markBranchesUnlikely(*user);
}

} // namespace

PreservedAnalyses VersionWraps::run(Function &f, FunctionAnalysisManager &am) {
  if (none_of(instructions(f), isWrap))
    return PreservedAnalyses::all();
  auto &evolution = am.getResult<ScalarEvolutionAnalysis>(f);
  const auto &costs = am.getResult<TargetIRAnalysis>(f);
  SmallVector<WeakVH> guards;
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder()) {
    unsigned size = 0;
    for (const BasicBlock *block : loop->blocks())
      size += block->size();
    if (!loop->isInnermost() || size > thresholds::maxCopiedSize)
      continue;
    Value *guard = LoopWraps(*loop, evolution, costs).lowerAffineWraps();
    if (guard && !isa<llvm::Constant>(guard)) // else the selects fold
      guards.push_back(guard);
  }
  if (guards.empty())
    return PreservedAnalyses::none();
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(SimpleLoopUnswitchPass(/*NonTrivial=*/true),
                                                 /*UseMemorySSA=*/true));
  passes.run(f, am);
  for (WeakVH &guard : guards)
    if (guard)
      markBranchesUnlikely(*guard);
  return PreservedAnalyses::none();
}

bool lowerWraps(Function &f, function_ref<bool(const CallInst &)> isWanted) {
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f)))
    if (isWrap(i) && isWanted(cast<CallInst>(i))) {
      lowerToSelect(cast<CallInst>(i), nullptr);
      changed = true;
    }
  return changed;
}

PreservedAnalyses LowerWraps::run(Function &f, FunctionAnalysisManager &) {
  return lowerWraps(f, [](const CallInst &) { return true; })
             ? PreservedAnalyses::allInSet<CFGAnalyses>()
             : PreservedAnalyses::all();
}

} // namespace heddle::simt
