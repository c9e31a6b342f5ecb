#include "backend/cpu/prepare/check_warp_masks.h"

#include "backend/cpu/blocks/block_context.h"
#include "simt/analysis/sync_points.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// The mask that the program gives; null where it is that of the lanes that run the operation.
Value *maskOf(const CallInst &operation) {
  Value *mask = operation.arg_size() > 1 ? operation.getArgOperand(1) : nullptr;
  return mask && simt::calledOp(mask) != simt::Op::WarpActive ? mask : nullptr;
}

bool namesAll(const Value &mask) {
  const auto *constant = dyn_cast<ConstantInt>(&mask);
  return constant && constant->isMinusOne();
}

/// A meeting that a thread comes to from `begin` on; null where it may return without one.
CallInst *firstMeeting(BasicBlock &begin) {
  SmallVector<BasicBlock *, 16> rest{&begin};
  SmallPtrSet<BasicBlock *, 16> seen{&begin};
  CallInst *first = nullptr;
  while (!rest.empty()) {
    BasicBlock *block = rest.pop_back_val();
    auto meeting = find_if(*block, simt::isSyncPoint);
    if (meeting != block->end()) {
      first = cast<CallInst>(&*meeting);
      continue;
    }
    if (isa<ReturnInst>(block->getTerminator()))
      return nullptr;
    for (BasicBlock *next : successors(block))
      if (seen.insert(next).second)
        rest.push_back(next);
  }
  return first;
}

/// Stops the kernel at `operation` with what WarpMaskError says if a lane finds that it `stops`. All lanes that run it ask together:
/// so they stay together behind it.
void stopIf(Value *stops, CallInst &operation, Value *other, uint64_t elsewhere) {
  IRBuilder<> b(&operation);
  Value *site = operation.getArgOperand(0), *mask = maskOf(operation);
  Value *active = simt::call(b, simt::Op::WarpActive, {site});
  Value *stopping = simt::call(b, simt::Op::WarpBallot, {site, active, stops});
  Instruction *end = SplitBlockAndInsertIfThen(b.CreateIsNotNull(stopping), operation.getIterator(),
                                               /*Unreachable=*/false);
  b.SetInsertPoint(end);
  b.SetCurrentDebugLocation(operation.getDebugLoc());
  Value *lane = b.CreateBinaryIntrinsic(Intrinsic::cttz, stopping, b.getTrue());
  if (!isa<Constant>(mask))
    mask = simt::call(b, simt::Op::ShuffleIndex, {site, active, mask, lane, b.getInt32(warpSize)});
  auto wide = [&](Value *v) { return b.CreateZExt(v, b.getInt64Ty()); };
  Value *index = b.CreateOr(wide(lane), b.CreateShl(wide(other), WarpMaskError::otherBit));
  simt::call(b, simt::Op::TrapIndex, {site, b.CreateOr(index, elsewhere), wide(mask)});
}

uint64_t placeOf(const CallInst &meeting) {
  uint64_t site = cast<ConstantInt>(meeting.getArgOperand(0))->getZExtValue();
  return site << WarpMaskError::otherSiteBit | uint64_t(!simt::isWarpOperation(meeting))
                                                   << WarpMaskError::barrierBit;
}

/// Where lanes that do not come to an operation may wait; null: nowhere.
struct Elsewhere {
  const CallInst *meeting = nullptr;
  BasicBlock *together =
      nullptr; ///< which the lanes that come and those that do not have left together
};

void check(CallInst &operation, const Elsewhere &elsewhere) {
  Value *mask = maskOf(operation);
  IRBuilder<> b(&operation);
  Value *lane = simt::call(b, simt::Op::LaneId, {});
  if (!namesAll(*mask)) {
    Value *own = b.CreateAnd(mask, b.CreateShl(b.getInt32(1), lane));
    stopIf(b.CreateIsNull(own), operation, b.getInt32(WarpMaskError::ownMask), 0);
  }
  if (!elsewhere.meeting)
    return;
  Value *site = operation.getArgOperand(0);
  b.SetInsertPoint(elsewhere.together->getTerminator());
  Value *before = simt::call(b, simt::Op::WarpActive, {site});
  b.SetInsertPoint(&operation);
  Value *active = simt::call(b, simt::Op::WarpActive, {site});
  Value *missing = b.CreateAnd(b.CreateAnd(mask, before), b.CreateNot(active));
  Value *first = b.CreateBinaryIntrinsic(Intrinsic::cttz, missing, b.getFalse());
  stopIf(b.CreateIsNotNull(missing), operation, first, placeOf(*elsewhere.meeting));
}

