#include "backend/cpu/vectorize/widen.h"

#include "backend/cpu/math/lower_math.h"
#include "backend/cpu/math/vector_math.h"
#include "backend/cpu/vectorize/lane_calls.h"
#include "backend/cpu/vectorize/lane_shapes.h"
#include "backend/cpu/vectorize/lane_threads.h"
#include "backend/cpu/vectorize/lane_warps.h"
#include "backend/cpu/vectorize/structurize.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

bool isScalar(Type *type) {
  return (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) || type->isHalfTy() ||
         type->isBFloatTy() || type->isFloatTy() || type->isDoubleTy() || type->isPointerTy();
}

bool canBeInMemory(Type *type) {
  if (!type->isIntegerTy())
    return isScalar(type);
  unsigned bits = type->getIntegerBitWidth();
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/// Calls that say something of one thread and do nothing.
bool isNote(const CallInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::assume:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::experimental_noalias_scope_decl:
    return true;
  default:
    return false;
  }
}

bool hasOverflowResult(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::ssub_with_overflow:
  case Intrinsic::usub_with_overflow:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::umul_with_overflow:
    return true;
  default:
    return false;
  }
}

/// Intrinsics with a form for vectors.
bool hasVectorForm(Intrinsic::ID id) {
  return isTriviallyVectorizable(id) || id == Intrinsic::is_fpclass || id == Intrinsic::expect ||
         hasOverflowResult(id);
}

/// Operations that each lane does by itself.
bool isOfOneLane(simt::Op op) {
  const simt::OpInfo &row = simt::info(op);
  if (row.has(simt::ArgMemory))
    return true;
  return row.has(simt::Pure) && row.name.starts_with("simt.math.");
}

/// Operations that a group does once for all its lanes.
bool isOfGroup(simt::Op op) {
  switch (op) {
  case simt::Op::Barrier:
  case simt::Op::BarrierCount:
  case simt::Op::BarrierAnd:
  case simt::Op::BarrierOr:
  case simt::Op::GridBarrier:
  case simt::Op::FenceBlock:
  case simt::Op::FenceDevice:
  case simt::Op::FenceSystem:
    return true;
  default:
    return simt::info(op).has(simt::Pure);
  }
}

bool canWidenCall(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || call.hasOperandBundles())
    return isNote(call);
  if (isNote(call) || callee->getName().starts_with(trapStandIn))
    return true;
  if (callee->isIntrinsic())
    return hasVectorForm(callee->getIntrinsicID());
  std::optional<simt::Op> op = simt::calledOp(&call);
  if (op && simt::info(*op).has(simt::Warp))
    return canBeWarpOfGroup(call);
  return op && (isOfOneLane(*op) || isOfGroup(*op) || simt::info(*op).has(simt::NoReturn));
}

class Widener {
public:
  Widener(Function &f, const ThreadGroups &groups, const LaneShapes &shapes)
      : f(f), groups(groups), width(groups.width), shapes(shapes), laneCalls(f, width),
        threads(f, groups), b(f.getContext()) {}

  void run() {
    SmallVector<BasicBlock *> order;
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&f))
      order.push_back(block);
    for (const auto &[from, branch] : shapes.branches())
      (branch.form == DivergentBranch::If ? ifs : latches)[branch.join] = from;
    for (const auto &[from, branch] : shapes.branches())
      if (branch.form == DivergentBranch::Latch)
        loopOfHeader[branch.loop->getHeader()] = &branch;
    for (BasicBlock *block : order)
      widenBlock(*block);
    completePhis();
    eraseWidened();
    laneCalls.expand();
  }

