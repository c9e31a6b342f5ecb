#include "backend/cpu/vectorize/plan.h"

#include "backend/cpu/prepare/thread_context.h"
#include "backend/cpu/vectorize/can_widen.h"
#include "simt/analysis/sync_points.h"
#include "simt/analysis/thread_strides.h"
#include "simt/ir/checks.h"
#include "simt/ir/ops.h"
#include "simt/ir/source_positions.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// More than this takes longer to compile than it is likely to win.
constexpr unsigned mostInstructionsOfKernel = 1500;
/// With warp operations, for which single threads would wait one by one.
constexpr unsigned mostInstructionsOfWarp = 6000;
/// Of all lanes' local arrays: they stay in the first-level cache, and any thread's stack has room for them.
constexpr uint64_t mostLocalBytes = 16 * 1024;
/// With warp operations: any thread's stack has room for them.
constexpr uint64_t mostLocalBytesOfWarp = 64 * 1024;

/// Instructions of a loop for each gather: with fewer, the loop waits for gathers alone.
constexpr unsigned fewestPerGather = 4;

/// Of fewer bits no processor gathers: each lane's number is loaded, and inserted, by itself.
constexpr unsigned shortestOfGather = 32;

/// Operations for each access: with more, a kernel computes.
constexpr unsigned fewestPerAccess = 4;

/// Instructions of a loop that reads rows: of more, twice the lanes have no registers.
constexpr unsigned longestRowLoop = 40;

/// " at line 7", where it is known.
std::string lineOf(const Instruction &i) {
  unsigned line = simt::sourcePositionOf(i).line;
  return line ? " at line " + std::to_string(line) : "";
}

/// Where a local array is declared; in C++, which says no more of that than the function's line, where it is used first.
std::string lineOfArray(const AllocaInst &array) {
  const Instruction *first = &array;
  if (simt::sourcePositionOf(array).line == simt::sourcePositionOf(*array.getFunction()).line)
    for (const User *user : array.users()) // from the last to the first
      if (const auto *i = cast<Instruction>(user); simt::sourcePositionOf(*i).line)
        first = i;
  return lineOf(*first);
}

bool isBarrier(const Instruction &i) {
  std::optional<simt::Op> op = simt::calledOp(&i);
  return op && simt::info(*op).has(simt::Convergent) && !simt::info(*op).has(simt::Warp);
}

bool isUsedAtomic(const Instruction &i) {
  std::optional<simt::Op> op = simt::calledOp(&i);
  return op && simt::info(*op).has(simt::ArgMemory) &&
         (!i.use_empty() || *op == simt::Op::AtomicCas || *op == simt::Op::AtomicExch);
}

/// A choice by an integer's sign, as of an index that counts from the end where it is negative.
bool isChoiceBySign(const Value *v) {
  return v->getType()->isIntegerTy() &&
         match(v, m_Select(m_SpecificICmp(CmpInst::ICMP_SLT, m_Value(), m_Zero()), m_Value(),
                           m_Value()));
}

/// Whether the instruction makes an index of one that may count from the end: little of it is left in scalar code.
bool countsFromEnd(const Instruction &i) {
  return isChoiceBySign(&i) ||
         (i.getOpcode() == Instruction::Add && any_of(i.operands(), isChoiceBySign)) ||
         (!i.use_empty() && all_of(i.users(), isChoiceBySign));
}

bool mayPartAtMeeting(BasicBlock &block, const PostDominatorTree &postDominators) {
  if (simt::countSuccessorsReaching(block, postDominators, simt::isWarpOperation) > 1)
    return true;
  return simt::countSuccessorsReaching(block, postDominators, isBarrier) > 0 &&
         all_of(successors(&block),
                [](BasicBlock *next) { return simt::mayReachSyncPoint(*next, nullptr); });
}

