#include "backend/cpu/vectorize/unclamp_loads.h"

#include "simt/analysis/meetings.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr unsigned deepest = 12;            // of expressions that are looked through
constexpr ptrdiff_t mostInstructions = 150; // of a copy

/// The places of a block's loads, as they are where no lane is at a bound.
class Clamps {
public:
  explicit Clamps(const LaneShapes &shapes) : shapes(shapes) {}

  /// Whether the lanes of `load` read consecutive elements but for clamps. If so, remembers these.
  bool isOfNeighbours(LoadInst &load) {
    Value &place = *load.getPointerOperand();
    if (!shapes.of(place).isVarying())
      return false;
    SmallVector<MinMaxIntrinsic *> found;
    std::optional<int64_t> stride = strideWithout(place, found, 0);
    const DataLayout &layout = load.getDataLayout();
    if (found.empty() || !stride ||
        uint64_t(*stride) != layout.getTypeAllocSize(load.getType()).getFixedValue())
      return false;
    clamps.insert(found.begin(), found.end());
    return true;
  }

  /// Moves what the loads' places are computed from in front of `before`, in its block. Whether it could.
  static bool hoist(Value &v, Instruction &before) {
    auto *i = dyn_cast<Instruction>(&v);
    if (!i || i->getParent() != before.getParent() || isa<PHINode>(i) || i->comesBefore(&before))
      return true;
    if (i->mayReadOrWriteMemory() ||
        !isa<BinaryOperator, CastInst, GetElementPtrInst, MinMaxIntrinsic, FreezeInst>(i) ||
        i->isIntDivRem())
      return false;
    for (Value *operand : i->operands())
      if (!hoist(*operand, before))
        return false;
    i->moveBefore(before.getIterator());
    return true;
  }

  /// At the builder's position, whether a lane is at a bound.
  Value *anyHolds(IRBuilderBase &b) {
    Value *any = nullptr;
    for (MinMaxIntrinsic *clamp : clamps) {
      auto [moving, bound] = parts(*clamp);
      CmpInst::Predicate beyond =
          CmpInst::getInversePredicate(CmpInst::getNonStrictPredicate(clamp->getPredicate()));
      Value *one = b.CreateICmp(beyond, without(b, *moving), bound);
      any = any ? b.CreateOr(any, one) : one;
    }
    return any;
  }

  /// At the builder's position, `v` as it is without the clamps.
  Value *without(IRBuilderBase &b, Value &v) {
    if (!shapes.of(v).isVarying())
      return &v;
    if (auto *clamp = dyn_cast<MinMaxIntrinsic>(&v))
      return without(b, *parts(*clamp).first);
    Instruction *copy = cast<Instruction>(v).clone();
    for (Use &operand : copy->operands())
      operand.set(without(b, *operand.get()));
    return b.Insert(copy);
  }

private:
  /// What moves from lane to lane, and what does not. The first is null where it is not so.
  std::pair<Value *, Value *> parts(MinMaxIntrinsic &clamp) const {
    Value *x = clamp.getLHS(), *y = clamp.getRHS();
    if (shapes.of(*y).isUniform())
      return {x, y};
    return {shapes.of(*x).isUniform() ? y : nullptr, x};
  }

  /// By how much a value grows from lane to lane where its clamps change nothing.
  std::optional<int64_t> strideWithout(Value &v, SmallVectorImpl<MinMaxIntrinsic *> &found,
                                       unsigned depth) const {
    if (LaneShape shape = shapes.of(v); !shape.isVarying())
      return shape.stride;
    auto *i = dyn_cast<Instruction>(&v);
    if (!i || depth == deepest)
      return std::nullopt;
    auto of = [&](Value *operand) { return strideWithout(*operand, found, depth + 1); };
    if (auto *clamp = dyn_cast<MinMaxIntrinsic>(i)) {
      Value *moving = parts(*clamp).first;
      if (!moving)
        return std::nullopt;
      found.push_back(clamp);
      return of(moving);
    }
    if (auto *address = dyn_cast<GetElementPtrInst>(i))
      return strideOfPlace(*address, of);
    switch (i->getOpcode()) {
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::Trunc:
    case Instruction::Freeze:
    case Instruction::AddrSpaceCast:
      return of(i->getOperand(0));
    case Instruction::Add:
    case Instruction::Sub: {
      std::optional<int64_t> x = of(i->getOperand(0)), y = of(i->getOperand(1));
      if (!x || !y)
        return std::nullopt;
      return i->getOpcode() == Instruction::Add ? *x + *y : *x - *y;
    }
    case Instruction::Shl:
    case Instruction::Mul: {
      const auto *by = dyn_cast<ConstantInt>(i->getOperand(1));
      std::optional<int64_t> x = by ? of(i->getOperand(0)) : std::nullopt;
      if (!x || by->getValue().getSignificantBits() > 16 || std::abs(*x) > 1 << 16)
        return std::nullopt;
      return i->getOpcode() == Instruction::Mul ? *x * by->getSExtValue()
             : by->getValue().ult(16)           ? std::optional(*x << by->getZExtValue())
                                                : std::nullopt;
    }
    default:
      return std::nullopt;
    }
  }

