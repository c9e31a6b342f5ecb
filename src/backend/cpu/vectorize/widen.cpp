#include "backend/cpu/vectorize/widen.h"

#include "backend/cpu/math/lower_math.h"
#include "backend/cpu/math/vector_math.h"
#include "backend/cpu/math/vector_variants.h"
#include "backend/cpu/vectorize/can_widen.h"
#include "backend/cpu/vectorize/interleave_locals.h"
#include "backend/cpu/vectorize/lanes/accesses.h"
#include "backend/cpu/vectorize/lanes/atomics.h"
#include "backend/cpu/vectorize/lanes/calls.h"
#include "backend/cpu/vectorize/lanes/checks.h"
#include "backend/cpu/vectorize/lanes/placeholders.h"
#include "backend/cpu/vectorize/lanes/warps.h"
#include "backend/cpu/vectorize/structurize.h"
#include "simt/ir/checks.h"

#include "llvm/ADT/PostOrderIterator.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

class Widener {
public:
  Widener(Function &f, const ThreadGroups &groups, const LaneShapes &shapes, AAResults &aliases)
      : f(f), width(groups.width), shapes(shapes), b(f.getContext()), laneCalls(f, width),
        laneChecks(f, width), threads(f, groups), values(f, width, shapes, b),
        masks(f, groups, shapes, values, threads, b), strides(f, shapes, values, width, aliases),
        accesses{values, shapes, masks, strides, b} {}

  void run() {
    SmallVector<BasicBlock *> order;
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&f))
      order.push_back(block);
    for (BasicBlock *block : order)
      widenBlock(*block);
    completePhis();
    eraseWidened();
    laneCalls.replacePlaceholders();
    laneChecks.replacePlaceholders();
  }

