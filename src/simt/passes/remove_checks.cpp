#include "simt/passes/remove_checks.h"

#include "simt/analysis/guards.h"
#include "simt/ir/checks.h"
#include "simt/passes/lowering.h"

#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <tuple>

namespace heddle::simt {

using namespace llvm;

namespace {

/// Adds the block extents as ranges of extents and thread indices.
void addExtentRanges(Function &f, std::array<uint32_t, 3> block) {
  constexpr Op indices[] = {Op::ThreadIdX, Op::ThreadIdY, Op::ThreadIdZ};
  constexpr Op extents[] = {Op::BlockDimX, Op::BlockDimY, Op::BlockDimZ};
  for (CallInst *call : simtCalls(f))
    for (unsigned axis = 0; axis < 3; ++axis) {
      if (calledOp(call) == indices[axis])
        call->addRangeRetAttr(ConstantRange(APInt(32, 0), APInt(32, block[axis])));
      if (calledOp(call) == extents[axis])
        call->addRangeRetAttr(ConstantRange(APInt(32, block[axis]), APInt(32, block[axis] + 1)));
    }
}

/// Sums and differences of indices and extents of up to this many bits do not overflow.
constexpr unsigned maxBits = 61;

/// Proves bounds from dominating branches and value ranges.
class BoundsProver {
public:
  BoundsProver(ScalarEvolution &scev, LazyValueInfo &ranges, DominatorTree &dominators)
      : scev_(scev), ranges_(ranges), dominators_(dominators) {}

  bool isAtLeast(Value *index, Value *low, Instruction &at) {
    return isKnownComparison(CmpInst::ICMP_SGE, index, low, at);
  }
  bool isProvenBelow(Value *index, Value *high, Instruction &at) {
    return isKnownComparison(CmpInst::ICMP_SLT, index, high, at) ||
           isBelowByGuard(scev_.getSCEV(index), scev_.getSCEV(high), at);
  }

private:
  bool isKnownComparison(CmpInst::Predicate predicate, Value *a, Value *b, Instruction &at) {
    auto rangeOf = [&](Value *v) {
      return ranges_.getConstantRange(v, &at, /*UndefAllowed=*/false);
    };
    return rangeOf(a).icmp(predicate, rangeOf(b)) ||
           scev_.isKnownPredicateAt(predicate, scev_.getSCEV(a), scev_.getSCEV(b), &at);
  }

  bool fitsWithoutOverflow(const SCEV *number) {
    return scev_.getSignedRange(number).getMinSignedBits() <= maxBits;
  }

  /// Returns true if a dominating branch implies a < b, where high - index >= b - a: for x + 1 < n, the branch x < n -
  /// 1.
  bool isBelowByGuard(const SCEV *index, const SCEV *high, Instruction &at) {
    return anyImpliedComparison(*at.getParent(), dominators_,
                                [&](const Comparison &known, const BasicBlock &) {
                                  return isImpliedByComparison(known, index, high);
                                });
  }

  bool isImpliedByComparison(const Comparison &known, const SCEV *index, const SCEV *high) {
    bool isStrict = ICmpInst::isLT(known.predicate);
    if ((!isStrict && !ICmpInst::isLE(known.predicate)) ||
        known.left->getType() != index->getType())
      return false;
    const SCEV *a = scev_.getSCEV(known.left), *b = scev_.getSCEV(known.right);
    if (CmpInst::isUnsigned(known.predicate) &&
        (!scev_.isKnownNonNegative(a) || !scev_.isKnownNonNegative(b)))
      return false;
    for (const SCEV *number : {index, high, a, b})
      if (!fitsWithoutOverflow(number))
        return false;
    // high - index minus b - a, where b - a is at least 1 (or 0 for <=).
    auto *difference = dyn_cast<SCEVConstant>(
        scev_.getMinusSCEV(scev_.getMinusSCEV(high, index), scev_.getMinusSCEV(b, a)));
    return difference && difference->getAPInt().sge(isStrict ? 0 : 1);
  }

  ScalarEvolution &scev_;
  LazyValueInfo &ranges_;
  DominatorTree &dominators_;
};

} // namespace

PreservedAnalyses RemoveChecks::run(Function &f, FunctionAnalysisManager &am) {
  SmallVector<CallInst *> checks, wraps;
  for (CallInst *call : simtCalls(f))
    if (isCheck(*call))
      checks.push_back(call);
    else if (isWrap(*call))
      wraps.push_back(call);
  if (checks.empty() && wraps.empty())
    return PreservedAnalyses::all();
  if (block[0])
    addExtentRanges(f, block);
  auto &dominators = am.getResult<DominatorTreeAnalysis>(f);
  BoundsProver prover(am.getResult<ScalarEvolutionAnalysis>(f), am.getResult<LazyValueAnalysis>(f),
                      dominators);

  llvm::Constant *nil = ConstantInt::get(Type::getInt64Ty(f.getContext()), 0);
  for (CallInst *wrap : wraps) {
    Value *index = wrap->getArgOperand(0);
    if (!prover.isAtLeast(index, nil, *wrap))
      continue;
    wrap->replaceAllUsesWith(index);
    wrap->eraseFromParent();
  }

  using Key = std::tuple<Value *, Value *, Value *, Value *>;
  DenseMap<Key, SmallVector<CallInst *, 2>> passed;
  for (CallInst *call : checks) {
    IndexCheck check = IndexCheck::of(*call);
    auto &equal = passed[{check.first, check.last, check.low, check.high}];
    bool known = any_of(equal, [&](CallInst *other) { return dominators.dominates(other, call); });
    if (!known && check.isSingleIndex()) {
      bool fromStart = prover.isAtLeast(check.first, nil, *call);
      if (fromStart && !isa<ConstantInt>(check.low))
        call->setArgOperand(IndexCheck::Low, nil);
      bool above = fromStart || prover.isAtLeast(check.first, check.low, *call);
      known = above && prover.isProvenBelow(check.first, check.high, *call);
    }
    if (known)
      call->eraseFromParent();
    else
      equal.push_back(call);
  }
  return PreservedAnalyses::allInSet<CFGAnalyses>();
}

} // namespace heddle::simt
