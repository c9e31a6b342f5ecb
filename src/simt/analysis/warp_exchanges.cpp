#include "simt/analysis/warp_exchanges.h"

#include "simt/analysis/sync_points.h"
#include "simt/ir/thread_indices.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Returns the shift of `x << n`, which C++ defines as `n < 32 ? x << n : 0`.
const BinaryOperator *matchGuardedShift(const Value &value) {
  const Value *shift = &value;
  if (const auto *choice = dyn_cast<SelectInst>(&value))
    shift =
        match(choice->getTrueValue(), m_Zero()) ? choice->getFalseValue() : choice->getTrueValue();
  const auto *found = dyn_cast<BinaryOperator>(shift);
  return found && found->isShift() ? found : nullptr;
}

bool dependsOnRow(const Polynomial &form) {
  return any_of(form.terms(), [](const auto &term) {
    return any_of(term.first, [](const Value *leaf) { return isRowIndex(opOfLeaf(*leaf)); });
  });
}

} // namespace

/// Returns true for the distance in a loop such as `for (int k = 16; k > 0; k /= 2)`, and for `1 << d` where a loop
/// counts `d`.
bool WarpExchanges::isHalvedOrDoubled(const Value &value) const {
  BinaryOperator *next;
  Value *first, *factor;
  if (const auto *phi = dyn_cast<PHINode>(&value))
    return matchSimpleRecurrence(phi, next, first, factor) &&
           (next->isShift() || next->isIntDivRem() || next->getOpcode() == Instruction::Mul);
  const BinaryOperator *shift = matchGuardedShift(value);
  if (!shift || !isa<ConstantInt>(shift->getOperand(0)))
    return false;
  Value *count = shift->getOperand(1);
  match(count, m_ZExtOrSExt(m_Value(count)));
  return isa<SCEVAddRecExpr>(evolution_.getSCEV(count));
}

/// The distance of the accesses in elements, if such a loop counts it; else null.
const Instruction *WarpExchanges::findReductionDistance(const SharedAccess &first,
                                                        const SharedAccess &second) const {
  Polynomial distance = second.form - first.form;
  std::optional<std::pair<Monomial, int64_t>> term = distance.singleTerm();
  if (!term || distance.constant() != 0 || term->first.size() != 1)
    return nullptr;
  bool isPerThread = std::abs(term->second) == std::abs(first.stride().value_or(0));
  const Value &elements = *term->first[0];
  return isPerThread && isHalvedOrDoubled(elements) ? cast<Instruction>(&elements) : nullptr;
}

SmallVector<SharedAccess, 0> collectSharedAccesses(const Accesses &accesses) {
  SmallVector<SharedAccess, 0> all;
  for (const Access &access : accesses.all())
    if (access.isShared()) // volatile accesses use generic addresses
      all.push_back({access, accesses.forms().of(access.address())});
  return all;
}

ReachableWithoutBarrier::ReachableWithoutBarrier(BasicBlock::const_iterator begin,
                                                 ArrayRef<Instruction *> stops) {
  SmallVector<const BasicBlock *, 8> worklist;
  auto walk = [&](BasicBlock::const_iterator from, const BasicBlock &block) {
    for (const Instruction &next : make_range(from, block.end())) {
      if (isSyncPoint(next))
        barriers.push_back(&next);
      if (isSyncPoint(next) || is_contained(stops, &next))
        return;
      if (getLoadStorePointerOperand(&next))
        accesses.insert(&next);
    }
    append_range(worklist, successors(&block));
  };
  walk(begin, *begin->getParent());
  while (!worklist.empty()) {
    const BasicBlock *block = worklist.pop_back_val();
    if (blocks.insert(block).second)
      walk(block->begin(), *block);
  }
}

