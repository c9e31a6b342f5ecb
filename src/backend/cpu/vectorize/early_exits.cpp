#include "backend/cpu/vectorize/early_exits.h"

#include "backend/cpu/vectorize/lanes/shapes.h"
#include "backend/cpu/vectorize/structurize.h"
#include "simt/analysis/effect_order.h"
#include "simt/analysis/sync_points.h"
#include "simt/ir/source_positions.h"
#include "simt/thresholds.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

using BlockSet = SmallSetVector<BasicBlock *, 16>;
using IsWanted = function_ref<bool(const Instruction &)>;

/// Excludes traps, which may end the kernel in any order.
bool isOrderedEffect(const Instruction &i) {
  const auto *call = dyn_cast<CallInst>(&i);
  return simt::isEffect(i) &&
         !(call && call->getCalledFunction()->getName().starts_with(trapPlaceholder));
}

bool containsInstruction(const BasicBlock &block, IsWanted isWanted) {
  return any_of(block, isWanted);
}

/// The blocks reachable from `begin`, including it.
BlockSet blocksReachableFrom(BasicBlock &begin) {
  BlockSet blocks;
  blocks.insert(&begin);
  for (unsigned n = 0; n < blocks.size(); ++n)
    for (BasicBlock *next : successors(blocks[n]))
      blocks.insert(next);
  return blocks;
}

bool anyBlockContains(const BlockSet &blocks, IsWanted isWanted) {
  return any_of(blocks,
                [&](const BasicBlock *block) { return containsInstruction(*block, isWanted); });
}

/// A side of a divergent branch that leads to the kernel's end without a barrier, while the other side leads to one.
struct EarlyExit {
  BasicBlock *branch, *side;
  BlockSet continuation;
  bool isShared; ///< the other side also leads there
};

std::optional<EarlyExit> matchEarlyExit(BasicBlock &branch, BasicBlock &side, BasicBlock &other) {
  if (simt::mayReachSyncPoint(side, nullptr))
    return std::nullopt;
  BlockSet continuation = blocksReachableFrom(side), others = blocksReachableFrom(other);
  if (!anyBlockContains(continuation, isOrderedEffect) ||
      !anyBlockContains(others, simt::isMemoryOrderingBarrier))
    return std::nullopt;
  bool isShared = any_of(continuation, [&](BasicBlock *block) { return others.contains(block); });
  return EarlyExit{&branch, &side, std::move(continuation), isShared};
}

unsigned countInstructions(const BlockSet &blocks) {
  unsigned size = 0;
  for (const BasicBlock *block : blocks)
    size += block->size();
  return size;
}

