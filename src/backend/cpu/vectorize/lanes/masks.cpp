#include "backend/cpu/vectorize/lanes/masks.h"

#include "backend/cpu/vectorize/lanes/placeholders.h"

#include "llvm/IR/PatternMatch.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

Value *maskToInteger(IRBuilderBase &b, Value *mask) {
  unsigned width = cast<FixedVectorType>(mask->getType())->getNumElements();
  return b.CreateBitCast(mask, b.getIntNTy(width));
}

Value *extractElementAt(IRBuilderBase &b, Value *vector, Value *number) {
  unsigned count = cast<FixedVectorType>(vector->getType())->getNumElements();
  Value *within =
      b.CreateAnd(b.CreateFreeze(number), ConstantInt::get(number->getType(), count - 1));
  return b.CreateExtractElement(vector, within);
}

Value *andMask(IRBuilderBase &b, Value *mask, Value *condition) {
  return mask ? b.CreateLogicalAnd(mask, condition) : b.CreateFreeze(condition);
}

LaneMasks::LaneMasks(Function &f, const ThreadGroups &groups, const LaneShapes &shapes,
                     LaneValues &values, LaneThreads &threads, IRBuilderBase &b)
    : groups(groups), shapes(shapes), values(values), threads(threads), b(b) {
  for (const auto &[from, branch] : shapes.branches()) {
    (branch.kind == DivergentBranch::If ? ifs : latches)[branch.join] = from;
    if (branch.kind == DivergentBranch::Latch)
      loopOfHeader[branch.loop->getHeader()] = &branch;
  }
}

Type *LaneMasks::maskType() const { return values.vectorType(b.getInt1Ty()); }

Value *LaneMasks::maskOrAllOnes(Value *mask) {
  return mask ? mask : Constant::getAllOnesValue(maskType());
}

Value *LaneMasks::createMask(BasicBlock &block) { return masks[&block] = computeMask(block); }

Value *LaneMasks::computeMask(BasicBlock &block) {
  if (auto made = masks.find(&block); made != masks.end())
    return made->second; // set by the branch or loop before
  if (const BasicBlock *from = branchJoiningAt(block))
    return maskOf(*from);
  if (isGuardedByAllLanes(block))
    return nullptr;
  if (auto found = loopOfHeader.find(&block); found != loopOfHeader.end())
    return makeLoopMask(*found->second);
  if (block.isEntryBlock() && groups.partial)
    return existingLanes_ = threads.emitMaskOfExistingLanes();
  SmallVector<std::pair<BasicBlock *, Value *>, 4> incoming;
  bool same = true;
  for (BasicBlock *before : predecessors(&block)) {
    auto mask = masks.find(before);
    if (mask == masks.end())
      continue; // back edge; the loop's mask does not change
    incoming.push_back({before, mask->second});
    same &= mask->second == incoming.front().second;
  }
  if (same)
    return incoming.empty() ? nullptr : incoming.front().second;
  b.SetInsertPoint(&block, block.begin());
  PHINode *mask = b.CreatePHI(maskType(), unsigned(incoming.size()), "mask");
  for (auto [before, value] : incoming)
    mask->addIncoming(maskOrAllOnes(value), before);
  return mask;
}

Value *LaneMasks::makeLoopMask(const DivergentBranch &branch) {
  BasicBlock *header = branch.loop->getHeader(), *before = branch.loop->getLoopPreheader();
  Value *entering = maskOf(*before);
  masks[branch.join] = entering;
  b.SetInsertPoint(header, header->begin());
  PHINode *mask = b.CreatePHI(maskType(), 2, "active");
  mask->addIncoming(maskOrAllOnes(entering), before);
  return mask;
}

Value *LaneMasks::emitAnyHoldsWithoutVectors(Value *condition, bool isTrue, Value *mask) {
  std::optional<IncreasingCompare> compared = shapes.matchIncreasingCompare(*condition, isTrue);
  if (!compared || (mask && mask != existingLanes_))
    return nullptr;
  auto [predicate, increasing, bound] = *compared;
  if (ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate))
    return b.CreateICmp(predicate, increasing, bound); // the first lane has the smallest value
  if (predicate == ICmpInst::ICMP_EQ && !mask && shapes.shapeOf(*increasing).stride == 1)
    return b.CreateICmpULT(b.CreateSub(bound, increasing),
                           ConstantInt::get(bound->getType(), groups.width));
  return nullptr;
}

Value *LaneMasks::emitAllHoldWithoutVectors(Value *condition, bool isTrue) {
  Value *first, *second;
  if (shapes.shapeOf(*condition).isUniform())
    return isTrue ? condition : b.CreateNot(condition);
  if (match(condition, m_Not(m_Value(first))))
    return emitAllHoldWithoutVectors(first, !isTrue);
  if (isTrue ? match(condition, m_LogicalAnd(m_Value(first), m_Value(second)))
             : match(condition, m_LogicalOr(m_Value(first), m_Value(second)))) {
    Value *one = emitAllHoldWithoutVectors(first, isTrue);
    Value *other = one ? emitAllHoldWithoutVectors(second, isTrue) : nullptr;
    return other ? b.CreateLogicalAnd(one, other) : nullptr;
  }
  std::optional<IncreasingCompare> compared = shapes.matchIncreasingCompare(*condition, isTrue);
  if (!compared)
    return nullptr;
  auto [predicate, increasing, bound] = *compared;
  if (predicate == ICmpInst::ICMP_NE && shapes.shapeOf(*increasing).stride == 1)
    return b.CreateICmpUGE(b.CreateSub(bound, increasing),
                           ConstantInt::get(bound->getType(), groups.width));
  bool greater = ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate);
  if (!greater && !ICmpInst::isLT(predicate) && !ICmpInst::isLE(predicate))
    return nullptr;
  int64_t toLast = shapes.shapeOf(*increasing).stride * int64_t(groups.width - 1);
  if (!greater) // the last lane has the largest value, and it has not wrapped around
    increasing = b.CreateAdd(increasing, ConstantInt::get(increasing->getType(), uint64_t(toLast)));
  return b.CreateICmp(predicate, increasing, bound);
}

