#include "simt/analysis/warp_exchanges.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr int64_t warpSize = 32;

/// Returns whether it is the distance in a loop such as `for (int k = 16; k > 0; k /= 2)`.
bool isHalvedOrDoubled(const SCEV *value) {
  const auto *unknown = dyn_cast<SCEVUnknown>(value);
  auto *phi = unknown ? dyn_cast<PHINode>(unknown->getValue()) : nullptr;
  BinaryOperator *next;
  Value *first, *factor;
  return phi && matchSimpleRecurrence(phi, next, first, factor) &&
         (next->isShift() || next->isIntDivRem() || next->getOpcode() == Instruction::Mul);
}

/// Returns an element's index before it is extended; null for an address of another form.
Value *indexOf(const SharedAccess &access) {
  auto *address = dyn_cast<GetElementPtrInst>(getLoadStorePointerOperand(access.instruction));
  if (!address || address->getNumIndices() == 0 ||
      address->getResultElementType() != getLoadStoreType(access.instruction))
    return nullptr;
  Value *index = address->getOperand(address->getNumOperands() - 1);
  while (isa<SExtInst, ZExtInst>(index))
    index = cast<CastInst>(index)->getOperand(0);
  return index;
}

} // namespace

bool WarpExchanges::areNeighbours(const SharedAccess &first, const SharedAccess &second) const {
  if (first.object != second.object || !first.isOwnPlace() || first.stride != second.stride)
    return false;
  const SCEV *difference = addresses_.distance(*first.address, *second.address);
  if (!difference)
    return false;
  int64_t stride = *first.stride;
  if (const auto *constant = dyn_cast<SCEVConstant>(difference)) {
    int64_t bytes = constant->getAPInt().getSExtValue();
    return bytes != 0 && bytes % stride == 0 && std::abs(bytes / stride) < warpSize;
  }
  ConstantRange range = evolution_.getSignedRange(difference);
  // A loop's counter is at its bound when the loop ends.
  APInt most(range.getBitWidth(), uint64_t(std::abs(stride)) * warpSize);
  bool small =
      !range.isFullSet() && range.getSignedMin().sge(-most) && range.getSignedMax().sle(most);
  return small || SCEVExprContains(difference, isHalvedOrDoubled);
}

bool WarpExchanges::areOfTwoHalves(const SharedAccess &first, const SharedAccess &second,
                                   const Followers &next) const {
  PHINode *k = halvedDistance(first, second);
  return k && isBelow(*k, *first.instruction) && isBelow(*k, *second.instruction) &&
         !(next.blocks.contains(k->getParent()) &&
           Followers(*k).accesses.contains(second.instruction));
}

/// Returns the distance of the places in elements if such a loop counts it; else null.
PHINode *WarpExchanges::halvedDistance(const SharedAccess &first,
                                       const SharedAccess &second) const {
  Value *a = indexOf(first), *b = indexOf(second), *k;
  if (a && b &&
      (match(a, m_c_Add(m_Specific(b), m_Value(k))) ||
       match(b, m_c_Add(m_Specific(a), m_Value(k)))))
    return isHalvedOrDoubled(evolution_.getSCEV(k)) ? cast<PHINode>(k) : nullptr;
  const SCEV *difference = evolution_.getMinusSCEV(second.address, first.address);
  const auto *bytes = dyn_cast<SCEVMulExpr>(difference);
  const auto *size = bytes ? dyn_cast<SCEVConstant>(bytes->getOperand(0)) : nullptr;
  if (!size || bytes->getNumOperands() != 2 ||
      size->getAPInt().abs() != uint64_t(std::abs(*first.stride)))
    return nullptr;
  const SCEV *elements = bytes->getOperand(1);
  while (const auto *cast = dyn_cast<SCEVCastExpr>(elements))
    elements = cast->getOperand();
  return isHalvedOrDoubled(elements) ? cast<PHINode>(cast<SCEVUnknown>(elements)->getValue())
                                     : nullptr;
}

/// Returns whether only threads whose number, or one that grows with it, is less than `k` come to `i`.
bool WarpExchanges::isBelow(const PHINode &k, const Instruction &i) const {
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
             const auto *jump = dyn_cast<BranchInst>(branch);
             return jump && dominators_.dominates({jump->getParent(), jump->getSuccessor(!below)},
                                                  i.getParent());
           });
  });
}

bool WarpExchanges::mayBeOfOtherLane(const SharedAccess &first, const SharedAccess &second) const {
  if (first.object != second.object)
    return false;
  const SCEV *distance = addresses_.distance(*first.address, *second.address);
  if (!distance || isBeyond(*distance, first, second))
    return false;
  std::optional<OneThread> one = guards_.oneThreadAt(first.block());
  std::optional<OneThread> other = guards_.oneThreadAt(second.block());
  if (one && other && *one == *other)
    return false;
  if (addresses_.isSameAlongX(*distance))
    return first.stride == 0 ? one && !first.isLoad()
                             : (one || other) && areNeighbours(first, second);
  return !(one && isOwnPlace(*one, second, first)) && !(other && isOwnPlace(*other, first, second));
}

/// Returns whether the places never overlap.
bool WarpExchanges::isBeyond(const SCEV &distance, const SharedAccess &first,
                             const SharedAccess &second) const {
  ConstantRange range = evolution_.getSignedRange(&distance);
  const DataLayout &layout = first.instruction->getDataLayout();
  auto bytes = [&](const SharedAccess &access) {
    return APInt(range.getBitWidth(),
                 layout.getTypeStoreSize(getLoadStoreType(access.instruction)).getFixedValue());
  };
  return range.getSignedMin().sge(bytes(first)) || range.getSignedMax().sle(-bytes(second));
}

/// Returns whether the one thread that comes to `its` accesses the same place by `ofAll`: `if (t == 0) out = sums[0]`.
bool WarpExchanges::isOwnPlace(const OneThread &one, const SharedAccess &ofAll,
                               const SharedAccess &its) const {
  const SCEV *number = evolution_.getSCEV(one.number);
  while (const auto *cast = dyn_cast<SCEVIntegralCastExpr>(number))
    number = cast->getOperand();
  const auto *variable = dyn_cast<SCEVUnknown>(number);
  const auto *which = dyn_cast<ConstantInt>(one.which);
  if (!variable || !which)
    return false;
  ValueToSCEVMapTy numbers{
      {variable->getValue(), evolution_.getConstant(variable->getType(), which->getSExtValue())}};
  return SCEVParameterRewriter::rewrite(ofAll.address, evolution_, numbers) == its.address;
}

} // namespace heddle::simt