private:
  Type *wide(Type *type) { return VectorType::get(type, width, /*Scalable=*/false); }
  Type *maskType() { return wide(b.getInt1Ty()); }
  Value *allLanes() { return Constant::getAllOnesValue(maskType()); }
  Value *orAllLanes(Value *mask) { return mask ? mask : allLanes(); }
  Value *bitsOf(Value *mask) { return b.CreateBitCast(mask, b.getIntNTy(width)); }
  Value *any(Value *mask) { return b.CreateIsNotNull(bitsOf(mask)); }

  /// What is poison in a lane that is not in `mask` does not matter: a select drops it, an and would not.
  Value *lanesOf(Value *mask, Value *condition) {
    return mask ? b.CreateLogicalAnd(mask, condition) : b.CreateFreeze(condition);
  }

  void at(Instruction &i) {
    b.SetInsertPoint(&i);
    b.SetCurrentDebugLocation(i.getDebugLoc());
  }

  void after(Value &v) {
    auto *i = dyn_cast<Instruction>(&v);
    b.SetCurrentDebugLocation(i ? i->getDebugLoc() : DebugLoc());
    if (!i || isa<AllocaInst>(i))
      b.SetInsertPoint(f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    else
      b.SetInsertPoint(*i->getInsertionPointAfterDef());
  }

  /// Each lane's value of `v`.
  Value *vector(Value *v) {
    if (auto found = vectors.find(v); found != vectors.end())
      return found->second;
    if (auto *constant = dyn_cast<Constant>(v); constant && !isa<GlobalValue>(v))
      return ConstantVector::getSplat(ElementCount::getFixed(width), constant);
    IRBuilderBase::InsertPointGuard guard(b);
    after(*v);
    Value *made = b.CreateVectorSplat(width, v);
    if (int64_t stride = shapes.of(*v).stride) {
      bool address = v->getType()->isPointerTy();
      Type *number = address ? b.getInt64Ty() : v->getType();
      SmallVector<Constant *, 32> steps;
      for (unsigned lane = 0; lane < width; ++lane)
        steps.push_back(ConstantInt::get(number, uint64_t(stride) * lane, /*IsSigned=*/true,
                                         /*ImplicitTrunc=*/true));
      Value *offsets = ConstantVector::get(steps);
      made = address ? b.CreateGEP(b.getInt8Ty(), v, offsets) : b.CreateAdd(made, offsets);
    }
    vectors[v] = made;
    return made;
  }

  /// `v` as an operand that may be the same for all lanes.
  Value *either(Value *v) { return shapes.of(*v).isUniform() ? v : vector(v); }

  bool isVarying(const Value &v) const { return shapes.of(v).isVarying(); }

  //===--------------------------------------------------------------------------------------------------------===//
  // Masks
  //===--------------------------------------------------------------------------------------------------------===//

  /// The lanes that run `block`; null when all do.
  Value *makeMask(BasicBlock &block) {
    if (auto made = masks.find(&block); made != masks.end())
      return made->second; // what an if skips, or what follows a loop
    if (auto from = ifs.find(&block); from != ifs.end())
      return masks.lookup(from->second);
    if (auto found = loopOfHeader.find(&block); found != loopOfHeader.end())
      return makeLoopMask(*found->second);
    if (block.isEntryBlock() && groups.partial)
      return threads.existing();
    SmallVector<std::pair<BasicBlock *, Value *>, 4> ways;
    bool same = true;
    for (BasicBlock *before : predecessors(&block)) {
      auto mask = masks.find(before);
      if (mask == masks.end())
        continue; // around a loop, whose mask does not change
      ways.push_back({before, mask->second});
      same &= mask->second == ways.front().second;
    }
    if (same)
      return ways.empty() ? nullptr : ways.front().second;
    b.SetInsertPoint(&block, block.begin());
    PHINode *mask = b.CreatePHI(maskType(), unsigned(ways.size()), "mask");
    for (auto [before, value] : ways)
      mask->addIncoming(orAllLanes(value), before);
    return mask;
  }

  Value *makeLoopMask(const DivergentBranch &branch) {
    BasicBlock *header = branch.loop->getHeader(), *before = branch.loop->getLoopPreheader();
    Value *entering = masks.lookup(before);
    masks[branch.join] = entering;
    b.SetInsertPoint(header, header->begin());
    PHINode *mask = b.CreatePHI(maskType(), 2, "active");
    mask->addIncoming(orAllLanes(entering), before);
    return mask;
  }

  void widenBranch(BasicBlock &block, const DivergentBranch &branch) {
    auto &jump = *cast<BranchInst>(block.getTerminator());
    at(jump);
    Value *condition = vector(jump.getCondition());
    Value *mask = masks.lookup(&block);
    BasicBlock *on = branch.form == DivergentBranch::If ? branch.then : branch.loop->getHeader();
    if (jump.getSuccessor(0) != on) {
      condition = b.CreateNot(condition);
      jump.swapSuccessors();
    }
    Value *lanes = lanesOf(mask, condition);
    jump.setCondition(any(lanes));
    if (branch.form == DivergentBranch::If)
      masks[branch.then] = lanes;
    else
      cast<PHINode>(masks.lookup(on))->addIncoming(lanes, &block);
    taken[&block] = lanes;
  }

  //===--------------------------------------------------------------------------------------------------------===//
  // Instructions
  //===--------------------------------------------------------------------------------------------------------===//

  void widenBlock(BasicBlock &block) {
    SmallVector<Instruction *> instructions;
    for (Instruction &i : block)
      instructions.push_back(&i);
    Value *mask = makeMask(block);
    masks[&block] = mask;
    for (Instruction *i : instructions)
      if (!i->isTerminator())
        widenInstruction(*i, mask);
    if (const DivergentBranch *branch = shapes.branchOf(block))
      widenBranch(block, *branch);
  }

  void widenInstruction(Instruction &i, Value *mask) {
    if (auto *phi = dyn_cast<PHINode>(&i)) {
      if (isVarying(i))
        return widenPhi(*phi);
      keepWhatIsSkipped(*phi);
      return keepLaneZero(i);
    }
    if (auto *alloca = dyn_cast<AllocaInst>(&i)) {
      alloca->setAllocatedType(ArrayType::get(alloca->getAllocatedType(), width));
      return;
    }
    at(i);
    if (auto *call = dyn_cast<CallInst>(&i))
      return widenCall(*call, mask);
    if (auto *load = dyn_cast<LoadInst>(&i))
      return widenLoad(*load, mask);
    if (auto *store = dyn_cast<StoreInst>(&i))
      return widenStore(*store, mask);
    if (!isVarying(i))
      return keepLaneZero(i);
    vectors[&i] = widenValue(i, mask);
    erased.push_back(&i);
  }

  /// The scalar goes on as lane 0's, also where lane 0 does not run: what it promises of its value is not kept there.
  void keepLaneZero(Instruction &i) {
    bool depends = any_of(i.operands(), [&](Use &u) { return shapes.of(*u.get()).isStrided(); });
    if (shapes.of(i).isStrided() || depends)
      i.dropPoisonGeneratingAnnotations();
  }

  /// Lanes that skip a block keep their value, also where the others leave it undefined: a scalar has it on both ways.
  void keepWhatIsSkipped(PHINode &phi) {
    auto from = ifs.find(phi.getParent());
    if (from == ifs.end())
      return;
    Value *kept = phi.getIncomingValueForBlock(from->second);
    for (Use &incoming : phi.incoming_values())
      if (isa<UndefValue>(incoming))
        incoming.set(kept);
  }

  void widenPhi(PHINode &phi) {
    BasicBlock &block = *phi.getParent();
    if (auto from = latches.find(&block); from != latches.end())
      if (Value *value = trackLoopResult(phi, *from->second))
        return replace(phi, value);
    b.SetInsertPoint(&block, block.begin());
    b.SetCurrentDebugLocation(phi.getDebugLoc());
    PHINode *made = b.CreatePHI(wide(phi.getType()), phi.getNumIncomingValues());
    auto from = ifs.find(&block);
    if (from == ifs.end()) {
      open.push_back({&phi, made});
      return replace(phi, made);
    }
    Value *skipped = nullptr;
    for (auto [before, v] : zip(phi.blocks(), phi.incoming_values())) {
      bool around = before == from->second;
      made->addIncoming(around ? PoisonValue::get(made->getType()) : vector(v), before);
      if (around)
        skipped = vector(v);
    }
    b.SetInsertPoint(block.getFirstInsertionPt());
    replace(phi, b.CreateSelect(taken.lookup(from->second), made, skipped));
  }

  /// A phi behind a loop that the lanes leave in different rounds: the value of each lane's last round. Null where the
  /// value is from before the loop.
  Value *trackLoopResult(PHINode &phi, const BasicBlock &latchOfLoop) {
    auto &latch = const_cast<BasicBlock &>(latchOfLoop);
    Loop &loop = *shapes.branchOf(latch)->loop;
    auto *inside = dyn_cast<Instruction>(phi.getIncomingValueForBlock(&latch));
    if (!inside || !loop.contains(inside))
      return nullptr;
    BasicBlock *header = loop.getHeader();
    b.SetCurrentDebugLocation(phi.getDebugLoc());
    b.SetInsertPoint(header, header->begin());
    Type *type = wide(phi.getType());
    PHINode *last = b.CreatePHI(type, 2, "last");
    b.SetInsertPoint(latch.getTerminator());
    Value *value = b.CreateSelect(masks.lookup(&latch), vector(inside), last);
    last->addIncoming(PoisonValue::get(type), loop.getLoopPreheader());
    last->addIncoming(value, &latch);
    return value;
  }

  void completePhis() {
    for (auto [phi, made] : open)
      for (auto [before, v] : zip(phi->blocks(), phi->incoming_values()))
        made->addIncoming(vector(v), before);
  }

  void replace(Instruction &i, Value *by) {
    vectors[&i] = by;
    erased.push_back(&i);
  }

  Value *widenValue(Instruction &i, Value *mask) {
    Instruction *made;
    if (i.isIntDivRem() && i.getType()->getIntegerBitWidth() <= 32 &&
        !isa<ConstantInt>(i.getOperand(1)))
      return divideShort(cast<BinaryOperator>(i));
    if (auto *operation = dyn_cast<BinaryOperator>(&i)) {
      auto [x, y] = safeOperands(*operation, mask);
      made = BinaryOperator::Create(operation->getOpcode(), x, y);
    } else if (auto *unary = dyn_cast<UnaryOperator>(&i)) {
      made = UnaryOperator::Create(unary->getOpcode(), vector(i.getOperand(0)));
    } else if (auto *conversion = dyn_cast<CastInst>(&i)) {
      made = CastInst::Create(conversion->getOpcode(), vector(i.getOperand(0)), wide(i.getType()));
    } else if (auto *compare = dyn_cast<CmpInst>(&i)) {
      made = CmpInst::Create(compare->getOpcode(), compare->getPredicate(), vector(i.getOperand(0)),
                             vector(i.getOperand(1)));
    } else if (isa<SelectInst>(i)) {
      made = SelectInst::Create(either(i.getOperand(0)), vector(i.getOperand(1)),
                                vector(i.getOperand(2)));
    } else if (isa<FreezeInst>(i)) {
      made = new FreezeInst(vector(i.getOperand(0)));
    } else if (auto *address = dyn_cast<GetElementPtrInst>(&i)) {
      SmallVector<Value *, 4> indices;
      for (Value *index : address->indices())
        indices.push_back(either(index));
      Value *base = either(address->getPointerOperand());
      made = GetElementPtrInst::Create(address->getSourceElementType(), base, indices);
    } else {
      return b.CreateExtractValue(vector(i.getOperand(0)), cast<ExtractValueInst>(i).getIndices());
    }
    made->copyIRFlags(&i);
    made->copyMetadata(i);
    b.Insert(made);
    made->setDebugLoc(i.getDebugLoc());
    return made;
  }

  /// Integers of up to 32 bits by float64: the quotient's distance from a whole number, if any, is at least 2^-33 of it,
  /// so that rounding crosses none. The processor divides vectors of floats alone, and these do not trap.
  Value *divideShort(BinaryOperator &i) {
    bool isSigned = i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
    Type *number = wide(b.getDoubleTy()), *type = wide(i.getType());
    Value *x = vector(i.getOperand(0)), *y = vector(i.getOperand(1));
    auto asFloat = [&](Value *v) {
      return isSigned ? b.CreateSIToFP(v, number) : b.CreateUIToFP(v, number);
    };
    Value *ratio = b.CreateFDiv(asFloat(x), asFloat(y));
    Value *quotient = isSigned ? b.CreateFPToSI(ratio, type) : b.CreateFPToUI(ratio, type);
    bool wantsRest = i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
    return wantsRest ? b.CreateSub(x, b.CreateMul(quotient, y)) : quotient;
  }

  /// Lanes that do not run have any divisor: they divide by 1.
  std::pair<Value *, Value *> safeOperands(BinaryOperator &i, Value *mask) {
    Value *x = vector(i.getOperand(0)), *y = vector(i.getOperand(1));
    if (mask && i.isIntDivRem() && !isa<ConstantInt>(i.getOperand(1)))
      y = b.CreateSelect(mask, y, ConstantInt::get(y->getType(), 1));
    return {x, y};
  }

  /// Whether lanes read or write consecutive elements.
  bool isConsecutive(Value *pointer, Type *type) {
    LaneShape shape = shapes.of(*pointer);
    const DataLayout &layout = f.getDataLayout();
    return shape.isStrided() && layout.getTypeStoreSize(type) == layout.getTypeAllocSize(type) &&
           uint64_t(shape.stride) == layout.getTypeAllocSize(type).getFixedValue();
  }

  static void keepAliases(Instruction &to, const Instruction &from) {
    to.copyMetadata(from, {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope,
                           LLVMContext::MD_noalias, LLVMContext::MD_nontemporal});
  }

  void widenLoad(LoadInst &load, Value *mask) {
    Value *pointer = load.getPointerOperand();
    if (shapes.of(*pointer).isUniform())
      return;
    Instruction *made;
    Type *type = wide(load.getType());
    if (isConsecutive(pointer, load.getType()))
      made =
          mask
              ? static_cast<Instruction *>(b.CreateMaskedLoad(type, pointer, load.getAlign(), mask))
              : b.CreateAlignedLoad(type, pointer, load.getAlign());
    else
      made = b.CreateMaskedGather(type, vector(pointer), load.getAlign(), orAllLanes(mask));
    keepAliases(*made, load);
    replace(load, made);
  }

  void widenStore(StoreInst &store, Value *mask) {
    Value *pointer = store.getPointerOperand(), *value = store.getValueOperand();
    bool onePlace = shapes.of(*pointer).isUniform();
    if (onePlace && shapes.of(*value).isUniform())
      return;
    Instruction *made;
    if (onePlace)
      made = b.CreateAlignedStore(ofLastLane(vector(value), mask), pointer, store.getAlign());
    else if (isConsecutive(pointer, value->getType()))
      made = mask ? static_cast<Instruction *>(
                        b.CreateMaskedStore(vector(value), pointer, store.getAlign(), mask))
                  : b.CreateAlignedStore(vector(value), pointer, store.getAlign());
    else
      made =
          b.CreateMaskedScatter(vector(value), vector(pointer), store.getAlign(), orAllLanes(mask));
    keepAliases(*made, store);
    erased.push_back(&store);
  }

  /// Lanes write in order: what the highest lane wrote stays.
  Value *ofLastLane(Value *values, Value *mask) {
    if (!mask)
      return b.CreateExtractElement(values, width - 1);
    Value *bits = bitsOf(mask);
    Value *zeros = b.CreateBinaryIntrinsic(Intrinsic::ctlz, bits, b.getTrue());
    return b.CreateExtractElement(values,
                                  b.CreateSub(ConstantInt::get(bits->getType(), width - 1), zeros));
  }

  void widenCall(CallInst &call, Value *mask) {
    if (isNote(call)) {
      erased.push_back(&call);
      return;
    }
    Function *callee = call.getCalledFunction();
    std::optional<simt::Op> op = simt::calledOp(&call);
    if (op && simt::info(*op).has(simt::Warp))
      return widenWarpOperation(call, mask);
    if (op && simt::info(*op).has(simt::Convergent) && call.arg_size() > 1)
      return widenBarrierVote(call, mask);
    bool allUniform =
        all_of(call.args(), [&](const Use &u) { return shapes.of(*u.get()).isUniform(); });
    bool alone = callee->getName().starts_with(trapStandIn) ||
                 (op && isOfOneLane(*op) && (!allUniform || !simt::info(*op).has(simt::Pure)));
    if (alone) {
      if (Value *results = op && !allUniform ? widenMath(call, *op) : nullptr)
        return replace(call, results);
      SmallVector<Value *, 4> operands;
      for (Value *v : call.args())
        operands.push_back(either(v));
      Value *results = laneCalls.add(b, call, operands, mask);
      if (results)
        vectors[&call] = results;
      erased.push_back(&call);
      return;
    }
    if (Value *index = op && isVarying(call) ? threads.index(*op) : nullptr)
      return replace(call, index);
    if (op || allUniform)
      return keepLaneZero(call);
    replace(call, widenIntrinsic(call));
  }

  /// Null where no library has the function for vectors.
  Value *widenMath(CallInst &call, simt::Op op) {
    if (op == simt::Op::Rsqrt)
      return reciprocalRoot(b, vector(call.getArgOperand(0)));
    VectorMath library(f);
    if (library.name(op, *call.getType(), 1).empty())
      return nullptr;
    SmallVector<Value *, 2> operands;
    for (Value *v : call.args())
      operands.push_back(vector(v));
    return library.call(b, op, operands);
  }

  void widenBarrierVote(CallInst &call, Value *mask) {
    auto count = [&](Value *lanes) {
      Value *number = b.CreateUnaryIntrinsic(Intrinsic::ctpop, bitsOf(lanes));
      return b.CreateZExt(number, b.getInt32Ty());
    };
    Value *arrived = mask ? count(mask) : b.getInt32(width);
    Value *yes = count(lanesOf(mask, vector(call.getArgOperand(1))));
    CallInst *vote = b.CreateCall(call.getCalledFunction(), {call.getArgOperand(0), b.getFalse()},
                                  OperandBundleDef(arrivedBundle, ArrayRef{arrived, yes}));
    vote->setAttributes(call.getAttributes());
    scalars.push_back({&call, vote});
    erased.push_back(&call);
  }

  void widenWarpOperation(CallInst &call, Value *mask) {
    WarpOfGroup operation{b, call, orAllLanes(mask)};
    if (call.arg_size() > 2)
      operation.value = vector(call.getArgOperand(2));
    if (call.arg_size() > 3)
      operation.lane = vector(call.getArgOperand(3));
    Value *result = operation.result();
    if (result && isVarying(call))
      return replace(call, result);
    if (result)
      scalars.push_back(
          {&call, result}); // until all is widened, the call stands for it: it has a shape
    erased.push_back(&call);
  }

  Value *widenIntrinsic(CallInst &call) {
    Intrinsic::ID id = call.getIntrinsicID();
    if (id == Intrinsic::expect)
      return vector(call.getArgOperand(0));
    bool overflow = hasOverflowResult(id), classify = id == Intrinsic::is_fpclass;
    SmallVector<Type *, 2> types;
    if (!overflow && !classify && isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr))
      types.push_back(wide(call.getType()));
    SmallVector<Value *, 4> operands;
    for (auto [i, v] : enumerate(call.args())) {
      bool scalar = classify ? i == 1 : isVectorIntrinsicWithScalarOpAtArg(id, i, nullptr);
      operands.push_back(scalar ? v.get() : vector(v));
      if ((overflow || classify) ? i == 0
                                 : isVectorIntrinsicWithOverloadTypeAtArg(id, int(i), nullptr))
        types.push_back(operands.back()->getType());
    }
    CallInst *made = b.CreateIntrinsic(id, types, operands);
    if (isa<FPMathOperator>(made))
      made->setFastMathFlags(call.getFastMathFlags());
    made->copyMetadata(call);
    made->setDebugLoc(call.getDebugLoc());
    return made;
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
  ThreadGroups groups;
  unsigned width;
  const LaneShapes &shapes;
  LaneCalls laneCalls;
  LaneThreads threads;
  IRBuilder<> b;
  DenseMap<Value *, Value *> vectors;
  DenseMap<const BasicBlock *, Value *> masks;
  DenseMap<const BasicBlock *, Value *>
      taken; ///< by a divergent branch's block: the lanes it sends on
  DenseMap<const BasicBlock *, const BasicBlock *> ifs,
      latches; ///< a join -> the block that branches
  DenseMap<const BasicBlock *, const DivergentBranch *> loopOfHeader;
  SmallVector<std::pair<PHINode *, PHINode *>> open;
  SmallVector<std::pair<CallInst *, Value *>> scalars;
  SmallVector<Instruction *> erased;
};

} // namespace

