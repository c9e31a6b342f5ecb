#include "backend/cpu/vectorize/lanes/masks.h"

#include "backend/cpu/vectorize/lanes/stand_ins.h"

#include "llvm/IR/PatternMatch.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

Value *bitsOf(IRBuilderBase &b, Value *mask) {
  unsigned width = cast<FixedVectorType>(mask->getType())->getNumElements();
  return b.CreateBitCast(mask, b.getIntNTy(width));
}

Value *elementAt(IRBuilderBase &b, Value *vector, Value *number) {
  unsigned count = cast<FixedVectorType>(vector->getType())->getNumElements();
  Value *within =
      b.CreateAnd(b.CreateFreeze(number), ConstantInt::get(number->getType(), count - 1));
  return b.CreateExtractElement(vector, within);
}

Value *lanesOf(IRBuilderBase &b, Value *mask, Value *condition) {
  return mask ? b.CreateLogicalAnd(mask, condition) : b.CreateFreeze(condition);
}

LaneMasks::LaneMasks(Function &f, const ThreadGroups &groups, const LaneShapes &shapes,
                     LaneValues &values, LaneThreads &threads, IRBuilderBase &b)
    : groups(groups), shapes(shapes), values(values), threads(threads), b(b) {
  for (const auto &[from, branch] : shapes.branches()) {
    (branch.form == DivergentBranch::If ? ifs : latches)[branch.join] = from;
    if (branch.form == DivergentBranch::Latch)
      loopOfHeader[branch.loop->getHeader()] = &branch;
  }
}

Type *LaneMasks::type() const { return values.wide(b.getInt1Ty()); }

Value *LaneMasks::orAllLanes(Value *mask) {
  return mask ? mask : Constant::getAllOnesValue(type());
}

Value *LaneMasks::enter(BasicBlock &block) { return masks[&block] = make(block); }

Value *LaneMasks::make(BasicBlock &block) {
  if (auto made = masks.find(&block); made != masks.end())
    return made->second; // what an if skips, or what follows a loop
  if (const BasicBlock *from = ifOf(block))
    return of(*from);
  if (isForAllLanes(block))
    return nullptr;
  if (auto found = loopOfHeader.find(&block); found != loopOfHeader.end())
    return makeLoopMask(*found->second);
  if (block.isEntryBlock() && groups.partial)
    return existing_ = threads.existing();
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
  PHINode *mask = b.CreatePHI(type(), unsigned(ways.size()), "mask");
  for (auto [before, value] : ways)
    mask->addIncoming(orAllLanes(value), before);
  return mask;
}

Value *LaneMasks::makeLoopMask(const DivergentBranch &branch) {
  BasicBlock *header = branch.loop->getHeader(), *before = branch.loop->getLoopPreheader();
  Value *entering = of(*before);
  masks[branch.join] = entering;
  b.SetInsertPoint(header, header->begin());
  PHINode *mask = b.CreatePHI(type(), 2, "active");
  mask->addIncoming(orAllLanes(entering), before);
  return mask;
}

Value *LaneMasks::anyOfNeighbours(Value *condition, bool isTrue, Value *mask) {
  std::optional<Counting> counting = shapes.countingIn(*condition, isTrue);
  if (!counting || (mask && mask != existing_))
    return nullptr;
  auto [predicate, counted, bound] = *counting;
  if (ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate))
    return b.CreateICmp(predicate, counted, bound); // the first lane's is the least
  if (predicate == ICmpInst::ICMP_EQ && !mask && shapes.of(*counted).stride == 1)
    return b.CreateICmpULT(b.CreateSub(bound, counted),
                           ConstantInt::get(bound->getType(), groups.width));
  return nullptr;
}

Value *LaneMasks::allOfNeighbours(Value *condition, bool isTrue) {
  Value *first, *second;
  if (shapes.of(*condition).isUniform())
    return isTrue ? condition : b.CreateNot(condition);
  if (match(condition, m_Not(m_Value(first))))
    return allOfNeighbours(first, !isTrue);
  if (isTrue ? match(condition, m_LogicalAnd(m_Value(first), m_Value(second)))
             : match(condition, m_LogicalOr(m_Value(first), m_Value(second)))) {
    Value *one = allOfNeighbours(first, isTrue);
    Value *other = one ? allOfNeighbours(second, isTrue) : nullptr;
    return other ? b.CreateLogicalAnd(one, other) : nullptr;
  }
  std::optional<Counting> counting = shapes.countingIn(*condition, isTrue);
  if (!counting)
    return nullptr;
  auto [predicate, counted, bound] = *counting;
  if (predicate == ICmpInst::ICMP_NE && shapes.of(*counted).stride == 1)
    return b.CreateICmpUGE(b.CreateSub(bound, counted),
                           ConstantInt::get(bound->getType(), groups.width));
  bool greater = ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate);
  if (!greater && !ICmpInst::isLT(predicate) && !ICmpInst::isLE(predicate))
    return nullptr;
  int64_t toLast = shapes.of(*counted).stride * int64_t(groups.width - 1);
  if (!greater) // the last lane's is the greatest, and has not wrapped around
    counted = b.CreateAdd(counted, ConstantInt::get(counted->getType(), uint64_t(toLast)));
  return b.CreateICmp(predicate, counted, bound);
}

