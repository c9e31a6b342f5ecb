#include "backend/cpu/vectorize/plan.h"

#include "backend/cpu/prepare/thread_context.h"
#include "backend/cpu/vectorize/can_widen.h"
#include "simt/ir/ops.h"
#include "simt/ir/places.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// More than this takes longer to compile than it is likely to win.
constexpr unsigned mostInstructions = 1500;
/// Of all lanes' local arrays: they stay in the first-level cache, and any thread's stack has room for them.
constexpr uint64_t mostLocalBytes = 16 * 1024;

/// Instructions of a loop for each gather: with fewer, the loop waits for gathers alone.
constexpr unsigned fewestPerGather = 4;

/// " at line 7", where it is known.
std::string lineOf(const Instruction &i) {
  unsigned line = simt::placeOf(i).line;
  return line ? " at line " + std::to_string(line) : "";
}

bool isBarrier(const Instruction &i) {
  std::optional<simt::Op> op = simt::calledOp(&i);
  return op && simt::info(*op).has(simt::Convergent) && !simt::info(*op).has(simt::Warp);
}

/// Whether threads wait for one another there.
bool isMeeting(const Instruction &i) { return isBarrier(i) || isWarpOperation(i); }

bool isUsedAtomic(const Instruction &i) {
  std::optional<simt::Op> op = simt::calledOp(&i);
  return op && simt::info(*op).has(simt::ArgMemory) &&
         (!i.use_empty() || *op == simt::Op::AtomicCas || *op == simt::Op::AtomicExch);
}

/// The blocks on the ways from `from` that do not pass `end`.
SmallPtrSet<const BasicBlock *, 32> waysFrom(const BasicBlock *from, const BasicBlock *end) {
  df_iterator_default_set<const BasicBlock *, 32> seen;
  if (end)
    seen.insert(end);
  SmallPtrSet<const BasicBlock *, 32> found;
  if (from != end)
    for (const BasicBlock *block : depth_first_ext(from, seen))
      found.insert(block);
  return found;
}

bool hasMeeting(const SmallPtrSetImpl<const BasicBlock *> &blocks) {
  return any_of(blocks, [](const BasicBlock *block) { return any_of(*block, isMeeting); });
}

bool mayPartAtMeeting(BasicBlock &block, const PostDominatorTree &postDominators) {
  const auto *node = postDominators.getNode(&block);
  const BasicBlock *end = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  auto reaches = [](const BasicBlock *from, const BasicBlock *end) {
    return hasMeeting(waysFrom(from, end));
  };
  return any_of(successors(&block), [&](BasicBlock *next) { return reaches(next, end); }) &&
         all_of(successors(&block), [&](BasicBlock *next) { return reaches(next, nullptr); });
}

bool mayWaitInLoop(const Loop &loop, UniformityInfo &uniformity) {
  SmallVector<BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  return any_of(exiting, [&](BasicBlock *b) { return uniformity.hasDivergentTerminator(*b); }) &&
         any_of(loop.blocks(), [](BasicBlock *block) { return any_of(*block, isUsedAtomic); });
}

} // namespace

bool isWarpOperation(const Instruction &i) {
  std::optional<simt::Op> op = simt::calledOp(&i);
  return op && simt::info(*op).has(simt::Warp);
}

std::optional<std::string> whyNotWorthwhile(const Function &kernel) {
  if (kernel.getInstructionCount() > mostInstructions)
    return "it is large";
  if (any_of(instructions(kernel), isMeeting))
    return std::nullopt;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> backEdges;
  FindFunctionBackedges(kernel, backEdges);
  if (backEdges.empty())
    return "it has neither loops nor barriers";
  return std::nullopt;
}

std::optional<std::string> whyOneAtATime(Function &kernel, unsigned width,
                                         simt::DivergenceAnalyses &analyses) {
  uint64_t localBytes = 0;
  for (Instruction &i : instructions(kernel)) {
    if (auto *alloca = dyn_cast<AllocaInst>(&i))
      localBytes += width * alloca->getAllocationSize(kernel.getDataLayout())->getFixedValue();
    if (localBytes > mostLocalBytes)
      return "its local arrays are large" + lineOf(i);
    if ((isa<CallInst>(i) || i.mayReadOrWriteMemory()) && !canWiden(i))
      return "an operation has no form for vectors" + lineOf(i);
  }
  FunctionAnalysisManager &known = analyses.functions();
  auto &uniformity = known.getResult<UniformityInfoAnalysis>(kernel);
  auto &postDominators = known.getResult<PostDominatorTreeAnalysis>(kernel);
  if (any_of(instructions(kernel), isMeeting))
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

std::optional<std::string> whyGathersDominate(const Function &kernel, const LoopInfo &loops,
                                              const LaneShapes &shapes) {
  if (any_of(instructions(kernel), isBarrier))
    return std::nullopt;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    const DivergentBranch *end = shapes.branchOf(*loop->getLoopLatch());
    if (!loop->isInnermost() || !end || end->form != DivergentBranch::Latch)
      continue;
    unsigned gathers = 0, others = 0;
    for (const BasicBlock *block : loop->blocks())
      for (const Instruction &i : *block) {
        if (const Value *place = getLoadStorePointerOperand(&i))
          gathers += shapes.of(*place).isVarying();
        else if (isa<CallInst>(i))
          others += fewestPerGather; // whatever it is, it is longer
        else
          others += isa<BinaryOperator, CmpInst, SelectInst>(i);
      }
    if (gathers >= 2 && others < fewestPerGather * gathers)
      return "a loop does little but fetch from places of each thread's own" +
             lineOf(*loop->getHeader()->getTerminator());
  }
  return std::nullopt;
}

} // namespace heddle::cpu