/// Whether a value follows from an instruction of a kind, through no others than those that are `within`.
bool comesFrom(const Value &value, function_ref<bool(const Instruction &)> within,
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

/// Whether a value follows from a division by a number that is no constant, in the same block.
bool comesFromDivision(const Value &value, const BasicBlock &block) {
  auto isByConstant = [](const Instruction &i) {
    return i.isIntDivRem() && isa<Constant>(i.getOperand(1));
  };
  return comesFrom(
      value,
      [&](const Instruction &i) {
        return i.getParent() == &block && !isa<PHINode>(i) && !isByConstant(i);
      },
      [](const Instruction &i) { return i.isIntDivRem(); });
}

/// Whether a value follows from one that is loaded in the same round of a loop.
bool comesFromLoad(const Value &value, const Loop &loop) {
  return comesFrom(
      value,
      [&](const Instruction &i) {
        return loop.contains(&i) && (!isa<PHINode>(i) || i.getParent() != loop.getHeader());
      },
      [](const Instruction &i) { return isa<LoadInst>(i); });
}

/// Whether a loop has several ends, and one of them follows from a division: for d in range(2, n): if n % d == 0: break.
/// Of neighbouring numbers most have small divisors, and the others take as long as no group of threads gains.
bool triesDivisors(const Loop &loop) {
  SmallVector<BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  return loop.isInnermost() && exiting.size() > 1 && any_of(exiting, [](const BasicBlock *block) {
           const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
           return branch && comesFromDivision(*branch->getCondition(), *block);
         });
}

bool mayWaitInLoop(const Loop &loop, UniformityInfo &uniformity) {
  SmallVector<BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  return any_of(exiting, [&](BasicBlock *b) { return uniformity.hasDivergentTerminator(*b); }) &&
         any_of(loop.blocks(), [](BasicBlock *block) { return any_of(*block, isUsedAtomic); });
}

} // namespace

std::optional<std::string> whyNotWorthwhile(Function &kernel) {
  bool ofWarp = simt::hasWarpOperations(kernel);
  if (kernel.getInstructionCount() > (ofWarp ? mostInstructionsOfWarp : mostInstructionsOfKernel))
    return "it is large";
  if (simt::hasSyncPoints(kernel))
    return std::nullopt;
  DominatorTree dominators(kernel);
  LoopInfo loops(dominators);
  for (const Loop *loop : loops.getLoopsInPreorder())
    if (triesDivisors(*loop))
      return "most threads leave a loop early, which divides integers" +
             lineOf(*loop->getHeader()->getTerminator());
  return std::nullopt;
}

bool mostlyMoves(const Function &kernel) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> backEdges;
  FindFunctionBackedges(kernel, backEdges);
  if (!backEdges.empty() || simt::hasSyncPoints(kernel))
    return false;
  unsigned accesses = 0, operations = 0;
  for (const Instruction &i : instructions(kernel)) {
    std::optional<simt::Op> op = simt::calledOp(&i);
    if (op && isOfOneLane(*op)) // SLEEF's functions take the largest registers, besides
      return false;
    accesses += getLoadStorePointerOperand(&i) != nullptr;
    operations += (isa<UnaryOperator, BinaryOperator>(i) && i.getType()->isFloatingPointTy()) ||
                  i.isIntDivRem();
  }
  return operations < fewestPerAccess * accesses;
}

std::optional<int64_t> bytesReadRowByRow(Function &kernel) {
  if (simt::hasSyncPoints(kernel))
    return std::nullopt;
  DominatorTree dominators(kernel);
  LoopInfo loops(dominators);
  simt::ThreadStrides strides(kernel);
  bool reads = false;
  int64_t most = 0;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    unsigned size = 0;
    for (const BasicBlock *block : loop->blocks())
      for (const Instruction &i : *block) {
        if (simt::isCheck(i))
          continue;
        bool isOther = isa<CallInst>(i) && !isa<IntrinsicInst>(i);
        if (isOther || ++size > longestRowLoop)
          return std::nullopt;
        const Value *place = getLoadStorePointerOperand(&i);
        if (!place)
          continue;
        int64_t bytes =
            kernel.getDataLayout().getTypeStoreSize(getLoadStoreType(&i)).getFixedValue();
        std::optional<int64_t> stride = strides.of(*place)[0];
        if (!stride || (*stride != 0 && *stride != bytes))
          return std::nullopt;
        most = std::max(most, bytes);
        reads |= *stride != 0 && !loop->isLoopInvariant(place);
      }
  }
  return reads ? std::optional(most) : std::nullopt;
}