Value *LaneMasks::allHold(Value &condition, Value *mask) {
  if (Value *all = mask ? nullptr : allOfNeighbours(&condition, /*isTrue=*/true))
    return b.CreateFreeze(all);
  Value *bits = bitsOf(b, lanesOf(b, mask, values.vector(&condition)));
  return b.CreateICmpEQ(bits, Constant::getAllOnesValue(bits->getType()));
}

Value *LaneMasks::noneHolds(Value &condition, Value *mask) {
  return b.CreateIsNull(bitsOf(b, lanesOf(b, mask, values.vector(&condition))));
}

std::optional<Value *> LaneMasks::knownMask(Value &condition, bool isTrue, Value *mask) {
  std::optional<KnownLanes> lanes = shapes.knownLanes(condition, isTrue);
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

void LaneMasks::split(Value *condition, bool isTrue, Parts &parts) {
  Value *first, *second;
  if (shapes.of(*condition).isUniform()) {
    Value *holds = isTrue ? condition : b.CreateNot(condition);
    parts.ofAll = parts.ofAll ? b.CreateLogicalAnd(parts.ofAll, holds) : holds;
  } else if (match(condition, m_Not(m_Value(first)))) {
    split(first, !isTrue, parts);
  } else if (isTrue ? match(condition, m_LogicalAnd(m_Value(first), m_Value(second)))
                    : match(condition, m_LogicalOr(m_Value(first), m_Value(second)))) {
    split(first, isTrue, parts);
    split(second, isTrue, parts);
  } else {
    parts.ofEach.push_back({condition, isTrue});
  }
}

void LaneMasks::widenIf(BasicBlock &block, BasicBlock &then, bool isTrue) {
  auto &jump = *cast<BranchInst>(block.getTerminator());
  Value *mask = of(block);
  Parts parts;
  split(jump.getCondition(), isTrue, parts);
  if (!parts.ofAll)
    parts.ofEach = {{jump.getCondition(), isTrue}};
  Value *condition = nullptr;
  for (auto [part, isPartTrue] : parts.ofEach) {
    Value *holds = values.vector(part);
    if (!isPartTrue)
      holds = b.CreateNot(holds);
    condition = condition ? b.CreateLogicalAnd(condition, holds) : holds;
  }
  Value *lanes = lanesOf(b, mask, condition);
  Value *any = nullptr;
  std::optional<Value *> known;
  if (parts.ofEach.size() == 1) {
    auto [part, isPartTrue] = parts.ofEach.front();
    any = anyOfNeighbours(part, isPartTrue, mask);
    known = knownMask(*part, isPartTrue, mask);
  }
  if (!any)
    any = b.CreateIsNotNull(bitsOf(b, lanes));
  masks[&then] = known.value_or(lanes);
  if (parts.ofAll) {
    Value *all = b.CreateFreeze(parts.ofAll);
    any = b.CreateLogicalAnd(all, any);
    lanes = b.CreateLogicalAnd(b.CreateVectorSplat(groups.width, all), lanes);
  }
  jump.setCondition(any);
  taken_[&block] = lanes;
}

void LaneMasks::widenBranch(BasicBlock &block, const DivergentBranch &branch) {
  auto &jump = *cast<BranchInst>(block.getTerminator());
  b.SetInsertPoint(&jump);
  b.SetCurrentDebugLocation(jump.getDebugLoc());
  BasicBlock *on = branch.form == DivergentBranch::If ? branch.then : branch.loop->getHeader();
  bool isTrue = jump.getSuccessor(0) == on;
  if (!isTrue)
    jump.swapSuccessors();
  if (branch.form == DivergentBranch::If)
    return widenIf(block, *on, isTrue);
  Value *condition = values.vector(jump.getCondition());
  Value *lanes = lanesOf(b, of(block), isTrue ? condition : b.CreateNot(condition));
  Value *any = anyOfNeighbours(jump.getCondition(), isTrue, of(block));
  cast<PHINode>(of(*on))->addIncoming(lanes, &block);
  jump.setCondition(any ? any : b.CreateIsNotNull(bitsOf(b, lanes)));
  taken_[&block] = lanes;
}

} // namespace heddle::cpu
