#include "backend/cpu/prepare/check_warp_masks.h"

#include "backend/cpu/abi/block_context.h"
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

/// The mask operand; null if it is the mask of active lanes.
Value *explicitMaskOf(const CallInst &operation) {
  Value *mask = operation.arg_size() > 1 ? operation.getArgOperand(1) : nullptr;
  return mask && simt::calledOp(mask) != simt::Op::WarpActive ? mask : nullptr;
}

bool includesAllLanes(const Value &mask) {
  const auto *constant = dyn_cast<ConstantInt>(&mask);
  return constant && constant->isMinusOne();
}

/// Returns a synchronization point that a thread reaches from `begin`; null if the thread may return without one.
CallInst *findUnavoidableSyncPoint(BasicBlock &begin) {
  SmallVector<BasicBlock *, 16> worklist{&begin};
  SmallPtrSet<BasicBlock *, 16> seen{&begin};
  CallInst *first = nullptr;
  while (!worklist.empty()) {
    BasicBlock *block = worklist.pop_back_val();
    auto syncPoint = find_if(*block, simt::isSyncPoint);
    if (syncPoint != block->end()) {
      first = cast<CallInst>(&*syncPoint);
      continue;
    }
    if (isa<ReturnInst>(block->getTerminator()))
      return nullptr;
    for (BasicBlock *next : successors(block))
      if (seen.insert(next).second)
        worklist.push_back(next);
  }
  return first;
}

/// Inserts a trap with a WarpMaskError before `operation`, for lanes where `stops` holds. All lanes vote together, so
/// they stay converged.
void insertTrapIf(Value *stops, CallInst &operation, Value *other, uint64_t otherSide) {
  IRBuilder<> b(&operation);
  Value *site = operation.getArgOperand(0), *mask = explicitMaskOf(operation);
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
  simt::call(b, simt::Op::TrapIndex, {site, b.CreateOr(index, otherSide), wide(mask)});
}

uint64_t encodeSyncPointSite(const CallInst &syncPoint) {
  uint64_t site = cast<ConstantInt>(syncPoint.getArgOperand(0))->getZExtValue();
  return site << WarpMaskError::otherSiteBit | uint64_t(!simt::isWarpOperation(syncPoint))
                                                   << WarpMaskError::barrierBit;
}

/// The synchronization point at which lanes on the other side of a branch may wait; null if there is none.
struct OtherSide {
  const CallInst *syncPoint = nullptr;
  BasicBlock *commonBlock = nullptr; ///< last block that lanes of both sides have run together
};

void insertMaskChecks(CallInst &operation, const OtherSide &otherSide) {
  Value *mask = explicitMaskOf(operation);
  IRBuilder<> b(&operation);
  Value *lane = simt::call(b, simt::Op::LaneId, {});
  if (!includesAllLanes(*mask)) {
    Value *own = b.CreateAnd(mask, b.CreateShl(b.getInt32(1), lane));
    insertTrapIf(b.CreateIsNull(own), operation, b.getInt32(WarpMaskError::ownMask), 0);
  }
  if (!otherSide.syncPoint)
    return;
  Value *site = operation.getArgOperand(0);
  b.SetInsertPoint(otherSide.commonBlock->getTerminator());
  Value *before = simt::call(b, simt::Op::WarpActive, {site});
  b.SetInsertPoint(&operation);
  Value *active = simt::call(b, simt::Op::WarpActive, {site});
  Value *missing = b.CreateAnd(b.CreateAnd(mask, before), b.CreateNot(active));
  Value *first = b.CreateBinaryIntrinsic(Intrinsic::cttz, missing, b.getFalse());
  insertTrapIf(b.CreateIsNotNull(missing), operation, first,
               encodeSyncPointSite(*otherSide.syncPoint));
}

/// Returns true if `operation` is reachable from `side` within the same iteration of their loop.
bool isInSameIteration(BasicBlock &side, BasicBlock &operation, const Loop &loop) {
  BasicBlock *header = loop.getHeader();
  SmallPtrSet<BasicBlock *, 1> excluded{header};
  return &side != header && &operation != header &&
         isPotentiallyReachable(&side, &operation, &excluded);
}

/// The last block that the lanes at `operation` and the lanes on the other side of `branch` leave together: the nearest
/// common dominator, outside loops that the lanes exit in different iterations.
BasicBlock *findBlockBeforeDivergence(BasicBlock &branch, BasicBlock &side, BasicBlock &operation,
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

/// Finds warp operations on one side of a divergent branch, with the point where lanes on the other side wait, unless
/// those may have returned.
void findDivergedOperations(BasicBlock &branch, const PostDominatorTree &postDominators,
                            const DominatorTree &tree, const LoopInfo &loops,
                            MapVector<CallInst *, OtherSide> &found) {
  const auto *node = postDominators.getNode(&branch);
  const BasicBlock *end = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  for (BasicBlock *side : successors(&branch)) {
    CallInst *otherSide = nullptr;
    for (BasicBlock *other : successors(&branch))
      if (other != side)
        otherSide = findUnavoidableSyncPoint(*other);
    if (!otherSide || side == end)
      continue;
    df_iterator_default_set<BasicBlock *, 32> seen;
    if (end)
      seen.insert(const_cast<BasicBlock *>(end));
    for (BasicBlock *block : depth_first_ext(side, seen))
      for (Instruction &i : *block)
        if (simt::isWarpOperation(i) && explicitMaskOf(cast<CallInst>(i)))
          found[cast<CallInst>(&i)] = {
              otherSide, findBlockBeforeDivergence(branch, *side, *block, tree, loops)};
  }
}

} // namespace

void insertWarpMaskChecks(Function &kernel, simt::DivergenceAnalyses &analyses) {
  MapVector<CallInst *, OtherSide> operations;
  for (Instruction &i : instructions(kernel))
    if (simt::isWarpOperation(i))
      if (Value *mask = explicitMaskOf(cast<CallInst>(i)); mask && !includesAllLanes(*mask))
        operations[cast<CallInst>(&i)] = {};
  FunctionAnalysisManager &known = analyses.functionAnalyses();
  auto &uniformity = known.getResult<UniformityInfoAnalysis>(kernel);
  auto &tree = known.getResult<DominatorTreeAnalysis>(kernel);
  auto &loops = known.getResult<LoopAnalysis>(kernel);
  auto &postDominators = known.getResult<PostDominatorTreeAnalysis>(kernel);
  for (BasicBlock &block : kernel)
    if (uniformity.hasDivergentTerminator(block))
      findDivergedOperations(block, postDominators, tree, loops, operations);
  for (auto [operation, otherSide] : operations)
    insertMaskChecks(*operation, otherSide);
}

} // namespace heddle::cpu