std::optional<std::string> whyOneAtATime(Function &kernel, unsigned width,
                                         simt::DivergenceAnalyses &analyses) {
  uint64_t localBytes = 0;
  bool ofWarp = simt::hasWarpOperations(kernel);
  for (Instruction &i : instructions(kernel)) {
    if (auto *alloca = dyn_cast<AllocaInst>(&i)) {
      localBytes += width * alloca->getAllocationSize(kernel.getDataLayout())->getFixedValue();
      if (localBytes > (ofWarp ? mostLocalBytesOfWarp : mostLocalBytes))
        return "its local arrays are large" + lineOfArray(*alloca);
    }
    if (simt::calledOp(&i) == simt::Op::Yield)
      return "a thread may wait for another in a loop" + lineOf(i);
    if ((isa<CallInst>(i) || i.mayReadOrWriteMemory()) && !canWiden(i))
      return whyNoVectors(i);
  }
  FunctionAnalysisManager &known = analyses.functions();
  auto &uniformity = known.getResult<UniformityInfoAnalysis>(kernel);
  auto &postDominators = known.getResult<PostDominatorTreeAnalysis>(kernel);
  if (simt::hasSyncPoints(kernel))
    for (BasicBlock &block : kernel)
      if (uniformity.hasDivergentTerminator(block) && mayPartAtMeeting(block, postDominators))
        return "threads may come to different barriers or warp operations" +
               lineOf(*block.getTerminator());
  for (Loop *loop : known.getResult<LoopAnalysis>(kernel).getLoopsInPreorder())
    if (mayWaitInLoop(*loop, uniformity))
      return "a thread may wait for another in a loop" +
             lineOf(*loop->getHeader()->getTerminator());
  return std::nullopt;
}

std::string whyNoVectors(const Instruction &i) {
  return nameOfUnknown(i) + " has no form for vectors" + lineOf(i);
}

std::optional<std::string> whyGathersDominate(const Function &kernel, const LoopInfo &loops,
                                              const LaneShapes &shapes) {
  if (any_of(instructions(kernel), isBarrier))
    return std::nullopt;
  simt::ThreadStrides strides(kernel);
  // Lanes of several rows of a block are somehow apart, too, but most of them are neighbours.
  auto isOfOwnRow = [&](const Value &place, const Loop &loop) {
    auto shape = shapes.of(place);
    return shape.isEven() ||
           (shape.isVarying() && !strides.of(place)[0] && !comesFromLoad(place, loop));
  };
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    const DivergentBranch *end = shapes.branchOf(*loop->getLoopLatch());
    bool endsTogether = !end || end->form != DivergentBranch::Latch;
    unsigned gathers = 0, scatters = 0, others = 0;
    SmallPtrSet<const Value *, 16> unchanged; // from round to round, and not yet before the loop
    for (const BasicBlock *block : loop->blocks())
      for (const Instruction &i : *block) {
        auto isUnchanged = [&](const Value *v) {
          return loop->isLoopInvariant(v) || unchanged.contains(v);
        };
        if (const Value *place = getLoadStorePointerOperand(&i)) {
          bool isShort = getLoadStoreType(&i)->getScalarSizeInBits() < shortestOfGather;
          gathers += shapes.of(*place).isVarying() ? 1 + isShort : 0;
          scatters += isa<StoreInst>(i) && !isUnchanged(place) && isOfOwnRow(*place, *loop);
        } else if (simt::isCheck(i))
          continue;
        else if (isa<CallInst>(i))
          others += fewestPerGather; // whatever it is, it is longer
        else if (!isa<PHINode>(i) && !i.isTerminator() && all_of(i.operand_values(), isUnchanged))
          unchanged.insert(&i);
        else
          others += isa<BinaryOperator, CmpInst, SelectInst>(i) && !countsFromEnd(i);
      }
    // What lanes that end together load is read a row at a time where it can be, and shuffled.
    if (gathers >= 2 && others < fewestPerGather * gathers && (!endsTogether || scatters))
      return "a loop does little but fetch from places of each thread's own" +
             lineOf(*loop->getHeader()->getTerminator());
  }
  return std::nullopt;
}

} // namespace heddle::cpu