/// Copies the exit's blocks for the branch.
void copyExitBlocks(EarlyExit &exit) {
  ValueToValueMapTy copies;
  BlockSet made;
  for (BasicBlock *block : exit.continuation) {
    BasicBlock *copy = CloneBasicBlock(block, copies, ".early", block->getParent());
    copies[block] = copy;
    made.insert(copy);
  }
  for (BasicBlock *copy : made)
    for (Instruction &i : *copy)
      RemapInstruction(&i, copies, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  auto *side = cast<BasicBlock>(copies[exit.side]);
  auto stays = [&](BasicBlock *before, BasicBlock *copy) {
    return made.contains(before) || (copy == side && before == exit.branch);
  };
  for (BasicBlock *copy : made)
    for (PHINode &phi : make_early_inc_range(copy->phis()))
      phi.removeIncomingValueIf([&](unsigned n) { return !stays(phi.getIncomingBlock(n), copy); });
  exit.side->removePredecessor(exit.branch);
  exit.branch->getTerminator()->replaceSuccessorWith(exit.side, side);
  exit.side = side;
  exit.continuation = std::move(made);
  exit.isShared = false;
}

/// The innermost loop around the branch that contains a barrier; null if there is none.
Loop *innermostLoopWithBarrier(BasicBlock &branch, const LoopInfo &loops) {
  for (Loop *loop = loops.getLoopFor(&branch); loop; loop = loop->getParentLoop())
    if (any_of(loop->blocks(), [](const BasicBlock *block) {
          return containsInstruction(*block, simt::isMemoryOrderingBarrier);
        }))
      return loop;
  return nullptr;
}

/// Returns true if lanes may exit the loop in different iterations.
bool hasDivergentExits(const Loop &loop, UniformityInfo &uniformity) {
  SmallVector<BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  return any_of(exiting,
                [&](BasicBlock *block) { return uniformity.hasDivergentTerminator(*block); });
}

/// The latch of a loop that lanes exit early: "leaves" is true for these lanes.
struct EarlyLatch {
  BasicBlock *block;
  PHINode *leaves;
  SmallVector<PHINode *> carried; ///< values for the header phis
};

/// Gives the loop a latch that exits if a bit is set.
EarlyLatch makeEarlyExitLatch(Loop &loop) {
  BasicBlock *header = loop.getHeader(), *before = loop.getLoopLatch();
  Function &f = *header->getParent();
  BasicBlock *latch = BasicBlock::Create(f.getContext(), "latch.early", &f);
  BasicBlock *end = BasicBlock::Create(f.getContext(), "end.early", &f);
  ReturnInst::Create(f.getContext(), end);
  IRBuilder<> b(latch);
  EarlyLatch made{latch, nullptr, {}};
  auto carry = [&](Value *v) {
    PHINode *phi = b.CreatePHI(v->getType(), 2);
    phi->addIncoming(v, before);
    return phi;
  };
  for (PHINode &phi : header->phis()) {
    int index = phi.getBasicBlockIndex(before);
    made.carried.push_back(carry(phi.getIncomingValue(index)));
    phi.setIncomingValue(index, made.carried.back());
    phi.setIncomingBlock(index, latch);
  }
  made.leaves = carry(b.getFalse());
  Instruction *jump = before->getTerminator(), *around = b.CreateCondBr(made.leaves, end, header);
  around->setDebugLoc(jump->getDebugLoc());
  around->setMetadata(LLVMContext::MD_loop, jump->getMetadata(LLVMContext::MD_loop));
  jump->setMetadata(LLVMContext::MD_loop, nullptr);
  jump->replaceSuccessorWith(header, latch);
  return made;
}

/// Makes the blocks of an exit part of the loop by ending them at the latch.
void moveExitBlocksIntoLoop(const EarlyExit &exit, EarlyLatch &latch) {
  for (BasicBlock *block : exit.continuation) {
    Instruction *end = block->getTerminator();
    if (!isa<ReturnInst>(end))
      continue;
    BranchInst::Create(latch.block, block)->setDebugLoc(end->getDebugLoc());
    end->eraseFromParent();
    latch.leaves->addIncoming(ConstantInt::getTrue(block->getContext()), block);
    for (PHINode *phi : latch.carried)
      phi->addIncoming(PoisonValue::get(phi->getType()), block);
  }
}

using EarlyLatches = DenseMap<BasicBlock *, EarlyLatch>; ///< by loop header

/// Finishes the next unfinished early exit. Returns false if there was none; otherwise, analyses are invalid.
bool runNextEarlyExitFirst(Function &f, simt::DivergenceAnalyses &analyses, EarlyLatches &latches,
                           unsigned &copied) {
  auto &uniformity = analyses.functionAnalyses().getResult<UniformityInfoAnalysis>(f);
  auto &loops = analyses.functionAnalyses().getResult<LoopAnalysis>(f);
  for (BasicBlock &block : f) {
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional())
      continue;
    Loop *loop = innermostLoopWithBarrier(block, loops);
    // If lanes exit a loop in different iterations, its last exit is divergent even if its condition is uniform.
    if (!uniformity.hasDivergentTerminator(block) &&
        !(loop && hasDivergentExits(*loop, uniformity)))
      continue;
    for (unsigned side : {0, 1}) {
      auto exit =
          matchEarlyExit(block, *branch->getSuccessor(side), *branch->getSuccessor(1 - side));
      if (!exit)
        continue;
      if (!exit->isShared && !loop)
        continue;
      unsigned size = exit->isShared ? countInstructions(exit->continuation) : 0;
      if (copied + size > thresholds::maxOptimizedSize || (loop && !loop->getLoopLatch()))
        continue;
      copied += size;
      if (exit->isShared)
        copyExitBlocks(*exit);
      if (loop) {
        auto [latch, isNew] = latches.try_emplace(loop->getHeader());
        if (isNew)
          latch->second = makeEarlyExitLatch(*loop);
        moveExitBlocksIntoLoop(*exit, latch->second);
      }
      return true;
    }
  }
  return false;
}

