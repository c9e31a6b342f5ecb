#include "backend/nvptx/operations/indices.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

/// The intrinsic that reads the special register for `op`; not_intrinsic if `op` is not an index.
Intrinsic::ID specialRegisterIntrinsic(simt::Op op) {
  switch (op) {
  case simt::Op::ThreadIdX:
    return Intrinsic::nvvm_read_ptx_sreg_tid_x;
  case simt::Op::ThreadIdY:
    return Intrinsic::nvvm_read_ptx_sreg_tid_y;
  case simt::Op::ThreadIdZ:
    return Intrinsic::nvvm_read_ptx_sreg_tid_z;
  case simt::Op::BlockIdX:
    return Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
  case simt::Op::BlockIdY:
    return Intrinsic::nvvm_read_ptx_sreg_ctaid_y;
  case simt::Op::BlockIdZ:
    return Intrinsic::nvvm_read_ptx_sreg_ctaid_z;
  case simt::Op::BlockDimX:
    return Intrinsic::nvvm_read_ptx_sreg_ntid_x;
  case simt::Op::BlockDimY:
    return Intrinsic::nvvm_read_ptx_sreg_ntid_y;
  case simt::Op::BlockDimZ:
    return Intrinsic::nvvm_read_ptx_sreg_ntid_z;
  case simt::Op::GridDimX:
    return Intrinsic::nvvm_read_ptx_sreg_nctaid_x;
  case simt::Op::GridDimY:
    return Intrinsic::nvvm_read_ptx_sreg_nctaid_y;
  case simt::Op::GridDimZ:
    return Intrinsic::nvvm_read_ptx_sreg_nctaid_z;
  case simt::Op::LaneId:
    return Intrinsic::nvvm_read_ptx_sreg_laneid;
  default:
    return Intrinsic::not_intrinsic;
  }
}

/// Returns the replacement of an index operation; null for other calls.
Value *lowerIndex(CallInst &call) {
  IRBuilder<> b(&call);
  simt::Op op = *simt::calledOp(&call);
  if (op == simt::Op::WarpSize)
    return b.getInt32(32);
  if (op == simt::Op::DynamicSharedSize) {
    Value *bytes = b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size, {});
    return b.CreateZExt(bytes, b.getInt64Ty(), "", /*IsNonNeg=*/true);
  }
  Intrinsic::ID id = specialRegisterIntrinsic(op);
  if (id == Intrinsic::not_intrinsic)
    return nullptr;
  CallInst *read = b.CreateIntrinsic(id, {});
  // The operation's range may be tighter, because it includes CUDA's launch limits.
  if (Attribute range = call.getRetAttr(Attribute::Range); range.isValid())
    read->addRetAttr(range);
  return read;
}

} // namespace

PreservedAnalyses LowerIndices::run(Function &f, FunctionAnalysisManager &) {
  return lowerOperationCalls(f, lowerIndex) ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