bool WarpExchanges::accessesNearbyThread(const SharedAccess &first,
                                         const SharedAccess &second) const {
  if (first.object != second.object || !first.hasPerThreadAddress() ||
      first.stride() != second.stride())
    return false;
  Polynomial distance = second.form - first.form;
  int64_t stride = *first.stride();
  if (distance.isConstant())
    return distance.constant() != 0 && distance.constant() % stride == 0 &&
           std::abs(distance.constant() / stride) < warpSize;
  ConstantRange range = valueRangeOf(distance);
  // Past the loop, its counter equals the bound.
  APInt maxDistance(range.getBitWidth(), uint64_t(std::abs(stride)) * warpSize);
  bool small = !range.isFullSet() && range.getSignedMin().sge(-maxDistance) &&
               range.getSignedMax().sle(maxDistance);
  return small || any_of(distance.terms(), [&](const auto &term) {
           return term.first.size() == 1 && isHalvedOrDoubled(*term.first[0]);
         });
}

ConstantRange WarpExchanges::valueRangeOf(const Polynomial &form) const {
  constexpr unsigned bits = 64;
  auto number = [](int64_t n) {
    return ConstantRange(APInt(bits, uint64_t(n), /*isSigned=*/true));
  };
  ConstantRange sum = number(0);
  for (const auto &[monomial, factor] : form.terms()) {
    ConstantRange product = number(factor);
    for (const Value *value : monomial) {
      std::optional<Op> op = opOfLeaf(*value);
      if (op ? !info(*op).bound : !value->getType()->isIntegerTy())
        return ConstantRange::getFull(bits);
      ConstantRange range =
          op ? ConstantRange(APInt(bits, 0), APInt(bits, info(*op).bound))
             : evolution_.getSignedRange(evolution_.getSCEV(const_cast<Value *>(value)));
      product = product.smul_fast(range.sextOrTrunc(bits));
    }
    sum = sum.add(product);
  }
  return sum;
}

bool WarpExchanges::isTreeReductionStep(const SharedAccess &first, const SharedAccess &second,
                                        ArrayRef<Instruction *> barriers) const {
  const Instruction *k = findReductionDistance(first, second);
  return k && isGuardedBelow(*k, first.block()) && isGuardedBelow(*k, second.block()) &&
         !(ReachableWithoutBarrier(*first.instruction, barriers).blocks.contains(k->getParent()) &&
           ReachableWithoutBarrier(*k, barriers).accesses.contains(second.instruction));
}

/// Returns true if only threads with an index less than `k` reach the block, where the index increases with the thread.
bool WarpExchanges::isGuardedBelow(const Instruction &k, const BasicBlock &block) const {
  return anyImpliedComparison(block, dominators_, [&](const Comparison &c, const BasicBlock &) {
    return ICmpInst::isLT(c.predicate) && c.right == &k && alongX_.of(*c.left).value_or(0) > 0;
  });
}

bool WarpExchanges::mayAliasOtherLane(const SharedAccess &first, const SharedAccess &second) const {
  if (first.object != second.object)
    return false;
  if (neverOverlapInWarp(first, second))
    return false;
  Polynomial distance = second.form - first.form;
  std::optional<SingleThread> one = guards_.singleThreadAt(first.block());
  std::optional<SingleThread> other = guards_.singleThreadAt(second.block());
  if (one && other && *one == *other)
    return false;
  if (isUniformAlongX(distance))
    return first.stride() == 0 ? !first.isLoad() && dependsOnLaneOrder(first, second)
                               : (one || other) && accessesNearbyThread(first, second);
  return !(one && isSameAddressForThread(*one, second, first)) &&
         !(other && isSameAddressForThread(*other, first, second));
}

bool WarpExchanges::mayShareElement(const SharedAccess &first, const SharedAccess &second) const {
  if (first.object != second.object || (!guards_.hasRows() && neverOverlapInWarp(first, second)))
    return false;
  bool isOwnElement = first.form == second.form && first.hasPerThreadAddress() &&
                      (!guards_.hasRows() || dependsOnRow(first.form));
  return !isOwnElement || changesInCommonLoop(first, second);
}

