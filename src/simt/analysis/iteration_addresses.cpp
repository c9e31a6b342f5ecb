#include "simt/analysis/iteration_addresses.h"

#include "llvm/Analysis/ScalarEvolutionDivision.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

namespace heddle::simt {

using namespace llvm;

IterationAddresses::IterationAddresses(const Loop &loop, ScalarEvolution &evolution, Value *counter)
    : loop_(loop), evolution_(evolution), hasCounter_(counter) {
  if (!counter)
    return;
  const SCEV *number = evolution.getSCEV(counter);
  auto add = [&](const SCEV *value) {
    if (const auto *sum = dyn_cast<SCEVAddRecExpr>(value);
        sum && sum->getLoop() == &loop && sum->isAffine())
      counters_.push_back(sum);
  };
  add(number);
  Type *wide = Type::getInt64Ty(evolution.getContext());
  if (evolution.getTypeSizeInBits(number->getType()) < 64) {
    add(evolution.getSignExtendExpr(number, wide));
    add(evolution.getZeroExtendExpr(number, wide));
  }
}

const SCEV *IterationAddresses::of(const Value &pointer) const {
  const SCEV *address = evolution_.getSCEV(const_cast<Value *>(&pointer));
  return hasCounter_ ? byCounter(address) : address;
}

const SCEV *IterationAddresses::strideOf(const Value &pointer) const {
  const SCEV *address = of(pointer);
  return address ? strideIn(address) : nullptr;
}

const SCEV *IterationAddresses::strideIn(const SCEV *address) const {
  while (const auto *sum = dyn_cast<SCEVAddRecExpr>(address)) {
    const SCEV *step = sum->getStepRecurrence(evolution_);
    if (!sum->isAffine() || !evolution_.isLoopInvariant(step, &loop_))
      return nullptr;
    if (sum->getLoop() == &loop_)
      return step;
    address = sum->getStart();
  }
  return evolution_.isLoopInvariant(address, &loop_)
             ? evolution_.getZero(evolution_.getEffectiveSCEVType(address->getType()))
             : nullptr;
}

bool IterationAddresses::varies(const SCEV *value) const {
  return SCEVExprContains(value, [&](const SCEV *part) {
    const auto *sum = dyn_cast<SCEVAddRecExpr>(part);
    return sum && sum->getLoop() == &loop_;
  });
}

/// Writes a value as a recurrence that starts with its value for counter 0 and steps by the difference per unit of the
/// counter. ScalarEvolution must not simplify other operations on such recurrences, because it would assume that the
/// counter is the iteration's number.
const SCEV *IterationAddresses::byCounter(const SCEV *value) const {
  if (!varies(value))
    return value;
  if (const auto *extension = dyn_cast<SCEVIntegralCastExpr>(value))
    return extensionByCounter(*extension);
  if (const auto *sum = dyn_cast<SCEVAddRecExpr>(value))
    return recurrenceByCounter(*sum);
  if (!isa<SCEVAddExpr, SCEVMulExpr>(value))
    return nullptr;
  SmallVector<const SCEV *, 4> operands;
  for (const SCEV *operand : value->operands()) {
    operands.push_back(byCounter(operand));
    if (!operands.back())
      return nullptr;
  }
  return isa<SCEVAddExpr>(value) ? evolution_.getAddExpr(operands)
                                 : evolution_.getMulExpr(operands);
}

/// {first + start, +, 4 * step} is {first + start - 4 * begin, +, 4} for a counter {begin, +, step}.
const SCEV *IterationAddresses::recurrenceByCounter(const SCEVAddRecExpr &sum) const {
  const SCEV *step = sum.getStepRecurrence(evolution_);
  if (!sum.isAffine() || varies(step))
    return nullptr;
  if (sum.getLoop() != &loop_) {
    const SCEV *start = byCounter(sum.getStart());
    return start ? evolution_.getAddRecExpr(start, step, sum.getLoop(), SCEV::FlagAnyWrap)
                 : nullptr;
  }
  for (const SCEVAddRecExpr *counter : counters_) {
    const SCEV *scale = nullptr, *rest = nullptr;
    if (counter->getType() != step->getType())
      continue;
    SCEVDivision::divide(evolution_, step, counter->getStepRecurrence(evolution_), &scale, &rest);
    if (!rest->isZero() || !isa<SCEVConstant>(scale))
      continue;
    const SCEV *atBegin = evolution_.getMulExpr(scale, counter->getStart());
    return evolution_.getAddRecExpr(
        evolution_.getAddExpr(sum.getStart(), evolution_.getNegativeSCEV(atBegin)), scale, &loop_,
        SCEV::FlagAnyWrap);
  }
  return nullptr;
}

/// ext(start + counter) and ext(start - counter) differ for each counter, even if the sum wraps around.
const SCEV *IterationAddresses::extensionByCounter(const SCEVIntegralCastExpr &extension) const {
  const auto *sum = dyn_cast_or_null<SCEVAddRecExpr>(byCounter(extension.getOperand()));
  if (isa<SCEVTruncateExpr>(extension) || !sum || sum->getLoop() != &loop_ ||
      !(sum->getStepRecurrence(evolution_)->isOne() ||
        sum->getStepRecurrence(evolution_)->isAllOnesValue()))
    return nullptr;
  Type *type = extension.getType();
  const SCEV *start = isa<SCEVSignExtendExpr>(extension)
                          ? evolution_.getSignExtendExpr(sum->getStart(), type)
                          : evolution_.getZeroExtendExpr(sum->getStart(), type);
  const SCEV *step = evolution_.getSignExtendExpr(sum->getStepRecurrence(evolution_), type);
  return evolution_.getAddRecExpr(start, step, &loop_, SCEV::FlagAnyWrap);
}

} // namespace heddle::simt
