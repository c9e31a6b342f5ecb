#include "backend/cpu/vectorize/run_all_lanes.h"

#include "backend/cpu/vectorize/lane_strides.h"
#include "simt/analysis/meetings.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// More than this takes longer to compile than it is likely to win.
constexpr unsigned mostInstructions = 250;

/// Whether the lanes that run a block are not known to be all.
bool mayLackLanes(const BasicBlock &block, const LaneShapes &shapes,
                  const DominatorTree &dominators) {
  return any_of(shapes.branches(), [&](const auto &known) {
    const DivergentBranch &branch = known.second;
    return branch.form == DivergentBranch::If ? dominators.dominates(branch.then, &block)
                                              : branch.loop->contains(&block);
  });
}

struct Skipped {
  SmallVector<BasicBlock *, 16> blocks;
  bool gains = false, copies = true;
};

/// What a branch skips.
Skipped skippedBy(const DivergentBranch &branch, const LaneShapes &shapes,
                  const DominatorTree &dominators, bool masksAreSlow) {
  Skipped skipped;
  dominators.getDescendants(branch.then, skipped.blocks);
  unsigned size = 0;
  for (BasicBlock *block : skipped.blocks) {
    for (Instruction &i : *block) {
      ++size;
      skipped.copies &= !simt::isMeeting(i) && !isa<AllocaInst>(i);
      if (const Value *place = getLoadStorePointerOperand(&i); place)
        skipped.gains |=
            (masksAreSlow && !shapes.of(*place).isUniform()) ||
            areEvenlyApart(shapes.of(*place), *getLoadStoreType(&i), i.getDataLayout());
    }
  }
  skipped.copies &= size <= mostInstructions;
  return skipped;
}

void copyForAllLanes(BasicBlock &block, const DivergentBranch &branch,
                     ArrayRef<BasicBlock *> skipped) {
  Function &f = *block.getParent();
  auto *jump = cast<BranchInst>(block.getTerminator());
  BasicBlock *some = SplitBlock(&block, jump);
  some->setName("some");
  ValueToValueMapTy map;
  SmallVector<BasicBlock *, 16> copies;
  for (BasicBlock *original : skipped) {
    BasicBlock *copy = CloneBasicBlock(original, map, ".all", &f);
    map[original] = copy;
    copies.push_back(copy);
  }
  map[some] = &block;
  remapInstructionsInBlocks(copies, map);
  for (PHINode &phi : branch.join->phis())
    for (unsigned n = 0, end = phi.getNumIncomingValues(); n < end; ++n)
      if (Value *copy = map.lookup(phi.getIncomingBlock(n)); copy && copy != &block) {
        Value *v = phi.getIncomingValue(n), *copied = map.lookup(v);
        phi.addIncoming(copied ? copied : v, cast<BasicBlock>(copy));
      }

  block.getTerminator()->eraseFromParent();
  IRBuilder<> b(&block);
  b.SetCurrentDebugLocation(jump->getDebugLoc());
  Value *in = jump->getCondition();
  if (jump->getSuccessor(0) != branch.then)
    in = b.CreateNot(in);
  b.CreateCondBr(callAllLanes(b, in), cast<BasicBlock>(map[branch.then]), some);
}

} // namespace

CallInst *callAllLanes(IRBuilderBase &b, Value *condition) {
  FunctionCallee standIn = b.GetInsertBlock()->getModule()->getOrInsertFunction(
      allLanesStandIn, FunctionType::get(b.getInt1Ty(), {b.getInt1Ty()}, false));
  auto *declared = cast<Function>(standIn.getCallee());
  declared->setDoesNotThrow();
  declared->setDoesNotAccessMemory();
  declared->setConvergent();
  return b.CreateCall(standIn, condition, "all");
}

bool isAllLanes(const Value &v) {
  const auto *call = dyn_cast<CallInst>(&v);
  return call && call->getCalledFunction() &&
         call->getCalledFunction()->getName() == allLanesStandIn;
}

bool isForAllLanes(const BasicBlock &block) {
  const BasicBlock *before = block.getSinglePredecessor();
  const auto *jump = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  return jump && jump->isConditional() && isAllLanes(*jump->getCondition()) &&
         jump->getSuccessor(0) == &block;
}

bool runAllLanes(Function &f, const LaneShapes &shapes, const DominatorTree &dominators,
                 const TargetTransformInfo &target, unsigned width) {
  Type *mask = FixedVectorType::get(Type::getInt1Ty(f.getContext()), width);
  bool masksAreSlow = !target.isTypeLegal(mask);
  SmallVector<std::tuple<BasicBlock *, DivergentBranch, Skipped>> chosen;
  for (const auto &[block, branch] : shapes.branches()) {
    if (branch.form != DivergentBranch::If || mayLackLanes(*block, shapes, dominators))
      continue;
    Skipped skipped = skippedBy(branch, shapes, dominators, masksAreSlow);
    if (skipped.gains && skipped.copies)
      chosen.push_back({const_cast<BasicBlock *>(block), branch, std::move(skipped)});
  }
  for (auto &[block, branch, skipped] : chosen)
    copyForAllLanes(*block, branch, skipped.blocks);
  return !chosen.empty();
}

} // namespace heddle::cpu
