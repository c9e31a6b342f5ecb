#include "backend/cpu/vectorize/unclamp_loads.h"

#include "backend/cpu/vectorize/lanes/stand_ins.h"
#include "simt/analysis/meetings.h"
#include "simt/analysis/thread_strides.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

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
    Found found;
    SmallPtrSet<Value *, 16> seen;
    if (!findClamps(place, found, seen, 0) || found.empty())
      return false;
    if (!strides)
      strides.emplace(*load.getFunction());
    std::optional<int64_t> stride = strides->of(place)[0];
    uint64_t size = load.getDataLayout().getTypeAllocSize(load.getType()).getFixedValue();
    if (!stride || uint64_t(*stride) != size)
      return false;
    for (const auto &clamp : found)
      clamps.insert(clamp);
    return true;
  }

  /// Moves what the loads' places are computed from in front of `before`, in its block. Whether it could.
  static bool hoist(Value &v, Instruction &before) {
    auto *i = dyn_cast<Instruction>(&v);
    if (!i || i->getParent() != before.getParent() || isa<PHINode>(i) || i->comesBefore(&before))
      return true;
    if (!isClamp(*i) && !isPartOfPlace(*i))
      return false;
    for (Value *operand : i->operands())
      if (!hoist(*operand, before))
        return false;
    i->moveBefore(before.getIterator());
    return true;
  }

  /// At the builder's position, whether a lane is at a bound.
  Value *anyIsBeyond(IRBuilderBase &b) const {
    Value *any = nullptr;
    Copies copies;
    for (auto [clamp, moving] : clamps) {
      Value *one = isBeyond(b, *clamp, moving, copies);
      any = any ? b.CreateOr(any, one) : one;
    }
    return any;
  }

  /// What values are without clamps, above a position.
  using Copies = SmallDenseMap<Value *, Value *, 16>;

  /// At the builder's position, `v` as it is without the clamps.
  Value *without(IRBuilderBase &b, Value &v, Copies &copies) const {
    if (!shapes.of(v).isVarying())
      return &v;
    if (Value *known = copies.lookup(&v))
      return known;
    if (auto *clamp = clamps.find(dyn_cast<Instruction>(&v)); clamp != clamps.end())
      return copies[&v] = movingIn(b, *clamp->first, clamp->second, copies).first;
    Instruction *copy = cast<Instruction>(v).clone();
    for (Use &operand : copy->operands())
      operand.set(without(b, *operand.get(), copies));
    return copies[&v] = b.Insert(copy);
  }

