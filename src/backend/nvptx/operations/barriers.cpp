#include "backend/nvptx/operations/barriers.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr uint32_t blockBarrier = 0; // the one of a block's 16 barriers that __syncthreads() uses

Value *reduce(IRBuilderBase &b, Intrinsic::ID id, CallInst &call) {
  Value *result = b.CreateIntrinsic(id, {b.getInt32(blockBarrier), call.getArgOperand(1)});
  return b.CreateZExt(result, b.getInt32Ty());
}

/// Null when the call is neither a barrier of the block nor a fence nor a sleep.
Value *lowerBarrier(CallInst &call) {
  IRBuilder<> b(&call);
  switch (*simt::calledOp(&call)) {
  case simt::Op::Barrier:
    return b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                             {b.getInt32(blockBarrier)});
  case simt::Op::BarrierCount:
    return reduce(b, Intrinsic::nvvm_barrier_cta_red_popc_aligned_all, call);
  case simt::Op::BarrierAnd:
    return reduce(b, Intrinsic::nvvm_barrier_cta_red_and_aligned_all, call);
  case simt::Op::BarrierOr:
    return reduce(b, Intrinsic::nvvm_barrier_cta_red_or_aligned_all, call);
  case simt::Op::FenceBlock:
    return b.CreateIntrinsic(Intrinsic::nvvm_membar_cta, {});
  case simt::Op::FenceDevice:
    return b.CreateIntrinsic(Intrinsic::nvvm_membar_gl, {});
  case simt::Op::FenceSystem:
    return b.CreateIntrinsic(Intrinsic::nvvm_membar_sys, {});
  case simt::Op::Clock:
    return b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_clock64, {});
  case simt::Op::Yield: // the hardware does it
    return b.CreateIntrinsic(Intrinsic::donothing, {});
  case simt::Op::Sleep:
    return b.CreateIntrinsic(Intrinsic::nvvm_nanosleep, {call.getArgOperand(0)});
  default:
    return nullptr;
  }
}

} // namespace

PreservedAnalyses LowerBarriers::run(Function &f, FunctionAnalysisManager &) {
  return lowerCalls(f, lowerBarrier) ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
