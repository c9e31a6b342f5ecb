#include "backend/cpu/blocks/regions.h"

#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/blocks/barrier_counts.h"
#include "simt/analysis/sync_points.h"
#include "simt/ir/ops.h"
#include "simt/ir/source_positions.h"
#include "simt/thresholds.h"

#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// The divergent branches that may reach a barrier before their join.
SmallVector<BasicBlock *> divergentBranchesToBarriers(Function &kernel,
                                                      FunctionAnalysisManager &analyses) {
  auto &uniformity = analyses.getResult<UniformityInfoAnalysis>(kernel);
  auto &postDominators = analyses.getResult<PostDominatorTreeAnalysis>(kernel);
  SmallVector<BasicBlock *> found;
  for (BasicBlock &block : kernel)
    if (uniformity.hasDivergentTerminator(block) &&
        simt::mayReachSyncPointBeforeJoin(block, postDominators))
      found.push_back(&block);
  return found;
}

/// isAvailable: values that need not be recomputed.
bool isRecomputable(const Value *v, unsigned &budget,
                    function_ref<bool(const Value &)> isAvailable) {
  if (isa<Constant>(v) || isa<Argument>(v) || isAvailable(*v))
    return true;
  const auto *i = dyn_cast<Instruction>(v);
  if (!i || budget-- == 0)
    return false;
  bool isFloat = isa<FPMathOperator>(i) && !isa<CastInst, SelectInst>(i);
  bool cheap = isa<LoadInst>(i) ? i->hasMetadata(LLVMContext::MD_invariant_load)
                                : simt::computesFromOperands(*i) && !i->isIntDivRem() && !isFloat;
  return cheap && all_of(i->operands(),
                         [&](const Use &u) { return isRecomputable(u, budget, isAvailable); });
}

/// Recomputes live-in values from uniform live-in values if that is cheap: for example `t < step`, whether a thread
/// takes part in an iteration.
void markLiveInsToRecompute(Function &kernel, Regions &regions) {
  for (Instruction &i : instructions(kernel)) {
    SmallVector<Region *, 4> needing;
    for (Region &region : regions.all)
      if (region.liveIn.contains(&i))
        needing.push_back(&region);
    // A region that redefines the value has uniform values of two iterations.
    if (needing.empty() || regions.isUniform(i) ||
        any_of(needing, [&](Region *r) { return r->blocks.contains(i.getParent()); }))
      continue;
    auto isIncoming = [&](const Value &v) {
      auto *known = const_cast<Instruction *>(dyn_cast<Instruction>(&v));
      return known && regions.isUniform(v) &&
             all_of(needing, [&](Region *r) { return r->liveIn.contains(known); });
    };
    unsigned budget = thresholds::maxRecomputed;
    if (!isRecomputable(&i, budget, isIncoming))
      continue;
    for (Region *region : needing) {
      region->liveIn.remove(&i);
      region->recomputed.insert(&i);
    }
  }
}

/// The blocks to which a value defined elsewhere is live-in.
SmallPtrSet<BasicBlock *, 16> blocksWithLiveIn(const Instruction &v) {
  SmallPtrSet<BasicBlock *, 16> needing;
  SmallVector<BasicBlock *, 16> worklist;
  auto need = [&](BasicBlock *block) {
    if (block != v.getParent() && needing.insert(block).second)
      worklist.push_back(block);
  };
  for (const Use &use : v.uses()) {
    auto *user = cast<Instruction>(use.getUser());
    if (auto *phi = dyn_cast<PHINode>(user))
      need(phi->getIncomingBlock(use));
    else
      need(user->getParent());
  }
  while (!worklist.empty())
    for (BasicBlock *before : predecessors(worklist.pop_back_val()))
      need(before);
  return needing;
}

void collectRegionBlocks(Region &region) {
  SmallVector<BasicBlock *, 16> worklist{region.entry};
  region.blocks.insert(region.entry);
  while (!worklist.empty()) {
    BasicBlock *block = worklist.pop_back_val();
    if (!barrierAtEnd(*block))
      for (BasicBlock *next : successors(block))
        if (region.blocks.insert(next))
          worklist.push_back(next);
  }
}

} // namespace

