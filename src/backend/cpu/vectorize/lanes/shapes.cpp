#include "backend/cpu/vectorize/lanes/shapes.h"

#include "backend/cpu/vectorize/distribute_extensions.h"
#include "backend/cpu/vectorize/interleave_locals.h"
#include "backend/cpu/vectorize/lanes/placeholders.h"
#include "simt/analysis/divergence.h"
#include "simt/ir/ops.h"
#include "simt/thresholds.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Computes log2 of the largest known power of two that divides lane 0's value.
class PowerOfTwoFactors {
public:
  explicit PowerOfTwoFactors(const ThreadGroups &groups)
      : widthBits(Log2_32(groups.width)), groups(groups) {}

  unsigned log2FactorOf(const Value &v) {
    if (const auto *number = dyn_cast<ConstantInt>(&v))
      return number->isZero() ? maxFactor : number->getValue().countr_zero();
    const auto *i = dyn_cast<Instruction>(&v);
    if (!i || depth == thresholds::maxExpressionDepth)
      return 0;
    if (!visiting.insert(i).second)
      return maxFactor; // around a loop: the other incoming values decide
    ++depth;
    unsigned factor = log2FactorOfInstruction(*i);
    --depth;
    visiting.erase(i);
    return factor;
  }

private:
  static constexpr unsigned maxFactor = 64;

  unsigned log2FactorOfInstruction(const Instruction &i) {
    if (std::optional<simt::Op> op = simt::calledOp(&i)) {
      bool wholeRows = !groups.linear && !groups.partial;
      bool multiple = (*op == simt::Op::ThreadIdX && !groups.linear) ||
                      (*op == simt::Op::BlockDimX && wholeRows);
      return multiple ? widthBits : 0;
    }
    if (std::optional<simt::Terms> terms = simt::termsOf(i, simt::View::Proof, i.getDataLayout())) {
      unsigned minFactor = maxFactor;
      for (const simt::Term &term : *terms)
        minFactor = std::min(minFactor, log2FactorOf(*term.value) +
                                            (term.variableFactor
                                                 ? log2FactorOf(*term.variableFactor)
                                                 : unsigned(countr_zero(uint64_t(term.factor)))));
      return minFactor;
    }
    switch (i.getOpcode()) {
    case Instruction::Or:
    case Instruction::Xor:
      return std::min(log2FactorOf(*i.getOperand(0)), log2FactorOf(*i.getOperand(1)));
    case Instruction::And:
      return std::max(log2FactorOf(*i.getOperand(0)), log2FactorOf(*i.getOperand(1)));
    case Instruction::Select:
      return std::min(log2FactorOf(*i.getOperand(1)), log2FactorOf(*i.getOperand(2)));
    case Instruction::PHI: {
      unsigned minFactor = maxFactor;
      for (const Value *incoming : cast<PHINode>(i).incoming_values())
        minFactor = std::min(minFactor, log2FactorOf(*incoming));
      return minFactor;
    }
    default:
      return 0;
    }
  }

  unsigned widthBits;
  const ThreadGroups &groups;
  unsigned depth = 0;
  SmallPtrSet<const Instruction *, 8> visiting;
};

/// The phi's only incoming value, ignoring undefined ones; null if there are several.
Value *uniqueIncomingValue(PHINode &phi) {
  Value *only = nullptr;
  for (Value *v : phi.incoming_values()) {
    if (isa<UndefValue>(v) || v == &phi || v == only)
      continue;
    if (only)
      return nullptr;
    only = v;
  }
  return only;
}

} // namespace

LaneShapes::LaneShapes(Function &f, const ThreadGroups &groups,
                       const PostDominatorTree &postDominators, const LoopInfo &loops)
    : ShapeRules(simt::View::Proof, f.getDataLayout(), groups.width), f(f), groups(groups),
      postDominators(postDominators), loops(loops) {
  do
    propagate();
  while (seedUnknownPhi());
}

