#include "backend/cpu/vectorize/lane_masks.h"

namespace heddle::cpu {

using namespace llvm;

Value *bitsOf(IRBuilderBase &b, Value *mask) {
  unsigned width = cast<FixedVectorType>(mask->getType())->getNumElements();
  return b.CreateBitCast(mask, b.getIntNTy(width));
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
  auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare || (mask && mask != existing_))
    return nullptr;
  ICmpInst::Predicate predicate = isTrue ? compare->getPredicate() : compare->getInversePredicate();
  Value *counted = compare->getOperand(0), *bound = compare->getOperand(1);
  if (!shapes.countsUp(*counted)) {
    std::swap(counted, bound);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  if (!shapes.countsUp(*counted) || !shapes.of(*bound).isUniform())
    return nullptr;
  if (ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate))
    return b.CreateICmp(predicate, counted, bound); // the first lane's is the least
  if (predicate == ICmpInst::ICMP_EQ && !mask && shapes.of(*counted).stride == 1)
    return b.CreateICmpULT(b.CreateSub(bound, counted),
                           ConstantInt::get(bound->getType(), groups.width));
  return nullptr;
}

void LaneMasks::widenBranch(BasicBlock &block, const DivergentBranch &branch) {
  auto &jump = *cast<BranchInst>(block.getTerminator());
  b.SetInsertPoint(&jump);
  b.SetCurrentDebugLocation(jump.getDebugLoc());
  Value *condition = values.vector(jump.getCondition());
  BasicBlock *on = branch.form == DivergentBranch::If ? branch.then : branch.loop->getHeader();
  bool inverted = jump.getSuccessor(0) != on;
  if (inverted) {
    condition = b.CreateNot(condition);
    jump.swapSuccessors();
  }
  Value *lanes = lanesOf(b, of(block), condition);
  Value *any = anyOfNeighbours(jump.getCondition(), !inverted, of(block));
  jump.setCondition(any ? any : b.CreateIsNotNull(bitsOf(b, lanes)));
  if (branch.form == DivergentBranch::If)
    masks[branch.then] = lanes;
  else
    cast<PHINode>(of(*on))->addIncoming(lanes, &block);
  taken_[&block] = lanes;
}

} // namespace heddle::cpu
