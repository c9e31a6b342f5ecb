#include "simt/check/filter/object_offsets.h"

#include "simt/ir/ops.h"

#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/Operator.h"

namespace heddle::simt {

using namespace llvm;

Value *emitOffset(IRBuilderBase &b, Value &address, Value &object) {
  SmallVector<GEPOperator *> steps;
  Value *from = address.stripPointerCasts(), *start = object.stripPointerCasts();
  while (auto *gep = dyn_cast<GEPOperator>(from)) {
    steps.push_back(gep);
    from = gep->getPointerOperand()->stripPointerCasts();
  }
  bool isDynamic =
      calledOp(from) == Op::DynamicShared && calledOp(start) == Op::DynamicShared; // the same
  Value *offset = b.getInt64(0);
  if (from != start && !isDynamic)
    offset = b.CreateSub(b.CreatePtrToInt(from, b.getInt64Ty()),
                         b.CreatePtrToInt(start, b.getInt64Ty()));
  const DataLayout &layout = b.GetInsertBlock()->getDataLayout();
  for (GEPOperator *gep : reverse(steps))
    offset = b.CreateAdd(offset, emitGEPOffset(&b, layout, gep));
  return offset;
}

} // namespace heddle::simt
