#include "backend/nvptx/operations/barriers.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/analysis/sync_points.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr uint32_t blockBarrier = 0; // the barrier, of 16 per block, that __syncthreads() uses

/// The barriers that a warp may reach while diverged, or after some of its threads have returned.
SmallPtrSet<const CallInst *, 8> findDivergentBarriers(Function &f, FunctionAnalysisManager &am) {
  SmallPtrSet<const CallInst *, 8> found;
  if (none_of(instructions(f), simt::isBlockBarrier))
    return found;
  auto &uniformity = am.getResult<UniformityInfoAnalysis>(f);
  auto &postDominators = am.getResult<PostDominatorTreeAnalysis>(f);
  for (BasicBlock &block : f)
    if (uniformity.hasDivergentTerminator(block))
      for (const Instruction *barrier :
           simt::collectInstructionsBeforeJoin(block, postDominators, simt::isBlockBarrier))
        found.insert(cast<CallInst>(barrier));
  return found;
}

/// Counts the threads with a true predicate. "and" and "or" also use the count: ptxas 13.0 duplicates a bar.red.or into
/// a divergent branch that uses the result (sm_90), where a part of the warp waits for the rest of the block.
Value *emitBarrierCount(IRBuilderBase &b, Value *predicate, bool isAligned) {
  return b.CreateIntrinsic(isAligned ? Intrinsic::nvvm_barrier_cta_red_popc_aligned_all
                                     : Intrinsic::nvvm_barrier_cta_red_popc_all,
                           {b.getInt32(blockBarrier), predicate});
}

/// The threads for which a named barrier waits. The instruction for all threads of a block has no count.
Value *emitThreadsOfNamedBarrier(IRBuilderBase &b, Value *threads) {
  if (isa<ConstantInt>(threads))
    return threads;
  auto extent = [&](Intrinsic::ID id) { return b.CreateIntrinsic(id, {}); };
  Value *block = b.CreateMul(extent(Intrinsic::nvvm_read_ptx_sreg_ntid_x),
                             b.CreateMul(extent(Intrinsic::nvvm_read_ptx_sreg_ntid_y),
                                         extent(Intrinsic::nvvm_read_ptx_sreg_ntid_z)));
  Value *wholeWarps = b.CreateAnd(b.CreateAdd(block, b.getInt32(31)), ~31u);
  return b.CreateSelect(b.CreateIsNull(threads), wholeWarps, threads);
}

/// Named barriers may be anywhere, so the instructions are those that are not aligned.
Value *lowerNamedBarrier(CallInst &call) {
  IRBuilder<> b(&call);
  simt::Op op = *simt::calledOp(&call);
  SmallVector<Value *, 3> operands{call.getArgOperand(1)};
  auto *known = dyn_cast<ConstantInt>(call.getArgOperand(2));
  bool isForBlock = known && known->isZero();
  if (!isForBlock)
    operands.push_back(emitThreadsOfNamedBarrier(b, call.getArgOperand(2)));
  if (op == simt::Op::NamedBarrierCount)
    operands.push_back(call.getArgOperand(3));
  Intrinsic::ID id = op == simt::Op::NamedBarrierArrive ? Intrinsic::nvvm_barrier_cta_arrive_count
                     : op == simt::Op::NamedBarrierCount
                         ? (isForBlock ? Intrinsic::nvvm_barrier_cta_red_popc_all
                                       : Intrinsic::nvvm_barrier_cta_red_popc_count)
                     : isForBlock ? Intrinsic::nvvm_barrier_cta_sync_all
                                  : Intrinsic::nvvm_barrier_cta_sync_count;
  return b.CreateIntrinsic(id, operands);
}

/// Returns the replacement of a barrier, fence or sleep; null for other calls.
Value *lowerBarrierFenceClockOrSleep(CallInst &call, bool isAligned) {
  IRBuilder<> b(&call);
  switch (*simt::calledOp(&call)) {
  case simt::Op::NamedBarrier:
  case simt::Op::NamedBarrierCount:
  case simt::Op::NamedBarrierArrive:
    return lowerNamedBarrier(call);
  case simt::Op::Barrier:
    return b.CreateIntrinsic(isAligned ? Intrinsic::nvvm_barrier_cta_sync_aligned_all
                                       : Intrinsic::nvvm_barrier_cta_sync_all,
                             {b.getInt32(blockBarrier)});
  case simt::Op::BarrierCount:
    return emitBarrierCount(b, call.getArgOperand(1), isAligned);
  case simt::Op::BarrierAnd:
    return b.CreateZExt(
        b.CreateIsNull(emitBarrierCount(b, b.CreateNot(call.getArgOperand(1)), isAligned)),
        b.getInt32Ty());
  case simt::Op::BarrierOr:
    return b.CreateZExt(b.CreateIsNotNull(emitBarrierCount(b, call.getArgOperand(1), isAligned)),
                        b.getInt32Ty());
  case simt::Op::FenceBlock:
    return b.CreateIntrinsic(Intrinsic::nvvm_membar_cta, {});
  case simt::Op::FenceDevice:
    return b.CreateIntrinsic(Intrinsic::nvvm_membar_gl, {});
  case simt::Op::FenceSystem:
    return b.CreateIntrinsic(Intrinsic::nvvm_membar_sys, {});
  case simt::Op::Clock:
    return b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_clock64, {});
  case simt::Op::Yield: // the hardware schedules other warps anyway
    return b.CreateIntrinsic(Intrinsic::donothing, {});
  case simt::Op::Sleep:
    return b.CreateIntrinsic(Intrinsic::nvvm_nanosleep, {call.getArgOperand(0)});
  default:
    return nullptr;
  }
}

} // namespace

PreservedAnalyses LowerBarriers::run(Function &f, FunctionAnalysisManager &am) {
  SmallPtrSet<const CallInst *, 8> divergent = findDivergentBarriers(f, am);
  auto lower = [&](CallInst &call) {
    return lowerBarrierFenceClockOrSleep(call, !divergent.contains(&call));
  };
  return lowerOperationCalls(f, lower) ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
