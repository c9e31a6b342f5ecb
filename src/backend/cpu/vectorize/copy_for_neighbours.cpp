#include "backend/cpu/vectorize/copy_for_neighbours.h"

#include "backend/cpu/vectorize/lanes/stand_ins.h"
#include "backend/cpu/vectorize/lanes/wraps.h"
#include "simt/analysis/sync_points.h"

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

/// The places of a block's accesses, as they are where no lane is at a bound or behind the end of a row.
class Places {
public:
  explicit Places(const LaneShapes &shapes) : shapes(shapes) {}

  /// Whether the lanes of an access are to consecutive elements, or to the same, but for clamps and wraps. If so, remembers
  /// these.
  bool isOfNeighbours(Instruction &access) {
    Value &place = *getLoadStorePointerOperand(&access);
    Found found;
    SmallPtrSet<Value *, 16> seen;
    if (!find(place, found, seen, 0) || (found.clamps.empty() && found.wraps.empty()))
      return false;
    std::optional<int64_t> stride = strideBetween(place, found);
    uint64_t size =
        access.getDataLayout().getTypeAllocSize(getLoadStoreType(&access)).getFixedValue();
    bool isSame = stride == 0 && isa<LoadInst>(access);
    if (!isSame && (!stride || uint64_t(*stride) != size))
      return false;
    for (const auto &clamp : found.clamps)
      known.clamps.insert(clamp);
    for (const auto &wrap : found.wraps)
      known.wraps.insert(wrap);
    return true;
  }

  /// Moves what the accesses' places are computed from in front of `before`, in its block. Whether it could.
  bool hoist(Value &v, Instruction &before) const {
    auto *i = dyn_cast<Instruction>(&v);
    if (!i || i->getParent() != before.getParent() || isa<PHINode>(i) || i->comesBefore(&before))
      return true;
    if (!isClamp(*i) && !known.wraps.contains(i) && !isPartOfPlace(*i))
      return false;
    for (Value *operand : i->operands())
      if (!hoist(*operand, before))
        return false;
    i->moveBefore(before.getIterator());
    return true;
  }

  /// What values are between bounds and ends of rows, above a position.
  using Copies = SmallDenseMap<Value *, Value *, 16>;

  /// At the builder's position, an i1 that is true, in all lanes or in none, if all are between.
  Value *allAreBetween(IRBuilderBase &b, unsigned width) {
    Value *all = nullptr, *beyond = nullptr;
    for (auto &[number, wrap] : known.wraps) {
      Straightened straight = straighten(wrap, shapes, width);
      straightened[number] = straight.value;
      all = all ? b.CreateAnd(all, straight.holds) : straight.holds;
    }
    Copies copies;
    for (auto [clamp, moving] : known.clamps) {
      Value *one = isBeyond(b, *clamp, moving, copies);
      beyond = beyond ? b.CreateOr(beyond, one) : one;
    }
    Value *none = beyond ? callNoLane(b, beyond) : nullptr;
    return !all || !none ? (all ? all : none) : b.CreateAnd(all, none);
  }

  /// At the builder's position, `v` as it is between.
  Value *without(IRBuilderBase &b, Value &v, Copies &copies) const {
    if (!shapes.of(v).isVarying())
      return &v;
    if (Value *copy = copies.lookup(&v))
      return copy;
    if (Value *straight = straightened.lookup(&v))
      return straight;
    const auto &clamps = known.clamps;
    if (auto *clamp = clamps.find(dyn_cast<Instruction>(&v)); clamp != clamps.end())
      return copies[&v] = movingIn(b, *clamp->first, clamp->second, copies).first;
    Instruction *copy = cast<Instruction>(v).clone();
    for (Use &operand : copy->operands())
      operand.set(without(b, *operand.get(), copies));
    return copies[&v] = b.Insert(copy);
  }

private:
  struct Found {
    /// Clamps, and which of their operands moves. Its number, for a copy of another block may give the operand another
    /// value.
    SmallMapVector<Instruction *, unsigned, 4> clamps;
    SmallMapVector<Instruction *, Wrap, 4> wraps;
  };

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

  /// The clamps and wraps in what differs from lane to lane; false where that is made of more than `without` can do without
  /// them.
  bool find(Value &v, Found &found, SmallPtrSetImpl<Value *> &seen, unsigned depth) const {
    if (!shapes.of(v).isVarying() || !seen.insert(&v).second)
      return true;
    auto *i = dyn_cast<Instruction>(&v);
    if (!i || depth == deepestBound)
      return false;
    if (std::optional<Wrap> wrap = wrapIn(*i, shapes)) {
      found.wraps.insert({i, *wrap});
      return true;
    }
    auto isKnown = [&](Value *part) { return find(*part, found, seen, depth + 1); };
    if (!isClamp(*i))
      return isPartOfPlace(*i) && all_of(i->operands(), [&](Use &part) { return isKnown(part); });
    std::optional<unsigned> moving = operandThatMoves(*i);
    if (!moving)
      return false;
    found.clamps.insert({i, *moving});
    auto *choice = dyn_cast<SelectInst>(i);
    return isKnown(i->getOperand(*moving)) && (!choice || isKnown(choice->getCondition()));
  }