  std::optional<int64_t> strideOfPlace(GetElementPtrInst &address, auto of) const {
    std::optional<int64_t> total = of(address.getPointerOperand());
    const DataLayout &layout = address.getDataLayout();
    for (gep_type_iterator type = gep_type_begin(address), end = gep_type_end(address);
         total && type != end; ++type) {
      std::optional<int64_t> stride = of(type.getOperand());
      if (!stride || (*stride != 0 && type.isStruct()))
        return std::nullopt;
      if (*stride != 0)
        *total += *stride * int64_t(type.getSequentialElementStride(layout).getFixedValue());
    }
    return total;
  }

  const LaneShapes &shapes;
  SmallSetVector<MinMaxIntrinsic *, 4> clamps;
};

CallInst *callNoLane(IRBuilderBase &b, Value *condition) {
  FunctionCallee standIn = b.GetInsertBlock()->getModule()->getOrInsertFunction(
      noLaneStandIn, FunctionType::get(b.getInt1Ty(), {b.getInt1Ty()}, false));
  auto *declared = cast<Function>(standIn.getCallee());
  declared->setDoesNotThrow();
  declared->setDoesNotAccessMemory();
  declared->setConvergent();
  return b.CreateCall(standIn, condition, "none");
}

/// Whether instructions may be there twice, of which one is run.
bool mayBeCopied(BasicBlock::iterator begin, BasicBlock::iterator end) {
  return std::distance(begin, end) <= mostInstructions &&
         all_of(make_range(begin, end),
                [](Instruction &i) { return !simt::isMeeting(i) && !isa<AllocaInst>(i); });
}

void copyBlock(Clamps &clamps, ArrayRef<LoadInst *> loads) {
  BasicBlock *head = loads.front()->getParent();
  BasicBlock *clamped = SplitBlock(head, loads.front());
  BasicBlock *behind = SplitBlock(clamped, std::next(loads.back()->getIterator()));
  clamped->setName("clamped");
  ValueToValueMapTy map;
  BasicBlock *inside = CloneBasicBlock(clamped, map, ".inside", head->getParent());
  inside->moveBefore(clamped);
  inside->setName("inside");
  SmallVector<BasicBlock *, 1> copies{inside};
  remapInstructionsInBlocks(copies, map);

  IRBuilder<> b(head->getTerminator());
  b.SetCurrentDebugLocation(loads.front()->getDebugLoc());
  Value *none = callNoLane(b, clamps.anyHolds(b));
  head->getTerminator()->eraseFromParent();
  b.SetInsertPoint(head);
  b.CreateCondBr(none, inside, clamped);
  for (LoadInst *load : loads) {
    auto *copy = cast<LoadInst>(map[load]);
    b.SetInsertPoint(copy);
    copy->setOperand(LoadInst::getPointerOperandIndex(),
                     clamps.without(b, *load->getPointerOperand()));
  }
  for (Instruction &i : *clamped) {
    SmallVector<Use *> elsewhere;
    for (Use &use : i.uses())
      if (cast<Instruction>(use.getUser())->getParent() != clamped)
        elsewhere.push_back(&use);
    if (elsewhere.empty())
      continue;
    PHINode *phi = PHINode::Create(i.getType(), 2, i.getName(), behind->begin());
    phi->setDebugLoc(i.getDebugLoc());
    phi->addIncoming(&i, clamped);
    phi->addIncoming(map[&i], inside);
    for (Use *use : elsewhere)
      use->set(phi);
  }
}

} // namespace

bool isNoLane(const Value &v) {
  const auto *call = dyn_cast<CallInst>(&v);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == noLaneStandIn;
}

bool unclampLoads(Function &f, const LaneShapes &shapes) {
  SmallVector<std::pair<Clamps, SmallVector<LoadInst *>>> chosen;
  for (BasicBlock &block : f) {
    Clamps clamps(shapes);
    SmallVector<LoadInst *> loads;
    for (Instruction &i : block)
      if (auto *load = dyn_cast<LoadInst>(&i);
          load && load->isSimple() && clamps.isOfNeighbours(*load))
        loads.push_back(load);
    if (!loads.empty() &&
        mayBeCopied(loads.front()->getIterator(), std::next(loads.back()->getIterator())) &&
        all_of(loads, [&](LoadInst *load) {
          return Clamps::hoist(*load->getPointerOperand(), *loads.front());
        }))
      chosen.push_back({std::move(clamps), std::move(loads)});
  }
  for (auto &[clamps, loads] : chosen)
    copyBlock(clamps, loads);
  return !chosen.empty();
}

} // namespace heddle::cpu