Value *LaneMasks::emitAllActiveAndHold(Value &condition, Value *mask) {
  if (Value *all = mask ? nullptr : emitAllHoldWithoutVectors(&condition, /*isTrue=*/true))
    return b.CreateFreeze(all);
  Value *bits = maskToInteger(b, andMask(b, mask, values.vector(&condition)));
  return b.CreateICmpEQ(bits, Constant::getAllOnesValue(bits->getType()));
}

Value *LaneMasks::emitNoneHolds(Value &condition, Value *mask) {
  return b.CreateIsNull(maskToInteger(b, andMask(b, mask, values.vector(&condition))));
}

std::optional<Value *> LaneMasks::constantMaskIfKnown(Value &condition, bool isTrue, Value *mask) {
  std::optional<KnownLanes> lanes = shapes.lanesWhereConditionHolds(condition, isTrue);
  if (!lanes || (mask && !isa<Constant>(mask)))
    return std::nullopt;
  SmallVector<Constant *, 32> bits;
  for (unsigned lane = 0; lane < groups.width; ++lane) {
    bool isOn = !mask || cast<Constant>(mask)->getAggregateElement(lane)->isOneValue();
    bits.push_back(b.getInt1(isOn && lanes->bits >> lane & 1));
  }
  bool all = !mask && lanes->bits == maskTrailingOnes<uint64_t>(groups.width);
  return all ? nullptr : ConstantVector::get(bits);
}

void LaneMasks::splitUniformAndVaryingParts(Value *condition, bool isTrue, Parts &parts) {
  Value *first, *second;
  if (shapes.shapeOf(*condition).isUniform()) {
    Value *holds = isTrue ? condition : b.CreateNot(condition);
    parts.uniform = parts.uniform ? b.CreateLogicalAnd(parts.uniform, holds) : holds;
  } else if (match(condition, m_Not(m_Value(first)))) {
    splitUniformAndVaryingParts(first, !isTrue, parts);
  } else if (isTrue ? match(condition, m_LogicalAnd(m_Value(first), m_Value(second)))
                    : match(condition, m_LogicalOr(m_Value(first), m_Value(second)))) {
    splitUniformAndVaryingParts(first, isTrue, parts);
    splitUniformAndVaryingParts(second, isTrue, parts);
  } else {
    parts.varying.push_back({condition, isTrue});
  }
}

void LaneMasks::widenOneSidedIf(BasicBlock &block, BasicBlock &then, bool isTrue) {
  auto &br = *cast<BranchInst>(block.getTerminator());
  Value *mask = maskOf(block);
  Parts parts;
  splitUniformAndVaryingParts(br.getCondition(), isTrue, parts);
  if (!parts.uniform)
    parts.varying = {{br.getCondition(), isTrue}};
  Value *condition = nullptr;
  for (auto [part, isPartTrue] : parts.varying) {
    Value *holds = values.vector(part);
    if (!isPartTrue)
      holds = b.CreateNot(holds);
    condition = condition ? b.CreateLogicalAnd(condition, holds) : holds;
  }
  Value *lanes = andMask(b, mask, condition);
  Value *any = nullptr;
  std::optional<Value *> known;
  if (parts.varying.size() == 1) {
    auto [part, isPartTrue] = parts.varying.front();
    any = emitAnyHoldsWithoutVectors(part, isPartTrue, mask);
    known = constantMaskIfKnown(*part, isPartTrue, mask);
  }
  if (!any)
    any = b.CreateIsNotNull(maskToInteger(b, lanes));
  masks[&then] = known.value_or(lanes);
  if (parts.uniform) {
    Value *all = b.CreateFreeze(parts.uniform);
    any = b.CreateLogicalAnd(all, any);
    lanes = b.CreateLogicalAnd(b.CreateVectorSplat(groups.width, all), lanes);
  }
  br.setCondition(any);
  taken_[&block] = lanes;
}

void LaneMasks::widenBranch(BasicBlock &block, const DivergentBranch &branch) {
  auto &br = *cast<BranchInst>(block.getTerminator());
  b.SetInsertPoint(&br);
  b.SetCurrentDebugLocation(br.getDebugLoc());
  BasicBlock *on = branch.kind == DivergentBranch::If ? branch.then : branch.loop->getHeader();
  bool isTrue = br.getSuccessor(0) == on;
  if (!isTrue)
    br.swapSuccessors();
  if (branch.kind == DivergentBranch::If)
    return widenOneSidedIf(block, *on, isTrue);
  Value *condition = values.vector(br.getCondition());
  Value *lanes = andMask(b, maskOf(block), isTrue ? condition : b.CreateNot(condition));
  Value *any = emitAnyHoldsWithoutVectors(br.getCondition(), isTrue, maskOf(block));
  cast<PHINode>(maskOf(*on))->addIncoming(lanes, &block);
  br.setCondition(any ? any : b.CreateIsNotNull(maskToInteger(b, lanes)));
  taken_[&block] = lanes;
}

} // namespace heddle::cpu