void LaneShapes::propagate() {
  ReversePostOrderTraversal<Function *> order(&f);
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock *block : order) {
      for (Instruction &i : *block)
        changed |= updateShape(i);
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      if (branch && branch->isConditional() && shapeOf(*branch->getCondition()).isVarying() &&
          !branches_.contains(block)) {
        branches_[block] = classifyBranch(*branch);
        changed = true;
      }
    }
  }
}

bool LaneShapes::seedUnknownPhi() {
  for (BasicBlock &block : f)
    for (PHINode &phi : block.phis())
      if (shapeOf(phi).kind == LaneShape::Unknown) {
        shapes_[&phi] = LaneShape::uniform();
        return true;
      }
  return false;
}

LaneShape LaneShapes::shapeOf(const Value &v) const {
  if (!isa<Instruction>(v))
    return LaneShape::uniform();
  return shapes_.lookup(&v);
}

const DivergentBranch *LaneShapes::divergentBranchOf(const BasicBlock &block) const {
  auto found = branches_.find(&block);
  return found == branches_.end() ? nullptr : &found->second;
}

bool LaneShapes::supportsAllBranches() const {
  return all_of(branches_,
                [](const auto &b) { return b.second.kind != DivergentBranch::Unsupported; });
}

bool LaneShapes::updateShape(Instruction &i) {
  if (i.getType()->isVoidTy())
    return false;
  LaneShape &known = shapes_[&i];
  if (known.kind == LaneShape::Varying)
    return false;
  LaneShape next = merge(known, computeShape(i));
  // A stride that changes around a loop becomes varying.
  bool changed = next != known;
  shapes_[&i] = next;
  return changed;
}

LaneShape LaneShapes::computeShape(Instruction &i) const {
  if (auto *alloca = dyn_cast<AllocaInst>(&i)) {
    uint64_t element = interleavedElementBytes(*alloca);
    return LaneShape::strided(
        int64_t(element ? element : alloca->getAllocationSize(f.getDataLayout())->getFixedValue()));
  }
  if (auto *phi = dyn_cast<PHINode>(&i))
    return shapeOfPhi(*phi);
  auto isUnknown = [&](const Use &u) { return shapeOf(*u).kind == LaneShape::Unknown; };
  if (any_of(i.operands(), isUnknown))
    return {};
  if (simt::hasUniformResult(i) || isLanePlaceholder(i))
    return LaneShape::uniform();
  if (simt::isDivergenceSource(i, neighborsIn(groups))) {
    std::optional<simt::Op> op = simt::calledOp(&i);
    bool counts = op == simt::Op::LaneId ? haveConsecutiveLaneIds(groups)
                                         : op == simt::Op::ThreadIdX && !groups.linear;
    return counts ? LaneShape::strided(1) : LaneShape::varying();
  }
  if (auto *cast = dyn_cast<CastInst>(&i); cast && isSharedOrLocalArrayIndex(*cast))
    if (LaneShape shape = shapeOf(*cast->getOperand(0)); shape.isStrided())
      return shape;
  return shapeOfResult(i);
}

LaneShape LaneShapes::shapeOfPhi(PHINode &phi) const {
  BasicBlock *block = phi.getParent();
  bool joins = false;
  for (const auto &[from, branch] : branches_) {
    if (branch.join != block)
      continue;
    if (branch.kind == DivergentBranch::Latch) {
      auto *inside = dyn_cast<Instruction>(phi.getIncomingValueForBlock(from));
      if (inside && branch.loop->contains(inside))
        return LaneShape::varying(); // the lanes exit in different iterations
    } else {
      joins = true;
    }
  }
  if (joins) {
    Value *only = uniqueIncomingValue(phi);
    return only ? shapeOf(*only) : LaneShape::varying();
  }
  LaneShape shape;
  for (Value *incoming : phi.incoming_values())
    if (!isa<UndefValue>(incoming))
      shape = merge(shape, shapeOf(*incoming));
  return shape;
}

