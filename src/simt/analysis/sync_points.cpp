#include "simt/analysis/sync_points.h"

#include "simt/ir/ops.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::simt {

using namespace llvm;

bool isSyncPoint(const Instruction &i) {
  std::optional<Op> op = calledOp(&i);
  return op && info(*op).has(Convergent);
}

bool isBlockBarrier(const Instruction &i) {
  std::optional<Op> op = calledOp(&i);
  return op == Op::Barrier || op == Op::BarrierCount || op == Op::BarrierAnd || op == Op::BarrierOr;
}

bool isNamedBarrier(const Instruction &i) {
  std::optional<Op> op = calledOp(&i);
  return op && isNamedBarrier(*op);
}

bool isShuffle(const Instruction &i) {
  std::optional<Op> op = calledOp(&i);
  return op == Op::ShuffleIndex || op == Op::ShuffleUp || op == Op::ShuffleDown ||
         op == Op::ShuffleXor;
}

bool isMemoryOrderingBarrier(const Instruction &i) {
  std::optional<Op> op = calledOp(&i);
  if (!op || !info(*op).has(Convergent) || *op == Op::Yield)
    return false;
  if (!info(*op).has(Warp))
    return true;
  return *op == Op::WarpBarrier && calledOp(i.getOperand(1)) != Op::WarpActive;
}

bool hasSyncPoints(const Function &f) { return any_of(instructions(f), isSyncPoint); }
bool hasNamedBarriers(const Function &f) {
  return any_of(instructions(f), [](const Instruction &i) { return isNamedBarrier(i); });
}
bool hasWarpOperations(const Function &f) { return any_of(instructions(f), isWarpOperation); }

namespace {

/// The immediate post-dominator of a branch; null for the end of the function.
const BasicBlock *joinOfBranch(const BasicBlock &branch, const PostDominatorTree &postDominators) {
  const auto *node = postDominators.getNode(&branch);
  return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
}

bool mayReachWanted(const BasicBlock &begin, const BasicBlock *end,
                    function_ref<bool(const Instruction &)> isWanted) {
  if (&begin == end)
    return false;
  df_iterator_default_set<const BasicBlock *, 32> seen;
  if (end)
    seen.insert(end);
  for (const BasicBlock *block : depth_first_ext(&begin, seen))
    if (any_of(*block, isWanted))
      return true;
  return false;
}

} // namespace

bool mayReachSyncPoint(const BasicBlock &begin, const BasicBlock *end) {
  return mayReachWanted(begin, end, isSyncPoint);
}

SmallVector<const Instruction *, 4>
collectInstructionsBeforeJoin(const BasicBlock &branch, const PostDominatorTree &postDominators,
                              function_ref<bool(const Instruction &)> isWanted) {
  const BasicBlock *end = joinOfBranch(branch, postDominators);
  df_iterator_default_set<const BasicBlock *, 32> seen;
  if (end)
    seen.insert(end);
  SmallVector<const Instruction *, 4> found;
  for (const BasicBlock *next : successors(&branch))
    if (!seen.contains(next))
      for (const BasicBlock *block : depth_first_ext(next, seen))
        for (const Instruction &i : *block)
          if (isWanted(i))
            found.push_back(&i);
  return found;
}

unsigned countSuccessorsReaching(const BasicBlock &branch, const PostDominatorTree &postDominators,
                                 function_ref<bool(const Instruction &)> isWanted) {
  const BasicBlock *end = joinOfBranch(branch, postDominators);
  return unsigned(count_if(successors(&branch), [&](const BasicBlock *next) {
    return mayReachWanted(*next, end, isWanted);
  }));
}

bool mayReachSyncPointBeforeJoin(const BasicBlock &branch,
                                 const PostDominatorTree &postDominators) {
  return countSuccessorsReaching(branch, postDominators, isSyncPoint) > 0;
}

const BasicBlock *findBranchToDifferentSyncPoints(Function &f, FunctionAnalysisManager &analyses) {
  auto &uniformity = analyses.getResult<UniformityInfoAnalysis>(f);
  auto &postDominators = analyses.getResult<PostDominatorTreeAnalysis>(f);
  auto meets = [](const BasicBlock *next) { return mayReachSyncPoint(*next, nullptr); };
  for (const BasicBlock &block : f)
    if (uniformity.hasDivergentTerminator(block) &&
        mayReachSyncPointBeforeJoin(block, postDominators) &&
        count_if(successors(&block), meets) > 1)
      return &block;
  return nullptr;
}

} // namespace heddle::simt