/// Returns true if the first access's address changes with the thread in a way that differs between the iterations of a
/// loop around both.
bool WarpExchanges::changesInCommonLoop(const SharedAccess &first,
                                        const SharedAccess &second) const {
  auto changes = [&](const Value *v) {
    const auto *i = dyn_cast<Instruction>(v);
    for (const Loop *loop = first.loop; i && loop; loop = loop->getParentLoop())
      if (loop->contains(i) && loop->contains(second.instruction))
        return true;
    return false;
  };
  return any_of(collectThreadTerms(first.form).terms(),
                [&](const auto &term) { return any_of(term.first, changes); });
}

/// Returns true if the result of two accesses to one address depends on the order of lanes: one lane reads what others
/// have written last, or overwrites what others write before.
bool WarpExchanges::dependsOnLaneOrder(const SharedAccess &store,
                                       const SharedAccess &second) const {
  const Value &stored = *cast<StoreInst>(store.instruction)->getValueOperand();
  return second.isLoad() ? alongX_.of(stored) != 0 ||
                               !guards_.threadsOfOneReachOther(second.block(), store.block())
                         : !guards_.threadsOfOneReachOther(store.block(), second.block());
}

/// Returns true if lanes that differ only along x have the same value, in the same iterations of loops. Strides that
/// cancel do not suffice: they are estimates.
bool WarpExchanges::isUniformAlongX(const Polynomial &form) const {
  return collectThreadTerms(form).terms().empty();
}

/// Returns the terms that may differ between lanes, as functions of the thread and of loop counters.
Polynomial WarpExchanges::collectThreadTerms(const Polynomial &form) const {
  PolynomialBuilder forms = accesses_.forms();
  Polynomial expanded = form;
  expanded.replaceTerms([&](const Monomial &monomial, int64_t factor) -> std::optional<Polynomial> {
    const auto *phi = monomial.size() == 1 ? dyn_cast<PHINode>(monomial[0]) : nullptr;
    std::optional<Polynomial> induction = phi ? forms.ofInductionVariable(*phi) : std::nullopt;
    return induction ? std::optional(induction->times(factor)) : std::nullopt;
  });
  auto variesInWarp = [&](const Value *v) {
    std::optional<Op> op = opOfLeaf(*v);
    return op == Op::ThreadIdX || op == Op::LaneId || alongX_.of(*v) != 0;
  };
  return expanded
      .splitTerms([&](const Monomial &monomial) { return any_of(monomial, variesInWarp); })
      .first;
}

/// Returns true if no two lanes touch the same bytes in the two accesses.
bool WarpExchanges::neverOverlapInWarp(const SharedAccess &first,
                                       const SharedAccess &second) const {
  Polynomial ofFirst = collectThreadTerms(first.form), ofSecond = collectThreadTerms(second.form);
  ConstantRange range = valueRangeOf(second.form - ofSecond - (first.form - ofFirst))
                            .add(valueRangeOf(ofSecond))
                            .sub(valueRangeOf(ofFirst));
  auto bytes = [&](const SharedAccess &access) {
    return APInt(range.getBitWidth(), uint64_t(access.bytes()));
  };
  return range.getSignedMin().sge(bytes(first)) || range.getSignedMax().sle(-bytes(second));
}

/// Returns true if the single thread of one access has the same address in the other: `if (t == 0) out = sums[0]`.
bool WarpExchanges::isSameAddressForThread(const SingleThread &one, const SharedAccess &allThreads,
                                           const SharedAccess &singleThread) const {
  PolynomialBuilder forms = accesses_.forms();
  Polynomial number = forms.of(*one.index), address = allThreads.form;
  std::optional<std::pair<Monomial, int64_t>> thread = number.singleTerm();
  if (!isa<ConstantInt>(one.value) || !thread || thread->first.size() != 1 || thread->second != 1)
    return false;
  Polynomial index = forms.of(*one.value) - Polynomial::term({}, number.constant());
  address.replaceTerms([&](const Monomial &monomial, int64_t factor) {
    return monomial == thread->first ? std::optional(index.times(factor)) : std::nullopt;
  });
  return address == singleThread.form;
}

} // namespace heddle::simt
