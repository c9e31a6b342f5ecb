#include "simt/ir/thread_indices.h"

#include "simt/ir/ops.h"

namespace heddle::simt {

using namespace llvm;

Value *emitThreadInBlock(IRBuilderBase &b) {
  Value *plane = b.CreateAdd(call(b, Op::ThreadIdY, {}),
                             b.CreateMul(call(b, Op::BlockDimY, {}), call(b, Op::ThreadIdZ, {})));
  return b.CreateAdd(call(b, Op::ThreadIdX, {}), b.CreateMul(call(b, Op::BlockDimX, {}), plane));
}

Value *emitBlockThreadCount(IRBuilderBase &b) {
  return b.CreateMul(call(b, Op::BlockDimX, {}),
                     b.CreateMul(call(b, Op::BlockDimY, {}), call(b, Op::BlockDimZ, {})));
}

} // namespace heddle::simt
