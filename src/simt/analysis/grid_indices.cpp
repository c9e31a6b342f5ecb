#include "simt/analysis/grid_indices.h"

#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

Value *stripExtensions(Value *v) {
  while (isa<ZExtInst, SExtInst>(v))
    v = cast<CastInst>(v)->getOperand(0);
  return v;
}

namespace {

bool isCallOfOperation(Value *v, Op op) { return calledOp(stripExtensions(v)) == op; }

} // namespace

bool isProductOfOperations(Value *v, Op a, Op b) {
  Value *x, *y;
  if (!match(stripExtensions(v), m_Mul(m_Value(x), m_Value(y))))
    return false;
  return (isCallOfOperation(x, a) && isCallOfOperation(y, b)) ||
         (isCallOfOperation(x, b) && isCallOfOperation(y, a));
}

Value *findBlockStartOfGridIndex(Value &v, Op block) {
  Value *x, *y;
  if (!match(&v, m_Add(m_Value(x), m_Value(y))))
    return nullptr;
  if (isCallOfOperation(x, Op::ThreadIdX))
    std::swap(x, y);
  return isCallOfOperation(y, Op::ThreadIdX) && isProductOfOperations(x, block, Op::BlockDimX)
             ? x
             : nullptr;
}

} // namespace heddle::simt
