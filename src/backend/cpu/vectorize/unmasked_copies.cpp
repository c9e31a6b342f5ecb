#include "backend/cpu/vectorize/unmasked_copies.h"

#include "backend/cpu/vectorize/lanes/placeholders.h"
#include "backend/cpu/vectorize/lanes/strides.h"
#include "simt/analysis/sync_points.h"
#include "simt/thresholds.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Returns true if the block may run with inactive lanes.
bool mayHaveInactiveLanes(const BasicBlock &block, const LaneShapes &shapes,
                          const DominatorTree &dominators) {
  return any_of(shapes.branches(), [&](const auto &known) {
    const DivergentBranch &branch = known.second;
    return branch.kind == DivergentBranch::If ? dominators.dominates(branch.then, &block)
                                              : branch.loop->contains(&block);
  });
}

/// Code that may be copied for full groups.
struct CopyCandidate {
  SmallVector<BasicBlock *, 16> blocks;
  bool isProfitable = false, canBeCopied = true;
};

void evaluateBlocksToCopy(CopyCandidate &copied, const LaneShapes &shapes, bool areMasksSlow) {
  unsigned size = 0;
  for (BasicBlock *block : copied.blocks)
    for (Instruction &i : *block) {
      ++size;
      copied.canBeCopied &= !simt::isSyncPoint(i) && !isa<AllocaInst>(i);
      if (const Value *address = getLoadStorePointerOperand(&i); address)
        copied.isProfitable |= shapes.shapeOf(*address).isStrided() ||
                               shapes.shapeOf(*address).hasRuntimeStride() ||
                               (areMasksSlow && !shapes.shapeOf(*address).isUniform());
    }
  copied.canBeCopied &= size <= thresholds::maxCopiedSize;
}

SmallVector<BasicBlock *, 16> cloneBlocks(ArrayRef<BasicBlock *> blocks, ValueToValueMapTy &map) {
  SmallVector<BasicBlock *, 16> cloned;
  for (BasicBlock *original : blocks) {
    BasicBlock *copy = CloneBasicBlock(original, map, ".all", original->getParent());
    map[original] = copy;
    cloned.push_back(copy);
  }
  return cloned;
}

void addUnmaskedBranch(BasicBlock &block, const DivergentBranch &branch,
                       ArrayRef<BasicBlock *> skipped) {
  auto *br = cast<BranchInst>(block.getTerminator());
  BasicBlock *some = SplitBlock(&block, br);
  some->setName("some");
  ValueToValueMapTy map;
  SmallVector<BasicBlock *, 16> cloned = cloneBlocks(skipped, map);
  map[some] = &block;
  remapInstructionsInBlocks(cloned, map);
  for (PHINode &phi : branch.join->phis())
    for (unsigned n = 0, end = phi.getNumIncomingValues(); n < end; ++n)
      if (Value *copy = map.lookup(phi.getIncomingBlock(n)); copy && copy != &block) {
        Value *v = phi.getIncomingValue(n), *copied = map.lookup(v);
        phi.addIncoming(copied ? copied : v, cast<BasicBlock>(copy));
      }

  block.getTerminator()->eraseFromParent();
  IRBuilder<> b(&block);
  b.SetCurrentDebugLocation(br->getDebugLoc());
  Value *in = br->getCondition();
  if (br->getSuccessor(0) != branch.then)
    in = b.CreateNot(in);
  b.CreateCondBr(emitAllLanesQuery(b, in), cast<BasicBlock>(map[branch.then]), some);
}

bool areMasksSlow(const Function &f, const TargetTransformInfo &target, unsigned width) {
  return !target.isTypeLegal(FixedVectorType::get(Type::getInt1Ty(f.getContext()), width));
}

/// A loop whose only exit is at its latch, to `exit`, which has no other predecessor.
struct CountingLoop {
  BasicBlock *header, *latch, *exit;
  CopyCandidate copied;
};

/// Emits the condition for another iteration.
Value *emitContinueCondition(IRBuilderBase &b, const CountingLoop &loop) {
  auto *br = cast<BranchInst>(loop.latch->getTerminator());
  Value *condition = br->getCondition();
  return br->getSuccessor(0) == loop.header ? condition : b.CreateNot(condition);
}