bool LaneShapes::hasNoWrapAcrossLanes(const Value &v, int64_t stride) const {
  std::optional<simt::Op> op = simt::calledOp(&v);
  if (op == simt::Op::ThreadIdX || op == simt::Op::LaneId)
    return true;
  if (stride <= 0 || !isPowerOf2_64(uint64_t(stride)) || v.getType()->isIntegerTy(1))
    return false;
  unsigned bits = Log2_64(groups.width) + Log2_64(uint64_t(stride));
  return bits < v.getType()->getIntegerBitWidth() &&
         PowerOfTwoFactors(groups).log2FactorOf(v) >= bits;
}

bool LaneShapes::isIncreasing(const Value &v) const {
  LaneShape shape = shapeOf(v);
  return v.getType()->isIntegerTy() && shape.isStrided() && shape.stride > 0 &&
         hasNoWrapAcrossLanes(v, shape.stride);
}

std::optional<IncreasingCompare> LaneShapes::matchIncreasingCompare(Value &condition,
                                                                    bool isTrue) const {
  auto *compare = dyn_cast<ICmpInst>(&condition);
  if (!compare)
    return std::nullopt;
  ICmpInst::Predicate predicate = isTrue ? compare->getPredicate() : compare->getInversePredicate();
  Value *increasing = compare->getOperand(0), *bound = compare->getOperand(1);
  if (!isIncreasing(*increasing)) {
    std::swap(increasing, bound);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  if (!isIncreasing(*increasing) || !shapeOf(*bound).isUniform())
    return std::nullopt;
  return IncreasingCompare{predicate, increasing, bound};
}

std::optional<KnownLanes> LaneShapes::lanesWhereConditionHolds(Value &condition,
                                                               bool isTrue) const {
  std::optional<IncreasingCompare> counting = matchIncreasingCompare(condition, isTrue);
  const APInt *bound;
  if (!counting || groups.linear || !match(counting->bound, m_APInt(bound)) ||
      bound->isNegative() || bound->ugt(groups.width))
    return std::nullopt;
  Value *increasing = counting->increasing, *thread;
  bool isLane = false;
  while (!isa<CallInst>(increasing)) {
    bool isRest =
        !isLane && match(increasing, m_And(m_Value(thread), m_SpecificInt(groups.width - 1)));
    if (!isRest && !match(increasing, m_ZExtOrSExt(m_Value(thread))))
      return std::nullopt;
    isLane |= isRest;
    increasing = thread;
  }
  if (simt::calledOp(increasing) != simt::Op::ThreadIdX)
    return std::nullopt;
  auto first = [&](uint64_t count) {
    return KnownLanes{maskTrailingOnes<uint64_t>(unsigned(count)), isLane};
  };
  uint64_t number = bound->getZExtValue();
  if (ICmpInst::isLT(counting->predicate))
    return first(number);
  if (number == groups.width)
    return std::nullopt;
  if (ICmpInst::isLE(counting->predicate))
    return first(number + 1);
  if (counting->predicate == ICmpInst::ICMP_EQ)
    return KnownLanes{uint64_t(1) << number, isLane};
  return std::nullopt;
}

DivergentBranch LaneShapes::classifyBranch(BranchInst &branch) const {
  BasicBlock *block = branch.getParent();
  DivergentBranch result;
  Loop *loop = loops.getLoopFor(block);
  if (loop && loop->getLoopLatch() == block && loop->getExitingBlock() == block &&
      loop->getLoopPreheader()) {
    unsigned out = loop->contains(branch.getSuccessor(0)) ? 1 : 0;
    result.kind = DivergentBranch::Latch;
    result.join = branch.getSuccessor(out);
    result.loop = loop;
    return result;
  }
  const auto *node = postDominators.getNode(block);
  BasicBlock *end = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  result.join = end;
  for (unsigned k : {0u, 1u}) {
    BasicBlock *then = branch.getSuccessor(k);
    if (branch.getSuccessor(1 - k) != end || then == end || then->getSinglePredecessor() != block ||
        loops.getLoopFor(end) != loop)
      continue;
    result.kind = DivergentBranch::If;
    result.then = then;
  }
  return result;
}

} // namespace heddle::cpu
