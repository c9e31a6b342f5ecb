#include "backend/cpu/vectorize/version_clamped_accesses.h"

#include "backend/cpu/vectorize/lanes/placeholders.h"
#include "backend/cpu/vectorize/lanes/wraps.h"
#include "simt/analysis/sync_points.h"
#include "simt/ir/checks.h"
#include "simt/passes/lower_wraps.h"
#include "simt/thresholds.h"

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

/// The clamps and wraps that an address depends on.
struct Clamps {
  /// Clamps, with the number of the clamped operand. The number stays valid when a copy of another block
  /// replaces the operand.
  SmallMapVector<Instruction *, unsigned, 4> clamps;
  SmallMapVector<Instruction *, Wrap, 4> wraps;
};

/// Estimates shapes without clamps and wraps.
class UnclampedShapes final : public simt::ShapeRules {
public:
  UnclampedShapes(const LaneShapes &shapes, const Clamps &found, const DataLayout &layout)
      : ShapeRules(simt::View::Estimate, layout), shapes(shapes), found(found) {}

  LaneShape shapeOf(const Value &v) const override {
    LaneShape shape = shapes.shapeOf(v);
    if (!shape.isVarying())
      return shape;
    auto *i = cast<Instruction>(const_cast<Value *>(&v));
    if (auto *wrap = found.wraps.find(i); wrap != found.wraps.end())
      return LaneShape::strided(wrap->second.stride);
    if (auto *clamp = found.clamps.find(i); clamp != found.clamps.end())
      return shapeOf(*i->getOperand(clamp->second));
    return shapeOfResult(*i);
  }

private:
  const LaneShapes &shapes;
  const Clamps &found;
};

/// The clamped or wrapped accesses of a block, and their addresses without clamps and wraps.
class ClampedAccesses {
public:
  explicit ClampedAccesses(const LaneShapes &shapes) : shapes(shapes) {}

  /// Returns true if the lanes access consecutive elements or the same element, except for clamps and wraps, and
  /// records these.
  bool recordIfContiguousExceptClamps(Instruction &access) {
    Value &address = *getLoadStorePointerOperand(&access);
    Clamps found;
    SmallPtrSet<Value *, 16> seen;
    if (!collectClamps(address, found, seen, 0) || (found.clamps.empty() && found.wraps.empty()))
      return false;
    const DataLayout &layout = access.getDataLayout();
    LaneShape shape = UnclampedShapes(shapes, found, layout).shapeOf(address);
    auto size = int64_t(layout.getTypeAllocSize(getLoadStoreType(&access)).getFixedValue());
    bool isSame = shape.isUniform() && isa<LoadInst>(access);
    if (!isSame && shape != LaneShape::strided(size))
      return false;
    for (const auto &clamp : found.clamps)
      known.clamps.insert(clamp);
    for (const auto &wrap : found.wraps)
      known.wraps.insert(wrap);
    return true;
  }

  /// Moves the computation of an access's address before `before`, in its block. Returns false if that is impossible.
  bool hoistAddressComputation(Value &v, Instruction &before) const {
    auto *i = dyn_cast<Instruction>(&v);
    if (!i || i->getParent() != before.getParent() || isa<PHINode>(i) || i->comesBefore(&before))
      return true;
    if (!isClamp(*i) && !known.wraps.contains(i) && !isMovableAddressPart(*i))
      return false;
    for (Value *operand : i->operands())
      if (!hoistAddressComputation(*operand, before))
        return false;
    i->moveBefore(before.getIterator());
    return true;
  }

  /// Values without clamps and wraps, available at one position.
  using Copies = SmallDenseMap<Value *, Value *, 16>;

