#include "backend/nvptx/operations/warps.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#pragma GCC diagnostic error "-Wswitch" // for simt::WarpOp

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr unsigned firstWithRedux = 80; // PTX ISA 9.0, redux.sync

Value *maskOperandOf(CallInst &call) { return call.getArgOperand(1); }
Value *valueOperandOf(CallInst &call) { return call.getArgOperand(2); }

// Votes and matches.

Value *emitVote(IRBuilderBase &b, Intrinsic::ID id, CallInst &call) {
  return b.CreateIntrinsic(id, {maskOperandOf(call), valueOperandOf(call)});
}

bool is64Bit(CallInst &call) { return valueOperandOf(call)->getType()->isIntegerTy(64); }

Value *emitMatchAny(IRBuilderBase &b, CallInst &call) {
  return emitVote(
      b, is64Bit(call) ? Intrinsic::nvvm_match_any_sync_i64 : Intrinsic::nvvm_match_any_sync_i32,
      call);
}

Value *emitMatchAll(IRBuilderBase &b, CallInst &call) {
  Value *both = emitVote(
      b, is64Bit(call) ? Intrinsic::nvvm_match_all_sync_i64p : Intrinsic::nvvm_match_all_sync_i32p,
      call);
  return b.CreateExtractValue(both, 0);
}

// Shuffles.

/// Emits a shuffle of 32 bits, or two of them for a 64-bit value.
Value *emitShuffle(IRBuilderBase &b, Intrinsic::ID id, Value *mask, Value *value, Value *lane,
                   Value *clamp) {
  auto part = [&](Value *v) -> Value * { return b.CreateIntrinsic(id, {mask, v, lane, clamp}); };
  if (value->getType()->isIntegerTy(32))
    return part(value);
  Value *low = part(b.CreateTrunc(value, b.getInt32Ty()));
  Value *high = part(b.CreateTrunc(b.CreateLShr(value, 32), b.getInt32Ty()));
  Value *shifted = b.CreateShl(b.CreateZExt(high, b.getInt64Ty()), 32);
  return b.CreateOr(shifted, b.CreateZExt(low, b.getInt64Ty()));
}

/// `last`: 31 if a segment is limited by its last lane, 0 if by its first (PTX ISA 9.0, shfl.sync).
Value *emitShuffle(IRBuilderBase &b, Intrinsic::ID id, CallInst &call, unsigned last) {
  Value *pieces = b.CreateShl(b.CreateSub(b.getInt32(32), call.getArgOperand(4)), 8);
  Value *clamp = b.CreateOr(pieces, last);
  return emitShuffle(b, id, maskOperandOf(call), valueOperandOf(call), call.getArgOperand(3),
                     clamp);
}

// Reductions.

/// A reduction's combining instruction or intrinsic, and the hardware instruction for all lanes.
struct Reduction {
  Instruction::BinaryOps instruction;
  Intrinsic::ID intrinsic;
  Intrinsic::ID redux;
};

Value *emitReductionStep(IRBuilderBase &b, const Reduction &how, Value *x, Value *y) {
  if (how.intrinsic != Intrinsic::not_intrinsic)
    return b.CreateBinaryIntrinsic(how.intrinsic, x, y);
  return b.CreateBinOp(how.instruction, x, y);
}

/// Every participating lane reads the value of each lane in order:
///
///     rest = ballot(mask, true); total = value of rest's first lane
///     while rest &= rest - 1: total = combine(total, value of rest's first lane)
Value *emitReductionLoop(CallInst &call, const Reduction &how) {
  BasicBlock *before = call.getParent();
  BasicBlock *after = SplitBlock(before, &call);
  BasicBlock *loop = BasicBlock::Create(call.getContext(), "lane", call.getFunction(), after);
  BasicBlock *more = BasicBlock::Create(call.getContext(), "more", call.getFunction(), after);

  IRBuilder<> b(before->getTerminator());
  b.SetCurrentDebugLocation(call.getDebugLoc());
  Value *mask = maskOperandOf(call), *value = valueOperandOf(call);
  auto showFirst = [&](Value *rest) {
    Value *lane = b.CreateBinaryIntrinsic(Intrinsic::cttz, rest, b.getTrue());
    return emitShuffle(b, Intrinsic::nvvm_shfl_sync_idx_i32, mask, value, lane, b.getInt32(31));
  };
  Value *lanes = b.CreateIntrinsic(Intrinsic::nvvm_vote_ballot_sync, {mask, b.getTrue()});
  Value *first = showFirst(lanes);
  b.CreateBr(loop);
  before->getTerminator()->eraseFromParent();

  b.SetInsertPoint(loop);
  PHINode *rest = b.CreatePHI(b.getInt32Ty(), 2);
  PHINode *total = b.CreatePHI(value->getType(), 2);
  Value *next = b.CreateAnd(rest, b.CreateSub(rest, b.getInt32(1)));
  b.CreateCondBr(b.CreateICmpEQ(next, b.getInt32(0)), after, more);

  b.SetInsertPoint(more);
  Value *sum = emitReductionStep(b, how, total, showFirst(next));
  b.CreateBr(loop);
  rest->addIncoming(lanes, before);
  rest->addIncoming(next, more);
  total->addIncoming(first, before);
  total->addIncoming(sum, more);
  return total;
}

