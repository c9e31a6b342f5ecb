#include "simt/check/filter/stop_wrong_masks.h"

#include "simt/analysis/divergence.h"
#include "simt/analysis/sync_points.h"
#include "simt/check/emit_stop.h"
#include "simt/ir/ops.h"
#include "simt/ir/thread_indices.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// Operands of all warp operations but simt.warp.active, and of shuffles.
enum Operand : unsigned { Mask = 1, Source = 3, Width = 4 };

class MaskChecks {
public:
  MaskChecks(CallInst &operation, const std::array<uint32_t, 3> &block)
      : operation_(operation), b_(&operation),
        hasFullWarps_(uint64_t(block[0]) * block[1] * block[2] % warpSize == 0),
        mask_(operation.getArgOperand(Mask)) {}

  /// `hasFullMask`: a constant that names all lanes.
  bool hasFullMask() const { return match(mask_, PatternMatch::m_AllOnes()); }

  void emitStopIfLaneMissing() {
    Value *active = call(b_, Op::WarpActive, {operation_.getArgOperand(0)});
    Value *missing = b_.CreateAnd(b_.CreateAnd(mask_, emitExistingLanes()), b_.CreateNot(active));
    emitStopIf(b_, b_.CreateIsNotNull(missing), "a lane of the mask is missing", operation_);
  }

  void emitStopIfSourceMissing() {
    if (hasFullWarps_ && hasFullMask())
      return;
    Value *lanes = b_.CreateAnd(mask_, emitExistingLanes());
    Value *isPresent = b_.CreateTrunc(b_.CreateLShr(lanes, emitSourceLane()), b_.getInt1Ty());
    emitStopIf(b_, b_.CreateNot(isPresent), "a shuffle reads from a missing lane", operation_);
  }

private:
  /// The lanes of the warp that the block has.
  Value *emitExistingLanes() {
    if (hasFullWarps_)
      return b_.getInt32(-1);
    // Of this warp and later ones.
    Value *left = b_.CreateSub(emitBlockThreadCount(b_),
                               b_.CreateSub(emitThreadInBlock(b_), call(b_, Op::LaneId, {})));
    Value *count = b_.CreateZExt(
        b_.CreateBinaryIntrinsic(Intrinsic::umin, left, b_.getInt32(warpSize)), b_.getInt64Ty());
    return b_.CreateTrunc(b_.CreateSub(b_.CreateShl(b_.getInt64(1), count), b_.getInt64(1)),
                          b_.getInt32Ty());
  }

  /// The lane whose value a shuffle reads (Warp::sourceLane).
  Value *emitSourceLane() {
    Value *lane = call(b_, Op::LaneId, {});
    Value *operand = b_.CreateAnd(operation_.getArgOperand(Source), warpSize - 1);
    Value *last = b_.CreateSub(operation_.getArgOperand(Width), b_.getInt32(1)); // of a segment
    Value *first = b_.CreateAnd(lane, b_.CreateNot(last));
    last = b_.CreateOr(first, last);
    switch (*calledOp(&operation_)) {
    case Op::ShuffleIndex:
      return b_.CreateOr(first, b_.CreateAnd(operand, b_.CreateSub(last, first)));
    case Op::ShuffleUp:
      return b_.CreateSelect(b_.CreateICmpUGE(lane, b_.CreateAdd(first, operand)),
                             b_.CreateSub(lane, operand), lane);
    case Op::ShuffleDown: {
      Value *source = b_.CreateAdd(lane, operand);
      return b_.CreateSelect(b_.CreateICmpULE(source, last), source, lane);
    }
    default: {
      Value *source = b_.CreateXor(lane, operand);
      return b_.CreateSelect(b_.CreateICmpULE(source, last), source, lane);
    }
    }
  }

  CallInst &operation_;
  IRBuilder<> b_;
  const bool hasFullWarps_;
  Value *const mask_;
};

} // namespace

PreservedAnalyses StopWrongMasks::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<CallInst *> operations;
  for (Instruction &i : instructions(f))
    if (isWarpOperation(i) && calledOp(&i) != Op::WarpBarrier && calledOp(&i) != Op::WarpActive)
      operations.push_back(cast<CallInst>(&i));
  if (operations.empty())
    return PreservedAnalyses::all();
  DivergenceAnalyses analyses(Neighbors::InOrder);
  auto &uniformity = analyses.functionAnalyses().getResult<UniformityInfoAnalysis>(f);
  auto &postDominators = analyses.functionAnalyses().getResult<PostDominatorTreeAnalysis>(f);
  auto mayBeSkipped = [&](const CallInst &operation) {
    return any_of(f, [&](const BasicBlock &branch) {
      return uniformity.hasDivergentTerminator(branch) &&
             !postDominators.dominates(operation.getParent(), &branch) &&
             isPotentiallyReachable(&branch, operation.getParent());
    });
  };
  for (CallInst *operation : operations) {
    MaskChecks checks(*operation, block);
    // A lane may also wait elsewhere if masks differ.
    if (mayBeSkipped(*operation) || !checks.hasFullMask())
      checks.emitStopIfLaneMissing();
    if (isShuffle(*operation))
      checks.emitStopIfSourceMissing();
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