InstructionUniformity uniformityInBlock(const Value &v) {
  if (auto *a = dyn_cast<Argument>(&v))
    return a->getArgNo() >= ThreadXArgument && a->getArgNo() <= ThreadZArgument
               ? InstructionUniformity::NeverUniform
               : InstructionUniformity::AlwaysUniform;
  auto *i = dyn_cast<Instruction>(&v);
  if (!i)
    return InstructionUniformity::Default;
  if (simt::isBlockBarrier(*i))
    return InstructionUniformity::AlwaysUniform;
  if (isa<LoadInst>(i) && i->hasMetadata(LLVMContext::MD_invariant_load))
    return InstructionUniformity::Default;
  // If kept once per block, it would be what a thread with an undefined value has stored.
  auto *phi = dyn_cast<PHINode>(i);
  bool isPartlyUndefined =
      phi && any_of(phi->incoming_values(), [](const Use &v) { return isa<UndefValue>(v); });
  bool own = isa<AllocaInst>(i) || i->mayReadOrWriteMemory() || isPartlyUndefined;
  return own ? InstructionUniformity::NeverUniform : InstructionUniformity::Default;
}

std::optional<std::string> whyNoRegions(Function &kernel, FunctionAnalysisManager &analyses) {
  for (Instruction &i : instructions(kernel))
    if (simt::calledOp(&i) == simt::Op::Yield) {
      unsigned line = simt::sourcePositionOf(i).line;
      return "a thread may wait for another in a loop" +
             (line ? " at line " + std::to_string(line) : "");
    } else if (simt::isSyncPoint(i) && !simt::isBlockBarrier(i))
      return simt::isNamedBarrier(i) ? "threads wait at named barriers"
                                     : "threads wait for their warp or for the grid";
  if (kernel.getInstructionCount() > thresholds::maxLargeFunctionSize)
    return "it is large";
  if (const BasicBlock *block = simt::findBranchToDifferentSyncPoints(kernel, analyses)) {
    unsigned line = simt::sourcePositionOf(*block->getTerminator()).line;
    return "threads may reach different barriers" +
           (line ? " at line " + std::to_string(line) : "");
  }
  return std::nullopt;
}

Regions splitIntoRegions(Function &kernel, FunctionAnalysisManager &analyses) {
  Regions regions;
  regions.mayReturnEarly = !divergentBranchesToBarriers(kernel, analyses).empty();
  auto &uniformity = analyses.getResult<UniformityInfoAnalysis>(kernel);
  for (Instruction &i : instructions(kernel))
    if (!uniformity.isDivergent(&i))
      regions.uniform.insert(&i);
  SmallVector<CallInst *, 8> barriers;
  for (Instruction &i : instructions(kernel))
    if (simt::isBlockBarrier(i))
      barriers.push_back(cast<CallInst>(&i));
  regions.all.push_back({nullptr, &kernel.getEntryBlock(), {}, {}});
  for (CallInst *barrier : barriers) {
    BasicBlock *after = SplitBlock(barrier->getParent(), barrier->getNextNode());
    after->setName("after.barrier");
    regions.all.push_back({barrier, after, {}, {}});
    if (barrier->use_empty())
      continue;
    IRBuilder<> b(&after->front());
    Value *result = emitPredicateResult(b, contextOf(kernel), *barrier);
    barrier->replaceAllUsesWith(result);
    regions.uniform.insert(result);
  }
  for (Region &region : regions.all)
    collectRegionBlocks(region);
  for (Instruction &i : instructions(kernel)) {
    if (isa<AllocaInst>(i) || i.use_empty())
      continue;
    SmallPtrSet<BasicBlock *, 16> needing = blocksWithLiveIn(i);
    bool cheap = !needing.empty() && isCheapToRecompute(i);
    for (Region &region : regions.all)
      if (needing.contains(region.entry))
        (cheap ? region.recomputed : region.liveIn).insert(&i);
  }
  markLiveInsToRecompute(kernel, regions);
  return regions;
}

Regions makeSingleRegion(Function &kernel) {
  Regions regions;
  regions.all.push_back({nullptr, &kernel.getEntryBlock(), {}, {}});
  collectRegionBlocks(regions.all.front());
  return regions;
}

bool Regions::isUniform(const Value &v) const {
  return isa<Constant>(v) || uniform.contains(&v) ||
         (isa<Argument>(v) && uniformityInBlock(v) == InstructionUniformity::AlwaysUniform);
}

unsigned Regions::regionIndexAfter(const CallInst &barrier) const {
  return unsigned(find_if(all, [&](const Region &r) { return r.barrier == &barrier; }) -
                  all.begin());
}

CallInst *barrierAtEnd(BasicBlock &block) {
  Instruction *last = block.getTerminator()->getPrevNode();
  return last && simt::isBlockBarrier(*last) ? cast<CallInst>(last) : nullptr;
}

bool isCheapToRecompute(const Value &v) {
  unsigned budget = thresholds::maxRecomputed;
  return isRecomputable(&v, budget, [](const Value &) { return false; });
}

} // namespace heddle::cpu