  /// Emits an i1 that is uniform and true if no lane is clamped or wrapped.
  Value *emitNoneClampedTest(IRBuilderBase &b, unsigned width) {
    Value *all = nullptr, *anyClamped = nullptr;
    for (auto &[number, wrap] : known.wraps) {
      LinearizedWrap linear = linearizeStepOrWrap(wrap, shapes, width);
      linearized[number] = linear.value;
      all = all ? b.CreateAnd(all, linear.holds) : linear.holds;
    }
    Copies copies;
    for (auto [clamp, clampedOperand] : known.clamps) {
      Value *one = emitIsClampedTest(b, *clamp, clampedOperand, copies);
      anyClamped = anyClamped ? b.CreateOr(anyClamped, one) : one;
    }
    Value *none = anyClamped ? emitNoLaneQuery(b, anyClamped) : nullptr;
    return !all || !none ? (all ? all : none) : b.CreateAnd(all, none);
  }

  /// Emits `v` without clamps and wraps.
  Value *emitUnclamped(IRBuilderBase &b, Value &v, Copies &copies) const {
    if (!shapes.shapeOf(v).isVarying())
      return &v;
    if (Value *copy = copies.lookup(&v))
      return copy;
    if (Value *linear = linearized.lookup(&v))
      return linear;
    const auto &clamps = known.clamps;
    if (auto *clamp = clamps.find(dyn_cast<Instruction>(&v)); clamp != clamps.end())
      return copies[&v] = emitClampedOperand(b, *clamp->first, clamp->second, copies).first;
    Instruction *copy = cast<Instruction>(v).clone();
    for (Use &operand : copy->operands())
      operand.set(emitUnclamped(b, *operand.get(), copies));
    return copies[&v] = b.Insert(copy);
  }

private:
  static bool isClamp(Instruction &i) {
    return isa<MinMaxIntrinsic, SelectInst>(i) || i.getOpcode() == Instruction::URem ||
           i.getOpcode() == Instruction::SRem || simt::isWrap(i);
  }

  /// The divisor of a remainder. In C++, the divisor is replaced by 1 where the processor would trap.
  static Value *divisorOf(const Instruction &remainder) {
    Value *operand = remainder.getOperand(1), *divisor;
    return match(operand, m_Select(m_Value(), m_One(), m_Value(divisor))) ? divisor : operand;
  }

  bool isUniform(const Value &v) const { return shapes.shapeOf(v).isUniform(); }

  /// The operand that equals the clamp's value except at bounds; nullopt if unknown.
  std::optional<unsigned> findClampedOperand(Instruction &clamp) const {
    if (auto *select = dyn_cast<SelectInst>(&clamp))
      return findClampedArm(*select);
    if (simt::isWrap(clamp))
      return isUniform(*clamp.getOperand(1)) ? std::optional(0u) : std::nullopt;
    if (isUniform(*(clamp.isIntDivRem() ? divisorOf(clamp) : clamp.getOperand(1))))
      return 0;
    return !clamp.isIntDivRem() && isUniform(*clamp.getOperand(0)) ? std::optional(1u)
                                                                   : std::nullopt;
  }

  std::optional<unsigned> findClampedArm(SelectInst &select) const {
    constexpr unsigned first = 1, second = 2;
    Value *x = select.getTrueValue(), *y = select.getFalseValue(), *added;
    if (isUniform(*x) && isUniform(*y)) {
      // Python's remainder adds the divisor to a negative remainder.
      if (match(x, m_Zero()))
        return first;
      return match(y, m_Zero()) ? std::optional(second) : std::nullopt;
    }
    if (isUniform(*y))
      return first;
    if (isUniform(*x) ||
        isUniform(*select.getCondition())) // C remainder, guarded against division by 0
      return second;
    if (match(x, m_c_Add(m_Specific(y), m_Value(added))) && isUniform(*added))
      return second;
    if (match(y, m_c_Add(m_Specific(x), m_Value(added))) && isUniform(*added))
      return first;
    return std::nullopt;
  }