void addUnmaskedLoop(const CountingLoop &loop) {
  Function &f = *loop.header->getParent();
  auto make = [&](const char *name) {
    return BasicBlock::Create(f.getContext(), name, &f, loop.header);
  };
  BasicBlock *before = nullptr;
  for (BasicBlock *previous : predecessors(loop.header))
    if (previous != loop.latch)
      before = previous;
  IRBuilder<> b(loop.latch->getTerminator());
  Value *on = emitContinueCondition(b, loop);

  ValueToValueMapTy map;
  SmallVector<BasicBlock *, 16> cloned = cloneBlocks(loop.copied.blocks, map);
  BasicBlock *enter = make("enter.all"), *rest = make("rest"), *enterRest = make("enter.rest");
  map[before] = enter;
  remapInstructionsInBlocks(cloned, map);
  auto *header = cast<BasicBlock>(map[loop.header]), *latch = cast<BasicBlock>(map[loop.latch]);
  auto copyOf = [&](Value *v) -> Value * {
    Value *copy = map.lookup(v);
    return copy ? copy : v;
  };
  b.SetInsertPoint(enter);
  b.CreateBr(header);
  b.SetInsertPoint(enterRest);
  b.CreateBr(loop.header);

  auto mergeInRest = [&](Value *skipped, Value *v, const Twine &name) {
    PHINode *phi = b.CreatePHI(v->getType(), 2, name);
    phi->addIncoming(skipped, before);
    phi->addIncoming(copyOf(v), latch);
    return phi;
  };
  b.SetInsertPoint(rest);
  PHINode *anyLeft = mergeInRest(b.getTrue(), on, "on");
  for (PHINode &phi : loop.header->phis()) {
    int from = phi.getBasicBlockIndex(before);
    Value *next = phi.getIncomingValueForBlock(loop.latch);
    phi.setIncomingValue(unsigned(from),
                         mergeInRest(phi.getIncomingValue(unsigned(from)), next, phi.getName()));
    phi.setIncomingBlock(unsigned(from), enterRest);
  }
  SmallVector<PHINode *, 8> results;
  for (PHINode &phi : loop.exit->phis())
    results.push_back(&phi);
  BasicBlock *after = SplitBlock(loop.exit, loop.exit->getFirstNonPHIIt());
  for (PHINode *result : results) {
    b.SetInsertPoint(rest);
    Value *inside = result->getIncomingValueForBlock(loop.latch);
    PHINode *left = mergeInRest(PoisonValue::get(result->getType()), inside, result->getName());
    PHINode *joined = PHINode::Create(result->getType(), 2, result->getName(), after->begin());
    result->replaceAllUsesWith(joined);
    joined->addIncoming(result, loop.exit);
    joined->addIncoming(left, rest);
  }
  b.SetInsertPoint(rest);
  b.SetCurrentDebugLocation(loop.latch->getTerminator()->getDebugLoc());
  b.CreateCondBr(anyLeft, enterRest, after);

  latch->getTerminator()->eraseFromParent();
  b.SetInsertPoint(latch);
  b.CreateCondBr(emitAllLanesQuery(b, copyOf(on)), header, rest);
  before->getTerminator()->eraseFromParent();
  b.SetInsertPoint(before);
  b.CreateCondBr(emitAllLanesQuery(b, b.getTrue()), enter, rest);
}

} // namespace

unsigned addUnmaskedBranches(Function &f, const LaneShapes &shapes, const DominatorTree &dominators,
                             const TargetTransformInfo &target, unsigned width) {
  bool slow = areMasksSlow(f, target, width);
  SmallVector<std::tuple<BasicBlock *, DivergentBranch, CopyCandidate>> chosen;
  for (const auto &[block, branch] : shapes.branches()) {
    if (branch.kind != DivergentBranch::If || mayHaveInactiveLanes(*block, shapes, dominators))
      continue;
    auto *br = cast<BranchInst>(block->getTerminator());
    if (shapes.lanesWhereConditionHolds(*br->getCondition(), br->getSuccessor(0) == branch.then))
      continue;
    CopyCandidate skipped;
    dominators.getDescendants(branch.then, skipped.blocks);
    evaluateBlocksToCopy(skipped, shapes, slow);
    if (skipped.isProfitable && skipped.canBeCopied)
      chosen.push_back({const_cast<BasicBlock *>(block), branch, std::move(skipped)});
  }
  for (auto &[block, branch, skipped] : chosen)
    addUnmaskedBranch(*block, branch, skipped.blocks);
  return unsigned(chosen.size());
}

unsigned addUnmaskedLoops(Function &f, const LaneShapes &shapes, const DominatorTree &dominators,
                          const TargetTransformInfo &target, unsigned width) {
  bool slow = areMasksSlow(f, target, width);
  SmallVector<CountingLoop> chosen;
  for (const auto &[block, branch] : shapes.branches()) {
    auto *br = cast<BranchInst>(block->getTerminator());
    if (branch.kind != DivergentBranch::Latch || !branch.join->getSinglePredecessor() ||
        mayHaveInactiveLanes(*branch.loop->getLoopPreheader(), shapes, dominators) ||
        !shapes.matchIncreasingCompare(*br->getCondition()))
      continue;
    CountingLoop loop{branch.loop->getHeader(), branch.loop->getLoopLatch(), branch.join, {}};
    loop.copied.blocks.assign(branch.loop->block_begin(), branch.loop->block_end());
    evaluateBlocksToCopy(loop.copied, shapes, slow);
    if (loop.copied.isProfitable && loop.copied.canBeCopied)
      chosen.push_back(std::move(loop));
  }
  for (const CountingLoop &loop : chosen)
    addUnmaskedLoop(loop);
  return unsigned(chosen.size());
}

} // namespace heddle::cpu