private:
  /// Clamps, and which of their operands moves. Its number, for a copy of another block may give the operand another value.
  using Found = SmallMapVector<Instruction *, unsigned, 4>;

  static bool isClamp(Instruction &i) {
    return isa<MinMaxIntrinsic, SelectInst>(i) || i.getOpcode() == Instruction::URem ||
           i.getOpcode() == Instruction::SRem;
  }

  /// What a remainder is taken by. Where the processor would stop, C++'s is one by 1.
  static Value *divisorOf(const Instruction &remainder) {
    Value *by = remainder.getOperand(1), *divisor;
    return match(by, m_Select(m_Value(), m_One(), m_Value(divisor))) ? divisor : by;
  }

  bool isUniform(const Value &v) const { return shapes.of(v).isUniform(); }

  /// Which of a clamp's operands is its value but at bounds; nothing where that is not known.
  std::optional<unsigned> operandThatMoves(Instruction &clamp) const {
    if (auto *choice = dyn_cast<SelectInst>(&clamp))
      return armThatMoves(*choice);
    if (isUniform(*(clamp.isIntDivRem() ? divisorOf(clamp) : clamp.getOperand(1))))
      return 0;
    return !clamp.isIntDivRem() && isUniform(*clamp.getOperand(0)) ? std::optional(1u)
                                                                   : std::nullopt;
  }

  std::optional<unsigned> armThatMoves(SelectInst &choice) const {
    constexpr unsigned first = 1, second = 2;
    Value *x = choice.getTrueValue(), *y = choice.getFalseValue(), *added;
    if (isUniform(*x) && isUniform(*y)) {
      // Python's remainder is a remainder and, if that is negative, the divisor.
      if (match(x, m_Zero()))
        return first;
      return match(y, m_Zero()) ? std::optional(second) : std::nullopt;
    }
    if (isUniform(*y))
      return first;
    if (isUniform(*x) || isUniform(*choice.getCondition())) // of C: unless it divides by 0
      return second;
    if (match(x, m_c_Add(m_Specific(y), m_Value(added))) && isUniform(*added))
      return second;
    if (match(y, m_c_Add(m_Specific(x), m_Value(added))) && isUniform(*added))
      return first;
    return std::nullopt;
  }

  /// At the builder's position, what moves, and whether the divisor was taken out of it: of `(i - 1 + n) % n` that is
  /// `i - 1`. InstCombine adds constants last.
  std::pair<Value *, bool> movingIn(IRBuilderBase &b, Instruction &clamp, unsigned operand,
                                    Copies &copies) const {
    Value *moving = clamp.getOperand(operand), *divisor = divisorOf(clamp), *index, *inner;
    Instruction *sum;
    if (clamp.isIntDivRem() && match(moving, m_c_Add(m_Value(index), m_Specific(divisor))))
      return {without(b, *index, copies), true};
    if (clamp.isIntDivRem() &&
        match(moving,
              m_Add(m_CombineAnd(m_Instruction(sum), m_c_Add(m_Value(index), m_Specific(divisor))),
                    m_Value(inner)))) {
      bool exact = sum->hasNoSignedWrap() && cast<Instruction>(moving)->hasNoSignedWrap();
      return {b.CreateAdd(without(b, *index, copies), without(b, *inner, copies), "",
                          /*HasNUW=*/false, exact),
              true};
    }
    return {without(b, *moving, copies), false};
  }

  /// At the builder's position, whether a lane's value is not what moves.
  Value *isBeyond(IRBuilderBase &b, Instruction &clamp, unsigned operand, Copies &copies) const {
    if (auto *choice = dyn_cast<SelectInst>(&clamp)) {
      Value *condition = without(b, *choice->getCondition(), copies);
      return operand == 1 ? b.CreateNot(condition) : condition;
    }
    auto [index, isReduced] = movingIn(b, clamp, operand, copies);
    Value *bound = clamp.isIntDivRem() ? divisorOf(clamp) : clamp.getOperand(1 - operand);
    if (auto *limit = dyn_cast<MinMaxIntrinsic>(&clamp))
      return b.CreateICmp(
          CmpInst::getInversePredicate(CmpInst::getNonStrictPredicate(limit->getPredicate())),
          index, bound);
    Value *beyond = b.CreateICmpUGE(index, bound);
    if (clamp.getOpcode() == Instruction::SRem) // of a divisor that may be negative, or 0
      beyond = b.CreateOr(b.CreateICmpSLT(index, Constant::getNullValue(index->getType())),
                          b.CreateICmpSGE(index, bound));
    if (!isReduced)
      return beyond;
    // Twice the divisor has not wrapped around.
    APInt most = APInt::getOneBitSet(index->getType()->getIntegerBitWidth(),
                                     index->getType()->getIntegerBitWidth() - 2);
    return b.CreateOr(beyond, b.CreateICmpUGT(bound, b.getInt(most)));
  }

  /// Whether an instruction may be moved, or made anew, where it is not run.
  static bool isPartOfPlace(const Instruction &i) {
    return isa<BinaryOperator, CastInst, GetElementPtrInst, FreezeInst, ICmpInst>(i) &&
           !i.isIntDivRem();
  }

  /// The clamps in what differs from lane to lane; false where that is made of more than `without` can do without them.
  bool findClamps(Value &v, Found &found, SmallPtrSetImpl<Value *> &seen, unsigned depth) const {
    if (!shapes.of(v).isVarying() || !seen.insert(&v).second)
      return true;
    auto *i = dyn_cast<Instruction>(&v);
    if (!i || depth == deepestBound)
      return false;
    auto isKnown = [&](Value *part) { return findClamps(*part, found, seen, depth + 1); };
    if (!isClamp(*i))
      return isPartOfPlace(*i) && all_of(i->operands(), [&](Use &part) { return isKnown(part); });
    std::optional<unsigned> moving = operandThatMoves(*i);
    if (!moving)
      return false;
    found.insert({i, *moving});
    auto *choice = dyn_cast<SelectInst>(i);
    return isKnown(i->getOperand(*moving)) && (!choice || isKnown(choice->getCondition()));
  }

  const LaneShapes &shapes;
  std::optional<simt::ThreadStrides> &strides; ///< of the function, once they are asked for
  Found clamps;
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
  Clamps::Copies known;
  for (LoadInst *load : loads) {
    auto *copy = cast<LoadInst>(map[load]);
    b.SetInsertPoint(copy);
    copy->setOperand(LoadInst::getPointerOperandIndex(),
                     clamps.without(b, *load->getPointerOperand(), known));
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
