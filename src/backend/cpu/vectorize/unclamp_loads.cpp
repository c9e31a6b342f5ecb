#include "backend/cpu/vectorize/unclamp_loads.h"

#include "backend/cpu/vectorize/lanes/stand_ins.h"
#include "simt/analysis/meetings.h"
#include "simt/analysis/thread_strides.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr unsigned deepestBound = 12;             // of expressions that are looked through
constexpr ptrdiff_t mostInstructionsOfCopy = 150; // of a copy

/// The places of a block's loads, as they are where no lane is at a bound.
class Clamps {
public:
  Clamps(const LaneShapes &shapes, std::optional<simt::ThreadStrides> &strides)
      : shapes(shapes), strides(strides) {}

  /// Whether the lanes of `load` read consecutive elements but for clamps. If so, remembers these.
  bool isOfNeighbours(LoadInst &load) {
    Value &place = *load.getPointerOperand();
    SmallVector<MinMaxIntrinsic *> found;
    if (!findClamps(place, found, 0) || found.empty())
      return false;
    if (!strides)
      strides.emplace(*load.getFunction());
    std::optional<int64_t> stride = strides->of(place)[0];
    uint64_t size = load.getDataLayout().getTypeAllocSize(load.getType()).getFixedValue();
    if (!stride || uint64_t(*stride) != size)
      return false;
    clamps.insert(found.begin(), found.end());
    return true;
  }

  /// Moves what the loads' places are computed from in front of `before`, in its block. Whether it could.
  static bool hoist(Value &v, Instruction &before) {
    auto *i = dyn_cast<Instruction>(&v);
    if (!i || i->getParent() != before.getParent() || isa<PHINode>(i) || i->comesBefore(&before))
      return true;
    if (!isa<MinMaxIntrinsic>(i) && !isPartOfPlace(*i))
      return false;
    for (Value *operand : i->operands())
      if (!hoist(*operand, before))
        return false;
    i->moveBefore(before.getIterator());
    return true;
  }

  /// At the builder's position, whether a lane is at a bound.
  Value *anyIsBeyond(IRBuilderBase &b) {
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

  /// Whether an instruction may be moved, or made anew, where it is not run.
  static bool isPartOfPlace(const Instruction &i) {
    return isa<BinaryOperator, CastInst, GetElementPtrInst, FreezeInst>(i) && !i.isIntDivRem();
  }

  /// The clamps in what differs from lane to lane; false where that is made of more than `without` can do without them.
  bool findClamps(Value &v, SmallVectorImpl<MinMaxIntrinsic *> &found, unsigned depth) const {
    if (!shapes.of(v).isVarying())
      return true;
    auto *i = dyn_cast<Instruction>(&v);
    if (!i || depth == deepestBound)
      return false;
    if (auto *clamp = dyn_cast<MinMaxIntrinsic>(i)) {
      Value *moving = parts(*clamp).first;
      found.push_back(clamp);
      return moving && findClamps(*moving, found, depth + 1);
    }
    return isPartOfPlace(*i) && all_of(i->operands(), [&](Use &operand) {
             return findClamps(*operand.get(), found, depth + 1);
           });
  }

  const LaneShapes &shapes;
  std::optional<simt::ThreadStrides> &strides; ///< of the function, once they are asked for
  SmallSetVector<MinMaxIntrinsic *, 4> clamps;
};

/// Whether instructions may be there twice, of which one is run.
bool mayBeCopied(BasicBlock::iterator begin, BasicBlock::iterator end) {
  return std::distance(begin, end) <= mostInstructionsOfCopy &&
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
  Value *none = callNoLane(b, clamps.anyIsBeyond(b));
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

bool unclampLoads(Function &f, const LaneShapes &shapes) {
  std::optional<simt::ThreadStrides> strides;
  SmallVector<std::pair<Clamps, SmallVector<LoadInst *>>> chosen;
  for (BasicBlock &block : f) {
    Clamps clamps(shapes, strides);
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
