#include "simt/check/lints/insert_sample_probes.h"

#include "simt/analysis/divergence.h"
#include "simt/check/lints/sampled_block.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "simt/ir/source_positions.h"
#include "simt/passes/lowering.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::simt {

using namespace llvm;

namespace {

// Instructions of a GPU. Arithmetic of integers is left out: most of it belongs to the address of an access.
constexpr uint32_t functionCost = 8; ///< a division or a mathematical function
constexpr uint32_t accessCost = 4;   ///< an access with its address, a barrier or a warp operation

uint32_t estimateCost(const Instruction &i) {
  if (i.isDebugOrPseudoInst() || i.isLifetimeStartOrEnd())
    return 0;
  if (std::optional<Op> op = calledOp(&i)) {
    const OpInfo &row = info(*op);
    bool isCheck = row.has(Check) || row.has(Mark) || row.name.starts_with("simt.check");
    bool isIndex = row.has(Pure) && !row.has(Arithmetic) && !row.name.starts_with("simt.math");
    return isCheck || isIndex ? 0 : row.has(Pure) ? functionCost : accessCost;
  }
  if (i.isIntDivRem() || i.getOpcode() == Instruction::FDiv)
    return functionCost;
  if (i.mayReadOrWriteMemory())
    return accessCost;
  return (computesFromOperands(i) && i.getType()->isFPOrFPVectorTy()) || isa<BranchInst>(i);
}

/// The instructions on which an effect or a branch depends: front ends emit more.
SmallPtrSet<const Instruction *, 32> findInstructionsWithEffect(const Function &f) {
  SmallPtrSet<const Instruction *, 32> used;
  SmallVector<const Instruction *> worklist;
  auto use = [&](const Instruction &i) {
    if (used.insert(&i).second)
      worklist.push_back(&i);
  };
  for (const Instruction &i : instructions(f))
    if (i.isTerminator() || i.mayHaveSideEffects())
      use(i);
  while (!worklist.empty())
    for (const Value *operand : worklist.pop_back_val()->operands())
      if (const auto *i = dyn_cast<Instruction>(operand))
        use(*i);
  return used;
}

class Probes {
public:
  Probes(Function &f, FunctionAnalysisManager &am)
      : f_(f), divergence_(Neighbors::InOrder),
        uniformity_(divergence_.functionAnalyses().getResult<UniformityInfoAnalysis>(f)),
        dominators_(am.getResult<DominatorTreeAnalysis>(f)),
        postDominators_(am.getResult<PostDominatorTreeAnalysis>(f)),
        loops_(am.getResult<LoopAnalysis>(f)), used_(findInstructionsWithEffect(f)) {
    for (BasicBlock *block : ReversePostOrderTraversal(&f))
      numbers_.insert({block, unsigned(numbers_.size() + 1)});
  }

  void insertProbes() {
    // Sites first: the probes must not count as instructions.
    SmallVector<std::pair<BasicBlock *, unsigned>> sites;
    for (BasicBlock &block : f_)
      if (numbers_.contains(&block))
        sites.push_back({&block, addBlockSite(block)});
    for (auto [block, site] : sites) {
      IRBuilder<> b(&*block->getFirstInsertionPt());
      while (isa<AllocaInst>(*b.GetInsertPoint()))
        b.SetInsertPoint(b.GetInsertPoint()->getNextNode());
      b.SetCurrentDebugLocation(artificialLocation(f_));
      simt::call(b, Op::CheckBlock, {b.getInt32(site)});
    }
  }

private:
  unsigned addBlockSite(BasicBlock &block) const {
    SampledBlock sampled{.number = numbers_.lookup(&block)};
    for (const Instruction &i : block)
      sampled.cost += used_.contains(&i) ? estimateCost(i) : 0;
    for (const Loop *loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop())
      sampled.loops.insert(sampled.loops.begin(), numbers_.lookup(loop->getHeader()));
    SiteInfo site{.kind = "block"};
    if (auto [branch, isLoop] = findDivergentBranch(block); branch) {
      SourcePosition at = sourcePositionOf(*branch->getTerminator());
      sampled.branch = numbers_.lookup(branch);
      site = {"block", isLoop ? "loop" : "branch", at.function, at.file, at.line, at.column};
    }
    site.arguments = sampled.encode();
    return simt::addSite(*f_.getParent(), site);
  }

  /// The innermost divergent branch that decides which lanes execute the block, and whether it leaves a loop that
  /// contains the block.
  std::pair<const BasicBlock *, bool> findDivergentBranch(const BasicBlock &block) const {
    const BasicBlock *branch = nullptr;
    for (const auto *node = dominators_.getNode(&block)->getIDom(); node && !branch;
         node = node->getIDom()) {
      const BasicBlock *candidate = node->getBlock();
      if (isDivergent(*candidate) && !postDominators_.dominates(&block, candidate))
        branch = candidate;
    }
    for (const Loop *loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop()) {
      if (branch && loop->contains(branch))
        return {branch, loop->isLoopExiting(branch)};
      SmallVector<BasicBlock *> exiting;
      loop->getExitingBlocks(exiting);
      for (const BasicBlock *exit : exiting)
        if (isDivergent(*exit))
          return {exit, true};
    }
    return {branch, false};
  }

  bool isDivergent(const BasicBlock &branch) const {
    return succ_size(&branch) > 1 && uniformity_.hasDivergentTerminator(branch);
  }

  Function &f_;
  DivergenceAnalyses divergence_;
  UniformityInfo &uniformity_;
  const DominatorTree &dominators_;
  const PostDominatorTree &postDominators_;
  const LoopInfo &loops_;
  SmallPtrSet<const Instruction *, 32> used_;
  DenseMap<const BasicBlock *, unsigned> numbers_;
};

} // namespace

PreservedAnalyses InsertSampleProbes::run(Function &f, FunctionAnalysisManager &am) {
  if (!isKernel(f))
    return PreservedAnalyses::all();
  Probes(f, am).insertProbes();
  return PreservedAnalyses::none();
}

PreservedAnalyses EndSampledThreads::run(Function &f, FunctionAnalysisManager &am) {
  SmallVector<CallInst *> probes;
  for (const Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    for (Instruction &i : *loop->getHeader())
      if (calledOp(&i) == Op::CheckBlock)
        probes.push_back(cast<CallInst>(&i));
  for (CallInst *probe : probes) {
    IRBuilder<> b(probe->getNextNode());
    Instruction *end = SplitBlockAndInsertIfThen(b.CreateNot(probe), b.GetInsertPoint(),
                                                 /*Unreachable=*/true);
    ReplaceInstWithInst(end, ReturnInst::Create(f.getContext()));
  }
  return probes.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::simt