private:
  void setInsertPoint(Instruction &i) {
    b.SetInsertPoint(&i);
    b.SetCurrentDebugLocation(i.getDebugLoc());
  }

  void widenBlock(BasicBlock &block) {
    SmallVector<Instruction *> instructions;
    for (Instruction &i : block)
      instructions.push_back(&i);
    Value *mask = masks.createMask(block);
    for (Instruction *i : instructions)
      if (!i->isTerminator())
        widenInstruction(*i, mask);
    if (const DivergentBranch *branch = shapes.divergentBranchOf(block))
      masks.widenBranch(block, *branch);
  }

  void widenInstruction(Instruction &i, Value *mask) {
    if (auto *phi = dyn_cast<PHINode>(&i)) {
      if (values.isVarying(i))
        return widenPhi(*phi);
      replaceUndefByKeptValue(*phi);
      return dropPoisonFlagsForLaneZero(i);
    }
    if (auto *alloca = dyn_cast<AllocaInst>(&i)) {
      if (!interleavedElementBytes(*alloca))
        alloca->setAllocatedType(ArrayType::get(alloca->getAllocatedType(), width));
      return;
    }
    setInsertPoint(i);
    if (auto *call = dyn_cast<CallInst>(&i))
      return widenCall(*call, mask);
    if (auto *load = dyn_cast<LoadInst>(&i)) {
      if (Value *loaded = accesses.widenLoad(*load, mask))
        setVectorAndQueueErase(i, loaded);
      return;
    }
    if (auto *store = dyn_cast<StoreInst>(&i)) {
      if (accesses.widenStore(*store, mask))
        erased.push_back(&i);
      return;
    }
    if (!values.isVarying(i))
      return dropPoisonFlagsForLaneZero(i);
    setVectorAndQueueErase(i, values.emitVector(i, mask));
  }

  /// Keeps the scalar as lane 0's value. Lane 0 may be inactive, so poison-generating flags and metadata are dropped.
  void dropPoisonFlagsForLaneZero(Instruction &i) {
    auto differs = [&](const Value &v) {
      return shapes.shapeOf(v).isStrided() || shapes.shapeOf(v).hasRuntimeStride();
    };
    if (differs(i) || any_of(i.operands(), [&](Use &u) { return differs(*u.get()); }))
      i.dropPoisonGeneratingAnnotations();
  }

  /// Lanes that skip a block keep their value; if the block leaves it undefined, a scalar phi uses the kept value on
  /// both paths.
  void replaceUndefByKeptValue(PHINode &phi) {
    const BasicBlock *from = masks.branchJoiningAt(*phi.getParent());
    if (!from)
      return;
    Value *kept = phi.getIncomingValueForBlock(from);
    for (Use &incoming : phi.incoming_values())
      if (isa<UndefValue>(incoming))
        incoming.set(kept);
  }

  void widenPhi(PHINode &phi) {
    BasicBlock &block = *phi.getParent();
    if (const BasicBlock *latch = masks.latchExitingTo(block))
      if (Value *value = trackLoopResult(phi, *latch))
        return setVectorAndQueueErase(phi, value);
    b.SetInsertPoint(&block, block.begin());
    b.SetCurrentDebugLocation(phi.getDebugLoc());
    PHINode *made = b.CreatePHI(values.vectorType(phi.getType()), phi.getNumIncomingValues());
    const BasicBlock *from = masks.branchJoiningAt(block);
    if (!from) {
      pendingPhis.push_back({&phi, made});
      return setVectorAndQueueErase(phi, made);
    }
    Value *skipped = nullptr;
    for (auto [before, v] : zip(phi.blocks(), phi.incoming_values())) {
      bool around = before == from;
      made->addIncoming(around ? PoisonValue::get(made->getType()) : values.vector(v), before);
      if (around)
        skipped = values.vector(v);
    }
    if (isa<UndefValue>(skipped))
      return setVectorAndQueueErase(phi, made);
    b.SetInsertPoint(block.getFirstInsertionPt());
    setVectorAndQueueErase(phi, b.CreateSelect(masks.takenLanes(*from), made, skipped));
  }

  /// Widens a phi after a loop that lanes exit in different iterations: each lane gets the value of its last iteration.
  /// Returns null if the value is defined before the loop.
  Value *trackLoopResult(PHINode &phi, const BasicBlock &latchOfLoop) {
    auto &latch = const_cast<BasicBlock &>(latchOfLoop);
    Loop &loop = *shapes.divergentBranchOf(latch)->loop;
    auto *inside = dyn_cast<Instruction>(phi.getIncomingValueForBlock(&latch));
    if (!inside || !loop.contains(inside))
      return nullptr;
    BasicBlock *header = loop.getHeader();
    b.SetCurrentDebugLocation(phi.getDebugLoc());
    b.SetInsertPoint(header, header->begin());
    Type *type = values.vectorType(phi.getType());
    PHINode *last = b.CreatePHI(type, 2, "last");
    b.SetInsertPoint(latch.getTerminator());
    Value *value = b.CreateSelect(masks.maskOf(latch), values.vector(inside), last);
    last->addIncoming(PoisonValue::get(type), loop.getLoopPreheader());
    last->addIncoming(value, &latch);
    return value;
  }

  void completePhis() {
    for (auto [phi, widened] : pendingPhis)
      for (auto [before, v] : zip(phi->blocks(), phi->incoming_values()))
        widened->addIncoming(values.vector(v), before);
  }

  /// Also keeps lane 0's scalar if the value has a runtime stride.
  void setVectorAndQueueErase(Instruction &i, Value *vector) {
    values.setVector(i, vector);
    if (!shapes.shapeOf(i).hasRuntimeStride()) {
      erased.push_back(&i);
      return;
    }
    if (auto *phi = dyn_cast<PHINode>(&i))
      replaceUndefByKeptValue(*phi);
    dropPoisonFlagsForLaneZero(i);
  }

  void widenCall(CallInst &call, Value *mask) {
    if (isAnnotationCall(call)) {
      erased.push_back(&call);
      return;
    }
    if (call.getIntrinsicID() == Intrinsic::prefetch) { // adjacent lanes touch one or two lines
      if (values.isVarying(*call.getArgOperand(0)))
        erased.push_back(&call);
      return dropPoisonFlagsForLaneZero(call);
    }
    if (isLanePlaceholder(call)) {
      Value &condition = *call.getArgOperand(0);
      scalars.push_back({&call, isAllLanesQuery(call) ? masks.emitAllActiveAndHold(condition, mask)
                                                      : masks.emitNoneHolds(condition, mask)});
      erased.push_back(&call);
      return;
    }
    if (simt::isCheck(call)) {
      laneChecks.emitPlaceholderCheck(b, call, shapes, values, mask);
      erased.push_back(&call);
      return;
    }
    Function *callee = call.getCalledFunction();
    std::optional<simt::Op> op = simt::calledOp(&call);
    if (op && simt::info(*op).has(simt::Warp))
      return widenWarpOperation(call, mask);
    if (op && simt::info(*op).has(simt::Convergent) && call.arg_size() > 1)
      return widenBarrierVote(call, mask);
    if (op && simt::info(*op).has(simt::ArgMemory) && canAggregateAtomics(call, shapes)) {
      if (Value *results = aggregateAtomics(b, call, values, mask))
        values.setVector(call, results);
      erased.push_back(&call);
      return;
    }
    bool allUniform =
        all_of(call.args(), [&](const Use &u) { return shapes.shapeOf(*u.get()).isUniform(); });
    bool isPerLane = callee->getName().starts_with(trapPlaceholder) ||
                     (op && runsPerLane(*op) && (!allUniform || !simt::info(*op).has(simt::Pure)));
    if (isPerLane) {
      if (Value *results = op && !allUniform ? widenMath(call, *op) : nullptr)
        return setVectorAndQueueErase(call, results);
      SmallVector<Value *, 4> operands;
      for (Value *v : call.args())
        operands.push_back(values.scalarOrVector(v));
      Value *results = laneCalls.emitPlaceholderCall(b, call, operands, mask);
      if (results)
        values.setVector(call, results);
      erased.push_back(&call);
      return;
    }
    if (Value *index = op && values.isVarying(call) ? threads.getOrEmitIndexVector(*op) : nullptr)
      return setVectorAndQueueErase(call, index);
    if (op || allUniform)
      return dropPoisonFlagsForLaneZero(call);
    if (hasVectorVariants(call)) {
      SmallVector<Value *, 2> operands;
      for (Value *v : call.args())
        operands.push_back(values.vector(v));
      return setVectorAndQueueErase(call, callVectorVariants(b, call, operands, width));
    }
    setVectorAndQueueErase(call, values.emitVector(call));
  }

  /// Returns null if no library has a vector version.
  Value *widenMath(CallInst &call, simt::Op op) {
    if (op == simt::Op::Rsqrt)
      return emitReciprocalSqrt(b, values.vector(call.getArgOperand(0)));
    VectorMath library(f);
    if (library.vectorFunctionName(op, *call.getType(), 1).empty())
      return nullptr;
    SmallVector<Value *, 2> operands;
    for (Value *v : call.args())
      operands.push_back(values.vector(v));
    return library.emitCalls(b, op, operands);
  }

  void widenBarrierVote(CallInst &call, Value *mask) {
    auto count = [&](Value *lanes) {
      Value *number = b.CreateUnaryIntrinsic(Intrinsic::ctpop, maskToInteger(b, lanes));
      return b.CreateZExt(number, b.getInt32Ty());
    };
    Value *arrived = mask ? count(mask) : b.getInt32(width);
    Value *yes = count(andMask(b, mask, values.vector(call.getArgOperand(1))));
    CallInst *vote = b.CreateCall(call.getCalledFunction(), {call.getArgOperand(0), b.getFalse()},
                                  OperandBundleDef(arrivedBundle, ArrayRef{arrived, yes}));
    vote->setAttributes(call.getAttributes());
    scalars.push_back({&call, vote});
    erased.push_back(&call);
  }

  void widenWarpOperation(CallInst &call, Value *mask) {
    VectorWarpOperation operation{b, call, masks.maskOrAllOnes(mask)};
    if (call.arg_size() > 1)
      restrictToMask(operation, *call.getArgOperand(1));
    if (call.arg_size() > 2)
      operation.value = values.vector(call.getArgOperand(2));
    if (call.arg_size() > 3)
      operation.lane = values.vector(call.getArgOperand(3));
    if (call.arg_size() > 4)
      operation.width = values.vector(call.getArgOperand(4));
    Value *result = operation.emitResult();
    if (result && values.isVarying(call))
      return setVectorAndQueueErase(
          call, result->getType()->isVectorTy() ? result : b.CreateVectorSplat(width, result));
    if (result)
      // Replaced after widening: until then, the call is needed to look up its shape.
      scalars.push_back({&call, result});
    erased.push_back(&call);
  }

  /// Restricts the operation to active lanes that are in the mask.
  void restrictToMask(VectorWarpOperation &operation, Value &named) {
    auto *constant = dyn_cast<ConstantInt>(&named);
    if ((constant && constant->isMinusOne()) || simt::calledOp(&named) == simt::Op::WarpActive)
      return;
    if (shapes.shapeOf(named).isUniform())
      operation.active = b.CreateLogicalAnd(operation.active,
                                            b.CreateBitCast(&named, operation.active->getType()));
    else
      operation.mask = values.vector(&named);
  }

  void eraseWidened() {
    for (auto [call, result] : scalars)
      call->replaceAllUsesWith(result);
    for (Instruction *i : erased)
      if (!i->getType()->isVoidTy())
        i->replaceAllUsesWith(PoisonValue::get(i->getType()));
    for (Instruction *i : erased)
      i->eraseFromParent();
  }

  Function &f;
  unsigned width;
  const LaneShapes &shapes;
  IRBuilder<> b;
  LaneCalls laneCalls;
  LaneChecks laneChecks;
  LaneThreads threads;
  LaneValues values;
  LaneMasks masks;
  LaneStrides strides;
  LaneAccesses accesses;
  SmallVector<std::pair<PHINode *, PHINode *>> pendingPhis;
  SmallVector<std::pair<CallInst *, Value *>> scalars;
  SmallVector<Instruction *> erased;
};

} // namespace

void widen(Function &f, const ThreadGroups &groups, const LaneShapes &shapes, AAResults &aliases) {
  Widener(f, groups, shapes, aliases).run();
}

} // namespace heddle::cpu