/// Makes the side with a barrier successor 0 of each branch. This includes uniform branches, which may become part of
/// structured control flow.
void makeBarrierSideFirst(Function &f, simt::DivergenceAnalyses &analyses) {
  auto &postDominators = analyses.functionAnalyses().getResult<PostDominatorTreeAnalysis>(f);
  SmallVector<BranchInst *> turned;
  for (BasicBlock &block : f) {
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional())
      continue;
    const auto *node = postDominators.getNode(&block);
    const BasicBlock *join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    auto reachesSyncPoint = [&](unsigned side) {
      return simt::mayReachSyncPoint(*branch->getSuccessor(side), join);
    };
    if (reachesSyncPoint(1) && !reachesSyncPoint(0))
      turned.push_back(branch);
  }
  IRBuilder<> b(f.getContext());
  for (BranchInst *branch : turned) {
    b.SetInsertPoint(branch);
    InvertBranch(branch, b);
  }
}

using Edge = std::pair<BasicBlock *, BasicBlock *>;

/// The edges after an edge: only one if the branch depends on a phi that is constant for the edge.
SmallVector<Edge, 2> possibleEdgesAfter(const Edge &edge) {
  auto [from, block] = edge;
  SmallVector<Edge, 2> next;
  auto *branch = dyn_cast<BranchInst>(block->getTerminator());
  if (branch && branch->isConditional()) {
    Value *condition = branch->getCondition();
    bool isNegated = match(condition, m_Not(m_Value(condition)));
    auto *phi = dyn_cast<PHINode>(condition);
    if (phi && phi->getParent() == block)
      if (auto *known = dyn_cast<ConstantInt>(phi->getIncomingValueForBlock(from)))
        return {{block, branch->getSuccessor(known->isOne() == isNegated)}};
  }
  for (BasicBlock *successor : successors(block))
    next.push_back({block, successor});
  return next;
}

/// The edges on paths from `begin` to the kernel's end without barriers or warp operations.
SmallSetVector<Edge, 16> edgesToEndWithoutSyncPoint(Edge begin) {
  SmallSetVector<Edge, 16> forward, toEnd;
  auto add = [&](Edge edge) {
    if (!containsInstruction(*edge.second, simt::isSyncPoint))
      forward.insert(edge);
  };
  add(begin);
  for (unsigned n = 0; n < forward.size(); ++n)
    for (Edge next : possibleEdgesAfter(forward[n]))
      add(next);
  auto leadsToEnd = [&](Edge edge) {
    return succ_empty(edge.second) ||
           any_of(possibleEdgesAfter(edge), [&](Edge next) { return toEnd.contains(next); });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Edge edge : reverse(forward))
      changed |= leadsToEnd(edge) && toEnd.insert(edge);
  }
  return toEnd;
}

/// Returns true if lanes wait at the branch's join while others execute an operation that orders memory.
bool letsLanesWaitAtJoinDuringBarrier(const DivergentBranch &branch) {
  if (branch.kind == DivergentBranch::Latch)
    return any_of(branch.loop->blocks(), [](const BasicBlock *block) {
      return containsInstruction(*block, simt::isMemoryOrderingBarrier);
    });
  BlockSet blocks;
  blocks.insert(branch.then);
  for (unsigned n = 0; n < blocks.size(); ++n)
    for (BasicBlock *next : successors(blocks[n]))
      if (next != branch.join)
        blocks.insert(next);
  return anyBlockContains(blocks, simt::isMemoryOrderingBarrier);
}

} // namespace

unsigned runEarlyExitsFirst(Function &f, simt::DivergenceAnalyses &analyses) {
  if (none_of(instructions(f), simt::isMemoryOrderingBarrier))
    return 0;
  EarlyLatches latches;
  unsigned exits = 0, copied = 0;
  for (; runNextEarlyExitFirst(f, analyses, latches, copied); ++exits)
    analyses.functionAnalyses().invalidate(f, PreservedAnalyses::none());
  removeUnreachableBlocks(f);
  makeBarrierSideFirst(f, analyses);
  analyses.functionAnalyses().invalidate(f, PreservedAnalyses::none());
  return exits;
}

std::optional<std::string> describeOutOfOrderAccess(Function &f, const LaneShapes &shapes) {
  if (none_of(instructions(f), simt::isMemoryOrderingBarrier))
    return std::nullopt;
  for (const auto &[from, branch] : shapes.branches()) {
    if (!letsLanesWaitAtJoinDuringBarrier(branch))
      continue;
    for (auto [before, block] :
         edgesToEndWithoutSyncPoint({const_cast<BasicBlock *>(from), branch.join}))
      for (const Instruction &i : *block)
        if (isOrderedEffect(i)) {
          unsigned line = simt::sourcePositionOf(i).line;
          return "threads that leave early access memory" +
                 (line ? " at line " + std::to_string(line) : "") +
                 " while others wait at a barrier";
        }
  }
  return std::nullopt;
}

} // namespace heddle::cpu
