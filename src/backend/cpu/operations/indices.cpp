#include "backend/cpu/operations/indices.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/thread_context.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Emits each index value of a function once, at its entry.
class IndexValues {
public:
  explicit IndexValues(Function &f) : f(f), b(f.getContext()) {
    b.SetInsertPoint(entryInsertionPoint(f));
  }

  /// Returns null for an operation that is not an index.
  Value *getOrEmitIndex(simt::Op op) {
    if (auto it = emitted.find(op); it != emitted.end())
      return it->second;
    Value *v = emitIndexValue(op);
    if (v)
      emitted[op] = v;
    return v;
  }

private:
  Value *emitIndexValue(simt::Op op) {
    switch (op) {
    case simt::Op::ThreadIdX:
    case simt::Op::ThreadIdY:
    case simt::Op::ThreadIdZ:
      return emitThreadIndex(op);
    case simt::Op::BlockIdX:
    case simt::Op::BlockIdY:
    case simt::Op::BlockIdZ:
      return loadIndexField(op, offsetof(BlockContext, block), simt::Op::BlockIdX, 0);
    case simt::Op::BlockDimX:
    case simt::Op::BlockDimY:
    case simt::Op::BlockDimZ:
      return loadIndexField(op, offsetof(BlockContext, blockDim), simt::Op::BlockDimX, 1);
    case simt::Op::GridDimX:
    case simt::Op::GridDimY:
    case simt::Op::GridDimZ:
      return loadIndexField(op, offsetof(BlockContext, gridDim), simt::Op::GridDimX, 1);
    case simt::Op::DynamicSharedSize:
      return loadConstantField(b, contextOf(f), offsetof(BlockContext, dynamicShared),
                               b.getInt64Ty(), 0, simt::info(op).bound);
    case simt::Op::WarpSize:
      return b.getInt32(32);
    case simt::Op::LaneId:
      return emitLaneIndex();
    default:
      return nullptr;
    }
  }

  Value *loadIndexField(simt::Op op, size_t offset, simt::Op x, uint64_t min) {
    unsigned axis = unsigned(op) - unsigned(x);
    return loadConstantField(b, contextOf(f), offset + 4 * axis, b.getInt32Ty(), min,
                             simt::info(op).bound);
  }

  Value *emitThreadIndex(simt::Op op) {
    unsigned axis = unsigned(op) - unsigned(simt::Op::ThreadIdX);
    if (isKernel(f))
      return f.getArg(ThreadXArgument + axis);
    return loadField(b, contextOf(f), offsetof(BlockContext, thread) + 4 * axis, b.getInt32Ty());
  }

  Value *emitLaneIndex() {
    Value *rows =
        b.CreateNUWMul(getOrEmitIndex(simt::Op::ThreadIdZ), getOrEmitIndex(simt::Op::BlockDimY));
    rows = b.CreateNUWAdd(rows, getOrEmitIndex(simt::Op::ThreadIdY));
    Value *linear = b.CreateNUWMul(rows, getOrEmitIndex(simt::Op::BlockDimX));
    linear = b.CreateNUWAdd(linear, getOrEmitIndex(simt::Op::ThreadIdX));
    return b.CreateAnd(linear, 31);
  }

  Function &f;
  IRBuilder<> b;
  DenseMap<simt::Op, Value *> emitted;
};

} // namespace

PreservedAnalyses LowerIndices::run(Function &f, FunctionAnalysisManager &) {
  IndexValues indices(f);
  SmallVector<CallInst *, 8> lowered;
  for (CallInst *call : simtCalls(f)) {
    Value *v = indices.getOrEmitIndex(*simt::calledOp(call));
    if (!v)
      continue;
    call->replaceAllUsesWith(v);
    lowered.push_back(call);
  }
  // Erase last: the builder's insertion point may be one of them.
  for (CallInst *call : lowered)
    call->eraseFromParent();
  return lowered.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::cpu
