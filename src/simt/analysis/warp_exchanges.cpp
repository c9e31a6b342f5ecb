#include "simt/analysis/warp_exchanges.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr int64_t warpSize = 32;

/// Returns true for the distance in a loop such as `for (int k = 16; k > 0; k /= 2)`.
bool isHalvedOrDoubled(const Value &value) {
  const auto *phi = dyn_cast<PHINode>(&value);
  BinaryOperator *next;
  Value *first, *factor;
  return phi && matchSimpleRecurrence(phi, next, first, factor) &&
         (next->isShift() || next->isIntDivRem() || next->getOpcode() == Instruction::Mul);
}

/// The distance of the accesses in elements, if such a loop counts it; else null.
const PHINode *findReductionDistance(const SharedAccess &first, const SharedAccess &second) {
  AffineForm distance = second.form - first.form;
  if (distance.constant != 0 || distance.factors.size() != 1)
    return nullptr;
  auto [elements, size] = distance.factors.front();
  bool isPerThread = std::abs(size) == std::abs(first.stride().value_or(0));
  return isPerThread && isHalvedOrDoubled(*elements) ? cast<PHINode>(elements) : nullptr;
}

} // namespace

bool WarpExchanges::accessesNearbyThread(const SharedAccess &first,
                                         const SharedAccess &second) const {
  if (first.object != second.object || !first.hasPerThreadAddress() ||
      first.stride() != second.stride())
    return false;
  AffineForm distance = second.form - first.form;
  int64_t stride = *first.stride();
  if (distance.isConstant())
    return distance.constant != 0 && distance.constant % stride == 0 &&
           std::abs(distance.constant / stride) < warpSize;
  ConstantRange range = rangeOf(distance);
  // Past the loop, its counter equals the bound.
  APInt maxDistance(range.getBitWidth(), uint64_t(std::abs(stride)) * warpSize);
  bool small = !range.isFullSet() && range.getSignedMin().sge(-maxDistance) &&
               range.getSignedMax().sle(maxDistance);
  return small ||
         any_of(distance.factors, [](const auto &part) { return isHalvedOrDoubled(*part.first); });
}

ConstantRange WarpExchanges::rangeOf(const AffineForm &form) const {
  constexpr unsigned bits = 64;
  ConstantRange sum(APInt(bits, uint64_t(form.constant), /*isSigned=*/true));
  for (auto [value, factor] : form.factors) {
    if (!value->getType()->isIntegerTy())
      return ConstantRange::getFull(bits);
    ConstantRange range = evolution_.getSignedRange(evolution_.getSCEV(const_cast<Value *>(value)));
    ConstantRange scale(APInt(bits, uint64_t(factor), /*isSigned=*/true));
    sum = sum.add(range.sextOrTrunc(bits).smul_fast(scale));
  }
  return sum;
}

bool WarpExchanges::isTreeReductionStep(const SharedAccess &first, const SharedAccess &second,
                                        const ReachableWithoutBarrier &next) const {
  const PHINode *k = findReductionDistance(first, second);
  return k && isGuardedBelow(*k, first.block()) && isGuardedBelow(*k, second.block()) &&
         !(next.blocks.contains(k->getParent()) &&
           ReachableWithoutBarrier(*k).accesses.contains(second.instruction));
}

/// Returns true if only threads with an index less than `k` reach the block, where the index increases with the thread.
bool WarpExchanges::isGuardedBelow(const PHINode &k, const BasicBlock &block) const {
  return anyImpliedComparison(block, dominators_, [&](const Comparison &c, const BasicBlock &) {
    return ICmpInst::isLT(c.predicate) && c.right == &k && alongX_.of(*c.left).value_or(0) > 0;
  });
}

bool WarpExchanges::mayAliasOtherLane(const SharedAccess &first, const SharedAccess &second) const {
  if (first.object != second.object)
    return false;
  AffineForm distance = second.form - first.form;
  if (neverOverlap(distance, first, second))
    return false;
  std::optional<SingleThread> one = guards_.singleThreadAt(first.block());
  std::optional<SingleThread> other = guards_.singleThreadAt(second.block());
  if (one && other && *one == *other)
    return false;
  if (isUniformAlongX(distance))
    return first.stride() == 0 ? one && !first.isLoad()
                               : (one || other) && accessesNearbyThread(first, second);
  return !(one && isSameAddressForThread(*one, second, first)) &&
         !(other && isSameAddressForThread(*other, first, second));
}

/// Returns true if lanes that differ only along x have the same value. Strides that cancel do not suffice: they are
/// estimates.
bool WarpExchanges::isUniformAlongX(AffineForm form) const {
  for (auto [value, factor] : AffineForm(form).factors) {
    const auto *counter = dyn_cast<PHINode>(value);
    BinaryOperator *next;
    Value *start, *step;
    if (!counter || !matchSimpleRecurrence(counter, next, start, step) ||
        next->getOpcode() != Instruction::Add || alongX_.of(*step) != 0)
      continue;
    AffineForm change = alongX_.formOf(*start);
    change.add(*counter, -1);
    form.add(change, factor);
  }
  return all_of(form.factors, [&](const auto &part) { return alongX_.of(*part.first) == 0; });
}

/// Returns true if the two accesses never overlap.
bool WarpExchanges::neverOverlap(const AffineForm &distance, const SharedAccess &first,
                                 const SharedAccess &second) const {
  ConstantRange range = rangeOf(distance);
  auto bytes = [&](const SharedAccess &access) {
    return APInt(range.getBitWidth(), uint64_t(access.bytes()));
  };
  return range.getSignedMin().sge(bytes(first)) || range.getSignedMax().sle(-bytes(second));
}

/// Returns true if the single thread of one access has the same address in the other: `if (t == 0) out = sums[0]`.
bool WarpExchanges::isSameAddressForThread(const SingleThread &one, const SharedAccess &allThreads,
                                           const SharedAccess &singleThread) const {
  AffineForm number = alongX_.formOf(*one.index), address = allThreads.form;
  const auto *which = dyn_cast<ConstantInt>(one.value);
  if (!which || number.factors.size() != 1 || number.factors.front().second != 1)
    return false;
  const Value &thread = *number.factors.front().first;
  AffineForm change;
  change.add(*which, 1);
  change.add(number, -1);
  address.add(change, address.factors.lookup(&thread));
  return address == singleThread.form;
}

} // namespace heddle::simt
