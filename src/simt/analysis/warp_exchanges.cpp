#include "simt/analysis/warp_exchanges.h"

#include "simt/analysis/grid_indices.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr int64_t warpSize = 32;

/// Returns true for the distance in a loop such as `for (int k = 16; k > 0; k /= 2)`.
bool isHalvedOrDoubled(const SCEV *value) {
  const auto *unknown = dyn_cast<SCEVUnknown>(value);
  auto *phi = unknown ? dyn_cast<PHINode>(unknown->getValue()) : nullptr;
  BinaryOperator *next;
  Value *first, *factor;
  return phi && matchSimpleRecurrence(phi, next, first, factor) &&
         (next->isShift() || next->isIntDivRem() || next->getOpcode() == Instruction::Mul);
}

/// The element index before extension; null for other addresses.
Value *indexOf(const SharedAccess &access) {
  auto *address = dyn_cast<GetElementPtrInst>(getLoadStorePointerOperand(access.instruction));
  if (!address || address->getNumIndices() == 0 ||
      address->getResultElementType() != getLoadStoreType(access.instruction))
    return nullptr;
  return stripExtensions(address->getOperand(address->getNumOperands() - 1));
}

} // namespace

bool WarpExchanges::accessesNearbyThread(const SharedAccess &first,
                                         const SharedAccess &second) const {
  if (first.object != second.object || !first.hasPerThreadAddress() ||
      first.stride() != second.stride())
    return false;
  const SCEV *difference = addresses_.distance(*first.sum, *second.sum);
  if (!difference)
    return false;
  int64_t stride = *first.stride();
  if (const auto *constant = dyn_cast<SCEVConstant>(difference)) {
    int64_t bytes = constant->getAPInt().getSExtValue();
    return bytes != 0 && bytes % stride == 0 && std::abs(bytes / stride) < warpSize;
  }
  ConstantRange range = evolution_.getSignedRange(difference);
  // Past the loop, its counter equals the bound.
  APInt maxDistance(range.getBitWidth(), uint64_t(std::abs(stride)) * warpSize);
  bool small = !range.isFullSet() && range.getSignedMin().sge(-maxDistance) &&
               range.getSignedMax().sle(maxDistance);
  return small || SCEVExprContains(difference, isHalvedOrDoubled);
}

bool WarpExchanges::isTreeReductionStep(const SharedAccess &first, const SharedAccess &second,
                                        const ReachableWithoutBarrier &next) const {
  PHINode *k = findReductionDistance(first, second);
  return k && isGuardedBelow(*k, *first.instruction) && isGuardedBelow(*k, *second.instruction) &&
         !(next.blocks.contains(k->getParent()) &&
           ReachableWithoutBarrier(*k).accesses.contains(second.instruction));
}

/// The distance of the accesses in elements, if such a loop counts it; else null.
PHINode *WarpExchanges::findReductionDistance(const SharedAccess &first,
                                              const SharedAccess &second) const {
  Value *a = indexOf(first), *b = indexOf(second), *k;
  if (a && b &&
      (match(a, m_c_Add(m_Specific(b), m_Value(k))) ||
       match(b, m_c_Add(m_Specific(a), m_Value(k)))))
    return isHalvedOrDoubled(evolution_.getSCEV(k)) ? cast<PHINode>(k) : nullptr;
  const SCEV *difference = evolution_.getMinusSCEV(second.sum, first.sum);
  const auto *bytes = dyn_cast<SCEVMulExpr>(difference);
  const auto *size = bytes ? dyn_cast<SCEVConstant>(bytes->getOperand(0)) : nullptr;
  if (!size || bytes->getNumOperands() != 2 ||
      size->getAPInt().abs() != uint64_t(std::abs(*first.stride())))
    return nullptr;
  const SCEV *elements = bytes->getOperand(1);
  while (const auto *cast = dyn_cast<SCEVCastExpr>(elements))
    elements = cast->getOperand();
  return isHalvedOrDoubled(elements) ? cast<PHINode>(cast<SCEVUnknown>(elements)->getValue())
                                     : nullptr;
}

/// Returns true if only threads with an index less than `k` reach `i`, where the index increases with the thread.
bool WarpExchanges::isGuardedBelow(const PHINode &k, const Instruction &i) const {
  return any_of(k.users(), [&](const User *user) {
    CmpPredicate predicate;
    Value *index;
    const auto *compare = dyn_cast<ICmpInst>(user);
    if (!compare || !match(compare, m_c_ICmp(predicate, m_Value(index), m_Specific(&k))) ||
        addresses_.strideOf(*index).value_or(0) <= 0)
      return false;
    bool below = predicate == ICmpInst::ICMP_SLT || predicate == ICmpInst::ICMP_ULT;
    bool notBelow = predicate == ICmpInst::ICMP_SGE || predicate == ICmpInst::ICMP_UGE;
    return (below || notBelow) && any_of(compare->users(), [&](const User *branch) {
             const auto *br = dyn_cast<BranchInst>(branch);
             return br && dominators_.dominates({br->getParent(), br->getSuccessor(!below)},
                                                i.getParent());
           });
  });
}

bool WarpExchanges::mayAliasOtherLane(const SharedAccess &first, const SharedAccess &second) const {
  if (first.object != second.object)
    return false;
  const SCEV *distance = addresses_.distance(*first.sum, *second.sum);
  if (!distance || neverOverlap(*distance, first, second))
    return false;
  std::optional<SingleThread> one = guards_.singleThreadAt(first.block());
  std::optional<SingleThread> other = guards_.singleThreadAt(second.block());
  if (one && other && *one == *other)
    return false;
  if (addresses_.isUniformAlongX(*distance))
    return first.stride() == 0 ? one && !first.isLoad()
                               : (one || other) && accessesNearbyThread(first, second);
  return !(one && isSameAddressForThread(*one, second, first)) &&
         !(other && isSameAddressForThread(*other, first, second));
}

/// Returns true if the two accesses never overlap.
bool WarpExchanges::neverOverlap(const SCEV &distance, const SharedAccess &first,
                                 const SharedAccess &second) const {
  ConstantRange range = evolution_.getSignedRange(&distance);
  const DataLayout &layout = first.instruction->getDataLayout();
  auto bytes = [&](const SharedAccess &access) {
    return APInt(range.getBitWidth(),
                 layout.getTypeStoreSize(getLoadStoreType(access.instruction)).getFixedValue());
  };
  return range.getSignedMin().sge(bytes(first)) || range.getSignedMax().sle(-bytes(second));
}

/// Returns true if the single thread of one access has the same address in the other: `if (t == 0) out = sums[0]`.
bool WarpExchanges::isSameAddressForThread(const SingleThread &one, const SharedAccess &allThreads,
                                           const SharedAccess &singleThread) const {
  const SCEV *number = evolution_.getSCEV(one.index);
  while (const auto *cast = dyn_cast<SCEVIntegralCastExpr>(number))
    number = cast->getOperand();
  const auto *variable = dyn_cast<SCEVUnknown>(number);
  const auto *which = dyn_cast<ConstantInt>(one.value);
  if (!variable || !which)
    return false;
  ValueToSCEVMapTy numbers{
      {variable->getValue(), evolution_.getConstant(variable->getType(), which->getSExtValue())}};
  return SCEVParameterRewriter::rewrite(allThreads.sum, evolution_, numbers) == singleThread.sum;
}

} // namespace heddle::simt