/// Returns whether a thread comes from `side` to `operation` in the same iteration of the loop around both.
bool isInSameIteration(BasicBlock &side, BasicBlock &operation, const Loop &loop) {
  SmallPtrSet<BasicBlock *, 1> header{loop.getHeader()};
  return &side != loop.getHeader() && isPotentiallyReachable(&side, &operation, &header);
}

/// The last block that the lanes at `operation` and those that part from them at `branch` leave together: the nearest
/// common dominator, but outside of each loop that the lanes leave in different iterations.
BasicBlock *togetherBefore(BasicBlock &branch, BasicBlock &side, BasicBlock &operation,
                           const DominatorTree &tree, const LoopInfo &loops) {
  auto beforeLoop = [&](const Loop &loop) {
    return tree.getNode(loop.getHeader())->getIDom()->getBlock();
  };
  BasicBlock *block = tree.findNearestCommonDominator(&branch, &operation);
  Loop *around = loops.getLoopFor(block);
  if (around && around->contains(&operation) && !isInSameIteration(side, operation, *around))
    block = beforeLoop(*around);
  for (Loop *loop = loops.getLoopFor(block); loop && !loop->contains(&operation);
       loop = loops.getLoopFor(block))
    block = beforeLoop(*loop);
  return block;
}

/// Operations on one side of a divergent branch, and where the lanes on the other side wait, unless they may have returned.
void findApart(BasicBlock &branch, const PostDominatorTree &postDominators,
               const DominatorTree &tree, const LoopInfo &loops,
               MapVector<CallInst *, Elsewhere> &found) {
  const auto *node = postDominators.getNode(&branch);
  const BasicBlock *end = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  for (BasicBlock *side : successors(&branch)) {
    CallInst *elsewhere = nullptr;
    for (BasicBlock *other : successors(&branch))
      if (other != side)
        elsewhere = firstMeeting(*other);
    if (!elsewhere || side == end)
      continue;
    df_iterator_default_set<BasicBlock *, 32> seen;
    if (end)
      seen.insert(const_cast<BasicBlock *>(end));
    for (BasicBlock *block : depth_first_ext(side, seen))
      for (Instruction &i : *block)
        if (simt::isWarpOperation(i) && maskOf(cast<CallInst>(i)))
          found[cast<CallInst>(&i)] = {elsewhere,
                                       togetherBefore(branch, *side, *block, tree, loops)};
  }
}

} // namespace

void checkWarpMasks(Function &kernel, simt::DivergenceAnalyses &analyses) {
  MapVector<CallInst *, Elsewhere> operations;
  for (Instruction &i : instructions(kernel))
    if (simt::isWarpOperation(i))
      if (Value *mask = maskOf(cast<CallInst>(i)); mask && !namesAll(*mask))
        operations[cast<CallInst>(&i)] = {};
  FunctionAnalysisManager &known = analyses.functions();
  auto &uniformity = known.getResult<UniformityInfoAnalysis>(kernel);
  auto &tree = known.getResult<DominatorTreeAnalysis>(kernel);
  auto &loops = known.getResult<LoopAnalysis>(kernel);
  auto &postDominators = known.getResult<PostDominatorTreeAnalysis>(kernel);
  for (BasicBlock &block : kernel)
    if (uniformity.hasDivergentTerminator(block))
      findApart(block, postDominators, tree, loops, operations);
  for (auto [operation, elsewhere] : operations)
    check(*operation, elsewhere);
}

} // namespace heddle::cpu