  /// Emits the clamped operand. The second result is true if the divisor was removed from it: `(i - 1 + n) % n` becomes
  /// `i - 1`. InstCombine puts constants last.
  std::pair<Value *, bool> emitClampedOperand(IRBuilderBase &b, Instruction &clamp,
                                              unsigned operand, Copies &copies) const {
    Value *clampedOperand = clamp.getOperand(operand), *divisor = divisorOf(clamp), *index, *inner;
    Instruction *sum;
    if (clamp.isIntDivRem() && match(clampedOperand, m_c_Add(m_Value(index), m_Specific(divisor))))
      return {emitUnclamped(b, *index, copies), true};
    if (clamp.isIntDivRem() &&
        match(clampedOperand,
              m_Add(m_CombineAnd(m_Instruction(sum), m_c_Add(m_Value(index), m_Specific(divisor))),
                    m_Value(inner)))) {
      bool exact = sum->hasNoSignedWrap() && cast<Instruction>(clampedOperand)->hasNoSignedWrap();
      return {b.CreateAdd(emitUnclamped(b, *index, copies), emitUnclamped(b, *inner, copies), "",
                          /*HasNUW=*/false, exact),
              true};
    }
    return {emitUnclamped(b, *clampedOperand, copies), false};
  }

  /// Emits whether a lane's value differs from the clamped operand.
  Value *emitIsClampedTest(IRBuilderBase &b, Instruction &clamp, unsigned operand,
                           Copies &copies) const {
    if (auto *select = dyn_cast<SelectInst>(&clamp)) {
      Value *condition = emitUnclamped(b, *select->getCondition(), copies);
      return operand == 1 ? b.CreateNot(condition) : condition;
    }
    auto [index, isReduced] = emitClampedOperand(b, clamp, operand, copies);
    if (simt::isWrap(clamp))
      return simt::emitIsNegative(b, *index);
    Value *bound = clamp.isIntDivRem() ? divisorOf(clamp) : clamp.getOperand(1 - operand);
    if (auto *limit = dyn_cast<MinMaxIntrinsic>(&clamp))
      return b.CreateICmp(
          CmpInst::getInversePredicate(CmpInst::getNonStrictPredicate(limit->getPredicate())),
          index, bound);
    Value *beyond = b.CreateICmpUGE(index, bound);
    if (clamp.getOpcode() == Instruction::SRem) // the divisor may be negative or 0
      beyond = b.CreateOr(b.CreateICmpSLT(index, Constant::getNullValue(index->getType())),
                          b.CreateICmpSGE(index, bound));
    if (!isReduced)
      return beyond;
    // Twice the divisor must not wrap around.
    APInt maxBound = APInt::getOneBitSet(index->getType()->getIntegerBitWidth(),
                                         index->getType()->getIntegerBitWidth() - 2);
    return b.CreateOr(beyond, b.CreateICmpUGT(bound, b.getInt(maxBound)));
  }

  /// Returns true if the instruction may be moved or cloned to where it would not run.
  static bool isMovableAddressPart(const Instruction &i) {
    return isa<BinaryOperator, CastInst, GetElementPtrInst, FreezeInst, ICmpInst>(i) &&
           !i.isIntDivRem();
  }

  /// Collects the clamps and wraps that a varying value depends on. Returns false if emitUnclamped does not support the
  /// value.
  bool collectClamps(Value &v, Clamps &found, SmallPtrSetImpl<Value *> &seen,
                     unsigned depth) const {
    if (!shapes.shapeOf(v).isVarying() || !seen.insert(&v).second)
      return true;
    auto *i = dyn_cast<Instruction>(&v);
    if (!i || depth == thresholds::maxExpressionDepth)
      return false;
    if (std::optional<Wrap> wrap = matchStepOrWrap(*i, shapes)) {
      found.wraps.insert({i, *wrap});
      return true;
    }
    auto isKnown = [&](Value *part) { return collectClamps(*part, found, seen, depth + 1); };
    if (!isClamp(*i))
      return isMovableAddressPart(*i) &&
             all_of(i->operands(), [&](Use &part) { return isKnown(part); });
    std::optional<unsigned> clampedOperand = findClampedOperand(*i);
    if (!clampedOperand)
      return false;
    found.clamps.insert({i, *clampedOperand});
    auto *select = dyn_cast<SelectInst>(i);
    return isKnown(i->getOperand(*clampedOperand)) && (!select || isKnown(select->getCondition()));
  }

