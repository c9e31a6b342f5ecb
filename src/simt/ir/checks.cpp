#include "simt/ir/checks.h"

#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

std::optional<unsigned> boundsParameterOf(const Argument &pointer) {
  Attribute bounds =
      pointer.getParent()->getAttributes().getParamAttr(pointer.getArgNo(), boundsAttribute);
  unsigned number;
  if (!bounds.isValid() || bounds.getValueAsString().getAsInteger(10, number))
    return std::nullopt;
  return number;
}

IndexCheck IndexCheck::of(const CallBase &call) {
  return {call.getArgOperand(Site), call.getArgOperand(First), call.getArgOperand(Last),
          call.getArgOperand(Step), call.getArgOperand(Low),   call.getArgOperand(High)};
}

void emitCheck(IRBuilderBase &b, unsigned site, Value *failed) {
  Value *number = b.CreateZExt(failed, b.getInt64Ty()), *nil = b.getInt64(0);
  call(b, Op::CheckIndex, {b.getInt32(site), number, number, nil, nil, b.getInt64(1)});
}

Value *emitOutOfBoundsTest(IRBuilderBase &b, Value *index, Value *low, Value *high) {
  if (match(low, m_Zero()))
    return b.CreateICmpUGE(index, high);
  return b.CreateICmpUGE(b.CreateSub(index, low), b.CreateSub(high, low));
}

Value *emitEmptyRangeTest(IRBuilderBase &b, Value *first, Value *last, Value *step) {
  Value *nil = Constant::getNullValue(step->getType());
  Value *isBefore = b.CreateSelect(b.CreateICmpSGT(step, nil), b.CreateICmpSLT(last, first),
                                   b.CreateICmpSGT(last, first));
  Value *isNext = b.CreateICmpEQ(b.CreateAdd(last, step), first);
  return b.CreateAnd(b.CreateOr(isBefore, isNext), b.CreateICmpNE(step, nil));
}

Value *emitFailureTest(IRBuilderBase &b, const IndexCheck &check) {
  Value *atFirst = emitOutOfBoundsTest(b, check.first, check.low, check.high);
  if (check.isSingleIndex())
    return atFirst;
  Value *out = b.CreateOr(atFirst, emitOutOfBoundsTest(b, check.last, check.low, check.high));
  return b.CreateAnd(out, b.CreateNot(emitEmptyRangeTest(b, check.first, check.last, check.step)));
}

Value *emitMayFailTest(IRBuilderBase &b, ArrayRef<IndexCheck> checks, bool &isExact) {
  MinimumExtents<std::pair<Value *, Value *>> extents; // by the smallest and the largest index
  Value *any = nullptr;
  isExact = true;
  auto add = [&](Value *out) { any = any ? b.CreateOr(any, out) : out; };
  for (const IndexCheck &check : checks) {
    auto *step = dyn_cast<ConstantInt>(check.step);
    if (!check.isSingleIndex() && (!step || step->isZero())) {
      add(emitFailureTest(b, check));
      continue;
    }
    isExact &= check.isSingleIndex() && match(check.low, m_Zero());
    auto ends = std::pair(check.first, check.last);
    if (step && step->isNegative())
      std::swap(ends.first, ends.second);
    extents.add(b, ends, check.high);
  }
  for (auto &[ends, extent] : extents) {
    auto [low, high] = ends;
    if (low == high) {
      add(b.CreateICmpUGE(high, extent));
      continue;
    }
    // If `low` >= 0, then `high` >= 0, and the difference does not overflow.
    Value *slack = b.CreateSub(b.CreateSub(extent, b.getInt64(1)), high);
    add(b.CreateICmpSLT(b.CreateOr(low, slack), b.getInt64(0)));
  }
  return any;
}

Value *emitFirstOutOfBounds(IRBuilderBase &b, const IndexCheck &check) {
  if (check.isSingleIndex())
    return check.first;
  Value *nil = b.getInt64(0), *one = b.getInt64(1);
  Value *up = b.CreateICmpSGT(check.step, nil);
  Value *size = b.CreateBinaryIntrinsic(
      Intrinsic::umax, b.CreateSelect(up, check.step, b.CreateNeg(check.step)), one);
  Value *reach = b.CreateSelect(up, b.CreateSub(check.high, check.first),
                                b.CreateAdd(b.CreateSub(check.first, check.low), one));
  // Rounded up: the number of steps that leave the range.
  Value *steps = b.CreateAdd(b.CreateUDiv(b.CreateSub(reach, one), size), one);
  Value *outside = b.CreateAdd(check.first, b.CreateMul(steps, check.step));
  return b.CreateSelect(emitOutOfBoundsTest(b, check.first, check.low, check.high), check.first,
                        outside);
}

} // namespace heddle::simt
