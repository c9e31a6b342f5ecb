#include "backend/cpu/vectorize/obstacles.h"

#include "backend/cpu/vectorize/can_widen.h"
#include "simt/analysis/accesses.h"
#include "simt/analysis/sync_points.h"
#include "simt/ir/checks.h"
#include "simt/ir/ops.h"
#include "simt/ir/source_positions.h"
#include "simt/thresholds.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Narrower elements have no gather instruction: each lane's element is loaded and inserted separately.
constexpr int64_t minGatherBytes = 4;

/// Returns " at line 7", or "" if the line is unknown.
std::string formatLine(const Instruction &i) {
  unsigned line = simt::sourcePositionOf(i).line;
  return line ? " at line " + std::to_string(line) : "";
}

/// The line of a local array's declaration. In C++, debug information only has the function's line, so use the line of
/// the first use.
std::string formatLineOfArray(const AllocaInst &array) {
  const Instruction *first = &array;
  if (simt::sourcePositionOf(array).line == simt::sourcePositionOf(*array.getFunction()).line)
    for (const User *user : array.users()) // in reverse order
      if (const auto *i = cast<Instruction>(user); simt::sourcePositionOf(*i).line)
        first = i;
  return formatLine(*first);
}

bool isBarrier(const Instruction &i) {
  std::optional<simt::Op> op = simt::calledOp(&i);
  return op && simt::info(*op).has(simt::Convergent) && !simt::info(*op).has(simt::Warp);
}

bool isAtomicUsableAsLock(const Instruction &i) {
  std::optional<simt::Op> op = simt::calledOp(&i);
  return op && simt::info(*op).has(simt::ArgMemory) &&
         (!i.use_empty() || *op == simt::Op::AtomicCas || *op == simt::Op::AtomicExch);
}

bool mayDivergeAtSyncPoint(BasicBlock &block, const PostDominatorTree &postDominators) {
  if (simt::countSuccessorsReaching(block, postDominators, simt::isWarpOperation) > 1)
    return true;
  return simt::countSuccessorsReaching(block, postDominators, isBarrier) > 0 &&
         all_of(successors(&block),
                [](BasicBlock *next) { return simt::mayReachSyncPoint(*next, nullptr); });
}

/// Returns true if a value depends on a source instruction, through instructions for which `within` holds.
bool dependsOn(const Value &value, function_ref<bool(const Instruction &)> within,
               function_ref<bool(const Instruction &)> isSource) {
  SmallSetVector<const Value *, 16> sources;
  sources.insert(&value);
  for (unsigned n = 0; n < sources.size(); ++n) {
    const auto *i = dyn_cast<Instruction>(sources[n]);
    if (!i || !within(*i))
      continue;
    if (isSource(*i))
      return true;
    sources.insert_range(i->operand_values());
  }
  return false;
}

/// Returns true if a later iteration uses the value.
bool isLoopCarried(const Instruction &value, const Loop &loop) {
  return any_of(loop.getHeader()->phis(), [&](const PHINode &phi) {
    return any_of(phi.incoming_values(), [&](const Value *incoming) {
      return dependsOn(
          *incoming, [&](const Instruction &i) { return loop.contains(&i); },
          [&](const Instruction &i) { return &i == &value; });
    });
  });
}

/// Returns true if a value depends, within the block, on a division by a non-constant that is not loop-carried.
bool dependsOnDivision(const Value &value, const BasicBlock &block, const Loop &loop) {
  auto isByConstant = [](const Instruction &i) {
    return i.isIntDivRem() && isa<Constant>(i.getOperand(1));
  };
  return dependsOn(
      value,
      [&](const Instruction &i) {
        return i.getParent() == &block && !isa<PHINode>(i) && !isByConstant(i);
      },
      [&](const Instruction &i) { return i.isIntDivRem() && !isLoopCarried(i, loop); });
}

/// Returns true if a value depends on a load in the same iteration of the loop.
bool dependsOnLoad(const Value &value, const Loop &loop) {
  return dependsOn(
      value,
      [&](const Instruction &i) {
        return loop.contains(&i) && (!isa<PHINode>(i) || i.getParent() != loop.getHeader());
      },
      [](const Instruction &i) { return isa<LoadInst>(i); });
}

/// Returns true for a loop that ends if a division says so: `while n % d != 0: d += 1`. Most adjacent numbers have
/// small divisors, and the others take so long that vectors do not pay. Loops that carry the result, as Euclid's
/// algorithm does, take about equally long in all threads.
bool isTrialDivision(const Loop &loop) {
  SmallVector<BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  return loop.isInnermost() && any_of(exiting, [&](const BasicBlock *block) {
           const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
           return branch && dependsOnDivision(*branch->getCondition(), *block, loop);
         });
}

bool mayWaitForLockInLoop(const Loop &loop, UniformityInfo &uniformity) {
  SmallVector<BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  return any_of(exiting, [&](BasicBlock *b) { return uniformity.hasDivergentTerminator(*b); }) &&
         any_of(loop.blocks(),
                [](BasicBlock *block) { return any_of(*block, isAtomicUsableAsLock); });
}

} // namespace