  const LaneShapes &shapes;
  Clamps known;
  SmallDenseMap<Value *, Value *, 4> linearized; ///< wraps and their values without wraparound
};

/// Returns true if the instructions may be duplicated into two alternatives.
bool canBeDuplicated(BasicBlock::iterator begin, BasicBlock::iterator end) {
  return std::distance(begin, end) <= ptrdiff_t(thresholds::maxCopiedSize) &&
         all_of(make_range(begin, end),
                [](Instruction &i) { return !simt::isSyncPoint(i) && !isa<AllocaInst>(i); });
}

bool isSimpleAccess(const Instruction &i) {
  if (const auto *load = dyn_cast<LoadInst>(&i))
    return load->isSimple();
  const auto *store = dyn_cast<StoreInst>(&i);
  return store && store->isSimple();
}

void versionClampedBlock(ClampedAccesses &candidates, ArrayRef<Instruction *> accesses,
                         unsigned width) {
  BasicBlock *head = accesses.front()->getParent();
  BasicBlock *clamped = SplitBlock(head, accesses.front());
  BasicBlock *after = SplitBlock(clamped, std::next(accesses.back()->getIterator()));
  clamped->setName("clamped");
  ValueToValueMapTy map;
  BasicBlock *inside = CloneBasicBlock(clamped, map, ".inside", head->getParent());
  inside->moveBefore(clamped);
  inside->setName("inside");
  SmallVector<BasicBlock *, 1> copies{inside};
  remapInstructionsInBlocks(copies, map);

  IRBuilder<> b(head->getTerminator());
  b.SetCurrentDebugLocation(accesses.front()->getDebugLoc());
  Value *noneClamped = candidates.emitNoneClampedTest(b, width);
  head->getTerminator()->eraseFromParent();
  b.SetInsertPoint(head);
  b.CreateCondBr(noneClamped, inside, clamped);
  ClampedAccesses::Copies known;
  for (Instruction *access : accesses) {
    auto *copy = cast<Instruction>(map[access]);
    b.SetInsertPoint(copy);
    unsigned address = isa<LoadInst>(copy) ? LoadInst::getPointerOperandIndex()
                                           : StoreInst::getPointerOperandIndex();
    copy->setOperand(address, candidates.emitUnclamped(b, *access->getOperand(address), known));
  }
  for (Instruction &i : *clamped) {
    SmallVector<Use *> outsideUses;
    for (Use &use : i.uses())
      if (cast<Instruction>(use.getUser())->getParent() != clamped)
        outsideUses.push_back(&use);
    if (outsideUses.empty())
      continue;
    PHINode *phi = PHINode::Create(i.getType(), 2, i.getName(), after->begin());
    phi->setDebugLoc(i.getDebugLoc());
    phi->addIncoming(&i, clamped);
    phi->addIncoming(map[&i], inside);
    for (Use *use : outsideUses)
      use->set(phi);
  }
}

} // namespace

unsigned versionClampedAccesses(Function &f, const LaneShapes &shapes, unsigned width) {
  std::vector<std::pair<ClampedAccesses, SmallVector<Instruction *>>> chosen;
  for (BasicBlock &block : f) {
    ClampedAccesses candidates(shapes);
    SmallVector<Instruction *> accesses;
    for (Instruction &i : block)
      if (isSimpleAccess(i) && candidates.recordIfContiguousExceptClamps(i))
        accesses.push_back(&i);
    if (!accesses.empty() &&
        canBeDuplicated(accesses.front()->getIterator(),
                        std::next(accesses.back()->getIterator())) &&
        all_of(accesses, [&](Instruction *access) {
          return candidates.hoistAddressComputation(*getLoadStorePointerOperand(access),
                                                    *accesses.front());
        }))
      chosen.push_back({std::move(candidates), std::move(accesses)});
  }
  for (auto &[candidates, accesses] : chosen)
    versionClampedBlock(candidates, accesses, width);
  return unsigned(chosen.size());
}

} // namespace heddle::cpu
