#include "backend/nvptx/tune/flatten_branches.h"

#include "simt/thresholds.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <optional>

namespace heddle::nvptx {

using namespace llvm;

namespace {

/// A branch whose sides continue at the same block. One side may be missing.
struct Fork {
  BranchInst *branch;
  BasicBlock *sides[2]; ///< null: the branch itself leads to `end`
  BasicBlock *end;
};

/// The block after `side` if it is reached from one branch and ends unconditionally.
BasicBlock *successorOfSimpleSide(BasicBlock &side) {
  return side.getSinglePredecessor() ? side.getSingleSuccessor() : nullptr;
}

std::optional<Fork> matchBranchAndJoin(BasicBlock &head) {
  auto *branch = dyn_cast<BranchInst>(head.getTerminator());
  if (!branch || branch->isUnconditional() || branch->hasMetadata(LLVMContext::MD_prof))
    return std::nullopt;
  BasicBlock *first = branch->getSuccessor(0), *second = branch->getSuccessor(1);
  BasicBlock *afterFirst = successorOfSimpleSide(*first),
             *afterSecond = successorOfSimpleSide(*second);
  std::optional<Fork> fork;
  if (afterFirst == second)
    fork = Fork{branch, {first, nullptr}, second};
  else if (afterSecond == first)
    fork = Fork{branch, {nullptr, second}, first};
  else if (afterFirst && afterFirst == afterSecond)
    fork = Fork{branch, {first, second}, afterFirst};
  if (!fork || fork->end == &head || !fork->end->hasNPredecessors(2))
    return std::nullopt;
  return fork;
}

/// True for calls that only compute. LLVM does not mark all of these as speculatable.
bool isArithmeticCall(const CallBase &call) {
  if (!call.doesNotAccessMemory() || call.isConvergent())
    return false;
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    return intrinsic->willReturn() &&
           intrinsic->getCalledFunction()->getName().starts_with("llvm.nvvm.");
  return call.isInlineAsm() && call.getType()->isFloatTy();
}

/// True for instructions that expand to many. Most GPUs have few units for doubles.
bool expandsToManyInstructions(const Instruction &i) {
  if (i.getType()->getScalarType()->isDoubleTy() || any_of(i.operands(), [](const Use &u) {
        return u->getType()->getScalarType()->isDoubleTy();
      }))
    return true;
  if (i.isIntDivRem())
    return !isa<Constant>(i.getOperand(1));
  if (i.getOpcode() == Instruction::FDiv)
    return !i.hasApproxFunc();
  const auto *call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getCalledFunction()->getName().contains("sqrt.r");
}

/// The number of instructions in a side; nullopt if it does more than compute.
std::optional<unsigned> countInstructionsIfArithmetic(const BasicBlock *side) {
  unsigned size = 0;
  if (!side)
    return size;
  for (const Instruction &i : *side) {
    if (i.isTerminator() || i.isDebugOrPseudoInst())
      continue;
    const auto *call = dyn_cast<CallBase>(&i);
    bool computes = isSafeToSpeculativelyExecute(&i) || (call && isArithmeticCall(*call));
    if (!computes || i.mayReadOrWriteMemory() || isa<PHINode, AllocaInst>(i) ||
        expandsToManyInstructions(i))
      return std::nullopt;
    if (!isa<BitCastInst>(i))
      ++size;
  }
  return size;
}

bool areSidesShort(const Fork &fork) {
  std::optional<unsigned> sizes[2] = {countInstructionsIfArithmetic(fork.sides[0]),
                                      countInstructionsIfArithmetic(fork.sides[1])};
  if (!sizes[0] || !sizes[1])
    return false;
  unsigned selects = unsigned(range_size(fork.end->phis()));
  return *sizes[0] + *sizes[1] + selects <= thresholds::maxSmallCodeSize;
}

void replaceBranchBySelects(const Fork &fork) {
  BasicBlock *head = fork.branch->getParent();
  BasicBlock *from[2];
  for (unsigned n : {0, 1}) {
    from[n] = fork.sides[n] ? fork.sides[n] : head;
    if (!fork.sides[n])
      continue;
    for (Instruction &i : make_early_inc_range(*fork.sides[n])) {
      if (i.isTerminator())
        continue;
      i.dropUBImplyingAttrsAndMetadata();
      i.moveBefore(fork.branch->getIterator());
    }
  }
  IRBuilder<> b(fork.branch);
  for (PHINode &phi : make_early_inc_range(fork.end->phis())) {
    Value *select =
        b.CreateSelect(fork.branch->getCondition(), phi.getIncomingValueForBlock(from[0]),
                       phi.getIncomingValueForBlock(from[1]));
    phi.replaceAllUsesWith(select);
    phi.eraseFromParent();
  }
  b.CreateBr(fork.end);
  fork.branch->eraseFromParent();
  for (BasicBlock *side : fork.sides)
    if (side)
      DeleteDeadBlock(side);
  MergeBlockIntoPredecessor(fork.end);
}

} // namespace

PreservedAnalyses FlattenBranches::run(Function &f, FunctionAnalysisManager &am) {
  const UniformityInfo &uniformity = am.getResult<UniformityInfoAnalysis>(f);
  bool changed = false;
  SmallVector<BasicBlock *> blocks(post_order(&f)); // inner branches first
  for (BasicBlock *block : blocks) {
    std::optional<Fork> fork = matchBranchAndJoin(*block);
    if (!fork || !uniformity.isDivergent(fork->branch->getCondition()) || !areSidesShort(*fork))
      continue;
    replaceBranchBySelects(*fork);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