/// Returns the replacement of a warp operation; null for other calls.
Value *lowerWarpOperation(CallInst &call, unsigned sm) {
  using enum simt::WarpOp;
  if (!simt::isWarpOperation(call))
    return nullptr;
  IRBuilder<> b(&call);
  auto reduce = [&](const Reduction &how) -> Value * {
    if (call.getType()->isIntegerTy(32) && sm >= firstWithRedux)
      return b.CreateIntrinsic(how.redux, {valueOperandOf(call), maskOperandOf(call)});
    return emitReductionLoop(call, how);
  };
  auto combineWith = [&](Instruction::BinaryOps instruction, Intrinsic::ID redux) {
    return reduce({instruction, Intrinsic::not_intrinsic, redux});
  };
  auto combineBy = [&](Intrinsic::ID intrinsic, Intrinsic::ID redux) {
    return reduce({Instruction::BinaryOps(0), intrinsic, redux});
  };
  switch (simt::toWarpOp(*simt::calledOp(&call))) {
  case WarpBarrier:
    return b.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {maskOperandOf(call)});
  case WarpActive:
    return b.CreateIntrinsic(Intrinsic::nvvm_activemask, {});
  case WarpBallot:
    return emitVote(b, Intrinsic::nvvm_vote_ballot_sync, call);
  case WarpAll:
    return emitVote(b, Intrinsic::nvvm_vote_all_sync, call);
  case WarpAny:
    return emitVote(b, Intrinsic::nvvm_vote_any_sync, call);
  case WarpEqual:
    return emitVote(b, Intrinsic::nvvm_vote_uni_sync, call);
  case WarpMatchAny:
    return emitMatchAny(b, call);
  case WarpMatchAll:
    return emitMatchAll(b, call);
  case ShuffleIndex:
    return emitShuffle(b, Intrinsic::nvvm_shfl_sync_idx_i32, call, 31);
  case ShuffleUp:
    return emitShuffle(b, Intrinsic::nvvm_shfl_sync_up_i32, call, 0);
  case ShuffleDown:
    return emitShuffle(b, Intrinsic::nvvm_shfl_sync_down_i32, call, 31);
  case ShuffleXor:
    return emitShuffle(b, Intrinsic::nvvm_shfl_sync_bfly_i32, call, 31);
  case WarpAdd:
    return combineWith(Instruction::Add, Intrinsic::nvvm_redux_sync_add);
  case WarpMin:
    return combineBy(Intrinsic::smin, Intrinsic::nvvm_redux_sync_min);
  case WarpMax:
    return combineBy(Intrinsic::smax, Intrinsic::nvvm_redux_sync_max);
  case WarpUMin:
    return combineBy(Intrinsic::umin, Intrinsic::nvvm_redux_sync_umin);
  case WarpUMax:
    return combineBy(Intrinsic::umax, Intrinsic::nvvm_redux_sync_umax);
  case WarpAnd:
    return combineWith(Instruction::And, Intrinsic::nvvm_redux_sync_and);
  case WarpOr:
    return combineWith(Instruction::Or, Intrinsic::nvvm_redux_sync_or);
  case WarpXor:
    return combineWith(Instruction::Xor, Intrinsic::nvvm_redux_sync_xor);
  }
  llvm_unreachable("not a warp operation");
}

} // namespace

PreservedAnalyses LowerWarps::run(Function &f, FunctionAnalysisManager &) {
  bool changed =
      lowerOperationCalls(f, [&](CallInst &call) { return lowerWarpOperation(call, sm); });
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