std::optional<std::string> whyNotProfitable(Function &kernel) {
  bool hasWarpOps = simt::hasWarpOperations(kernel);
  if (kernel.getInstructionCount() >
      (hasWarpOps ? thresholds::maxLargeFunctionSize : thresholds::maxOptimizedSize))
    return "it is large";
  if (simt::hasSyncPoints(kernel))
    return std::nullopt;
  DominatorTree dominators(kernel);
  LoopInfo loops(dominators);
  for (const Loop *loop : loops.getLoopsInPreorder())
    if (isTrialDivision(*loop))
      return "most threads exit a loop of integer divisions early" +
             formatLine(*loop->getHeader()->getTerminator());
  return std::nullopt;
}

std::optional<std::string> whyNotVectorizable(Function &kernel, unsigned width,
                                              simt::DivergenceAnalyses &analyses) {
  uint64_t localBytes = 0;
  for (Instruction &i : instructions(kernel)) {
    if (auto *alloca = dyn_cast<AllocaInst>(&i)) {
      localBytes += width * alloca->getAllocationSize(kernel.getDataLayout())->getFixedValue();
      if (localBytes > thresholds::maxLocalBytes)
        return "its local arrays are large" + formatLineOfArray(*alloca);
    }
    if (simt::calledOp(&i) == simt::Op::Yield)
      return "a thread may wait for another in a loop" + formatLine(i);
    if ((isa<CallInst>(i) || i.mayReadOrWriteMemory()) && !canWiden(i))
      return describeMissingVectorForm(i);
  }
  FunctionAnalysisManager &known = analyses.functionAnalyses();
  auto &uniformity = known.getResult<UniformityInfoAnalysis>(kernel);
  auto &postDominators = known.getResult<PostDominatorTreeAnalysis>(kernel);
  if (simt::hasSyncPoints(kernel))
    for (BasicBlock &block : kernel)
      if (uniformity.hasDivergentTerminator(block) && mayDivergeAtSyncPoint(block, postDominators))
        return "threads may reach different barriers or warp operations" +
               formatLine(*block.getTerminator());
  for (Loop *loop : known.getResult<LoopAnalysis>(kernel).getLoopsInPreorder())
    if (mayWaitForLockInLoop(*loop, uniformity))
      return "a thread may wait for another in a loop" +
             formatLine(*loop->getHeader()->getTerminator());
  return std::nullopt;
}

std::string describeMissingVectorForm(const Instruction &i) {
  return describeUnsupportedInstruction(i) + " has no vector form" + formatLine(i);
}

std::optional<std::string> whyGathersDominate(Function &kernel, const LoopInfo &loops,
                                              const LaneShapes &shapes) {
  if (any_of(instructions(kernel), isBarrier))
    return std::nullopt;
  simt::Accesses accesses(kernel, loops);
  // Lanes from several rows of a block are not strided either, but most of them are adjacent.
  auto isPerThreadAddress = [&](const simt::Access &access) {
    LaneShape shape = shapes.shapeOf(access.address());
    return shape.hasRuntimeStride() || (shape.isVarying() && !access.strideAlong(simt::Axis::X) &&
                                        !dependsOnLoad(access.address(), *access.loop));
  };
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    const DivergentBranch *end = shapes.divergentBranchOf(*loop->getLoopLatch());
    bool hasUniformExit = !end || end->kind != DivergentBranch::Latch;
    unsigned gathers = 0, scatters = 0, others = 0;
    SmallPtrSet<const Value *, 16> invariants; // loop invariants that have not been hoisted yet
    auto isInvariant = [&](const Value *v) {
      return loop->isLoopInvariant(v) || invariants.contains(v);
    };
    for (const BasicBlock *block : loop->blocks())
      for (const Instruction &i : *block)
        if (isa<LoadInst, StoreInst>(i) || simt::isCheck(i) || simt::isWrap(i))
          continue; // scalar code has almost no checks and wraps
        else if (isa<CallInst>(i))
          others += thresholds::minOperationsPerAccess; // assume that a call is expensive
        else if (!isa<PHINode>(i) && !i.isTerminator() && all_of(i.operand_values(), isInvariant))
          invariants.insert(&i);
        else
          others += isa<BinaryOperator, CmpInst, SelectInst>(i);
    for (const simt::Access &access : accesses.in(*loop)) {
      bool isNarrow = access.bytes() < minGatherBytes;
      gathers += shapes.shapeOf(access.address()).isVarying() ? 1 + isNarrow : 0;
      scatters += !access.isLoad() && !isInvariant(&access.address()) && isPerThreadAddress(access);
    }
    // If lanes exit together, loads of rows can become vector loads and shuffles.
    if (gathers >= 2 && others < thresholds::minOperationsPerAccess * gathers &&
        (!hasUniformExit || scatters))
      return "gathers dominate a loop" + formatLine(*loop->getHeader()->getTerminator());
  }
  return std::nullopt;
}

} // namespace heddle::cpu