  /// By how much `v` grows from lane to lane between; a pointer: in bytes. Nothing where that is no constant.
  std::optional<int64_t> strideBetween(Value &v, const Found &found) const {
    LaneShape shape = shapes.of(v);
    if (!shape.isVarying())
      return shape.stride;
    auto *i = dyn_cast<Instruction>(&v);
    if (!i)
      return std::nullopt;
    if (auto *wrap = found.wraps.find(i); wrap != found.wraps.end())
      return wrap->second.stride;
    if (auto *clamp = found.clamps.find(i); clamp != found.clamps.end())
      return strideBetween(*i->getOperand(clamp->second), found);
    if (auto *address = dyn_cast<GetElementPtrInst>(i))
      return strideOfAddress(*address, found);
    SmallVector<std::optional<int64_t>, 2> strides;
    for (Value *operand : i->operands())
      strides.push_back(strideBetween(*operand, found));
    if (is_contained(strides, std::nullopt))
      return std::nullopt;
    auto times = [&](unsigned operand, int64_t factor) -> std::optional<int64_t> {
      int64_t product;
      return MulOverflow(*strides[operand], factor, product) ? std::nullopt
                                                             : std::optional(product);
    };
    const APInt *number;
    if (all_of(strides, [](std::optional<int64_t> stride) { return stride == 0; }))
      return 0;
    switch (i->getOpcode()) {
    case Instruction::Or:
      if (!cast<PossiblyDisjointInst>(i)->isDisjoint())
        return std::nullopt;
      [[fallthrough]];
    case Instruction::Add:
      return *strides[0] + *strides[1];
    case Instruction::Sub:
      return *strides[0] - *strides[1];
    case Instruction::Mul:
      for (unsigned operand : {0, 1})
        if (match(i->getOperand(1 - operand), m_APInt(number)) && number->isSignedIntN(64))
          return times(operand, number->getSExtValue());
      return std::nullopt;
    case Instruction::Shl:
      if (match(i->getOperand(1), m_APInt(number)) && number->ult(32))
        return times(0, int64_t(1) << number->getZExtValue());
      return std::nullopt;
    default:
      return isa<CastInst, FreezeInst>(i) ? strides[0] : std::nullopt;
    }
  }

  std::optional<int64_t> strideOfAddress(GetElementPtrInst &address, const Found &found) const {
    const DataLayout &layout = address.getDataLayout();
    SmallMapVector<Value *, APInt, 4> variable;
    APInt constant(layout.getIndexTypeSizeInBits(address.getType()), 0);
    if (!address.collectOffset(layout, constant.getBitWidth(), variable, constant))
      return std::nullopt;
    std::optional<int64_t> total = strideBetween(*address.getPointerOperand(), found);
    for (auto &[index, scale] : variable) {
      std::optional<int64_t> stride = strideBetween(*index, found);
      int64_t step;
      if (!total || !stride || MulOverflow(*stride, scale.getSExtValue(), step) ||
          AddOverflow(*total, step, *total))
        return std::nullopt;
    }
    return total;
  }

  const LaneShapes &shapes;
  Found known;
  SmallDenseMap<Value *, Value *, 4> straightened; ///< of wraps
};

/// Whether instructions may be there twice, of which one is run.
bool mayBeCopied(BasicBlock::iterator begin, BasicBlock::iterator end) {
  return std::distance(begin, end) <= mostInstructionsOfCopy &&
         all_of(make_range(begin, end),
                [](Instruction &i) { return !simt::isSyncPoint(i) && !isa<AllocaInst>(i); });
}

bool isSimpleAccess(const Instruction &i) {
  if (const auto *load = dyn_cast<LoadInst>(&i))
    return load->isSimple();
  const auto *store = dyn_cast<StoreInst>(&i);
  return store && store->isSimple();
}

void copyBlock(Places &places, ArrayRef<Instruction *> accesses, unsigned width) {
  BasicBlock *head = accesses.front()->getParent();
  BasicBlock *clamped = SplitBlock(head, accesses.front());
  BasicBlock *behind = SplitBlock(clamped, std::next(accesses.back()->getIterator()));
  clamped->setName("clamped");
  ValueToValueMapTy map;
  BasicBlock *inside = CloneBasicBlock(clamped, map, ".inside", head->getParent());
  inside->moveBefore(clamped);
  inside->setName("inside");
  SmallVector<BasicBlock *, 1> copies{inside};
  remapInstructionsInBlocks(copies, map);

  IRBuilder<> b(head->getTerminator());
  b.SetCurrentDebugLocation(accesses.front()->getDebugLoc());
  Value *between = places.allAreBetween(b, width);
  head->getTerminator()->eraseFromParent();
  b.SetInsertPoint(head);
  b.CreateCondBr(between, inside, clamped);
  Places::Copies known;
  for (Instruction *access : accesses) {
    auto *copy = cast<Instruction>(map[access]);
    b.SetInsertPoint(copy);
    unsigned place = isa<LoadInst>(copy) ? LoadInst::getPointerOperandIndex()
                                         : StoreInst::getPointerOperandIndex();
    copy->setOperand(place, places.without(b, *access->getOperand(place), known));
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

bool copyForNeighbours(Function &f, const LaneShapes &shapes, unsigned width) {
  std::vector<std::pair<Places, SmallVector<Instruction *>>> chosen;
  for (BasicBlock &block : f) {
    Places places(shapes);
    SmallVector<Instruction *> accesses;
    for (Instruction &i : block)
      if (isSimpleAccess(i) && places.isOfNeighbours(i))
        accesses.push_back(&i);
    if (!accesses.empty() &&
        mayBeCopied(accesses.front()->getIterator(), std::next(accesses.back()->getIterator())) &&
        all_of(accesses, [&](Instruction *access) {
          return places.hoist(*getLoadStorePointerOperand(access), *accesses.front());
        }))
      chosen.push_back({std::move(places), std::move(accesses)});
  }
  for (auto &[places, accesses] : chosen)
    copyBlock(places, accesses, width);
  return !chosen.empty();
}

} // namespace heddle::cpu
