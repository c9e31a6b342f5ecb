#include "simt/ir/checks.h"

#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

IndexCheck IndexCheck::of(const CallBase &call) {
  return {call.getArgOperand(Site), call.getArgOperand(First), call.getArgOperand(Last),
          call.getArgOperand(Step), call.getArgOperand(Low),   call.getArgOperand(High)};
}

Value *isOutside(IRBuilderBase &b, Value *index, Value *low, Value *high) {
  if (match(low, m_Zero()))
    return b.CreateICmpUGE(index, high);
  return b.CreateICmpUGE(b.CreateSub(index, low), b.CreateSub(high, low));
}

Value *fails(IRBuilderBase &b, const IndexCheck &check) {
  Value *atFirst = isOutside(b, check.first, check.low, check.high);
  return check.isOfOneIndex()
             ? atFirst
             : b.CreateOr(atFirst, isOutside(b, check.last, check.low, check.high));
}

Value *firstOutside(IRBuilderBase &b, const IndexCheck &check) {
  if (check.isOfOneIndex())
    return check.first;
  Value *nil = b.getInt64(0), *one = b.getInt64(1);
  Value *up = b.CreateICmpSGT(check.step, nil);
  Value *size = b.CreateBinaryIntrinsic(
      Intrinsic::umax, b.CreateSelect(up, check.step, b.CreateNeg(check.step)), one);
  Value *reach = b.CreateSelect(up, b.CreateSub(check.high, check.first),
                                b.CreateAdd(b.CreateSub(check.first, check.low), one));
  // Rounded up: the steps that lead out of the range.
  Value *steps = b.CreateAdd(b.CreateUDiv(b.CreateSub(reach, one), size), one);
  Value *outside = b.CreateAdd(check.first, b.CreateMul(steps, check.step));
  return b.CreateSelect(isOutside(b, check.first, check.low, check.high), check.first, outside);
}

} // namespace heddle::simt