bool canWiden(const Instruction &i) {
  if (const auto *call = dyn_cast<CallInst>(&i))
    return canWidenCall(*call);
  if (const auto *alloca = dyn_cast<AllocaInst>(&i))
    return alloca->isStaticAlloca() && !alloca->isArrayAllocation();
  if (const auto *load = dyn_cast<LoadInst>(&i))
    return load->isSimple() && canBeInMemory(load->getType());
  if (const auto *store = dyn_cast<StoreInst>(&i))
    return store->isSimple() && canBeInMemory(store->getValueOperand()->getType());
  if (const auto *extract = dyn_cast<ExtractValueInst>(&i)) {
    const auto *from = dyn_cast<IntrinsicInst>(extract->getAggregateOperand());
    return from && hasOverflowResult(from->getIntrinsicID());
  }
  if (isa<ReturnInst, BranchInst>(i))
    return true;
  bool known = isa<PHINode, BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst,
                   FreezeInst, GetElementPtrInst>(i);
  return known && isScalar(i.getType()) &&
         all_of(i.operands(), [](const Use &u) { return isScalar(u->getType()); });
}

void widen(Function &f, const ThreadGroups &groups, const LaneShapes &shapes) {
  Widener(f, groups, shapes).run();
}

} // namespace heddle::cpu
