#include "simt/trace/insert_trace_probes.h"

#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "simt/ir/source_positions.h"
#include "simt/passes/lowering.h"
#include "simt/trace/traced_step.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr const char *barrierMessage = "barrier", *warpMessage = "warp";

/// True for an instruction that a thread of the program executes at its source line.
bool isPartOfStep(const Instruction &i) {
  if (isa<PHINode, AllocaInst>(i) || i.isDebugOrPseudoInst() || i.isLifetimeStartOrEnd())
    return false;
  if (i.isTerminator())
    return i.getNumSuccessors() > 1;
  if (std::optional<Op> op = calledOp(&i)) {
    const OpInfo &row = info(*op);
    return !row.has(Check) && !row.has(Mark) && !row.name.starts_with("simt.check");
  }
  return true;
}

/// The message of an instruction's step.
std::string messageOfStep(const Instruction &i) {
  std::optional<Op> op = calledOp(&i);
  if (!op)
    return "";
  switch (*op) {
  case Op::Barrier:
  case Op::BarrierCount:
  case Op::BarrierAnd:
  case Op::BarrierOr:
  case Op::GridBarrier:
    return barrierMessage;
  default:
    return info(*op).has(Warp) ? warpMessage : "";
  }
}

/// A step, and its first instruction.
struct PlacedStep {
  Instruction *before;
  SourcePosition at;
  std::string message;
};

/// Orders the basic blocks of a function as the lanes of a warp execute them: a block after those that branch to it,
/// and the first side of a branch before the second one. If the sides of a branch do not meet again, the smaller one is
/// first: its threads return early, and do not hold up the barriers of the others.
class ExecutionOrder {
public:
  ExecutionOrder(Function &f, const PostDominatorTree &postDominators)
      : postDominators_(postDominators) {
    appendReachableBlocks(f.getEntryBlock());
    std::reverse(blocks_.begin(), blocks_.end());
  }

  ArrayRef<BasicBlock *> blocks() const { return blocks_; }

private:
  /// Appends the blocks that are reachable from `start`, in post order.
  void appendReachableBlocks(BasicBlock &start) {
    SmallVector<std::pair<BasicBlock *, SmallVector<BasicBlock *, 2>>> path;
    auto enter = [&](BasicBlock &block) {
      if (seen_.insert(&block).second)
        path.push_back({&block, listSuccessorsInOrder(block)});
    };
    for (enter(start); !path.empty();) {
      auto &[block, left] = path.back();
      if (left.empty()) {
        blocks_.push_back(block);
        path.pop_back();
      } else {
        enter(*left.pop_back_val()); // those visited last are the first in reverse post order
      }
    }
  }

  /// The successors of a block in the order in which they are executed.
  SmallVector<BasicBlock *, 2> listSuccessorsInOrder(BasicBlock &block) const {
    SmallVector<BasicBlock *, 2> next(successors(&block));
    if (next.size() == 2 && !doPathsMeetAgain(*next[0], *next[1]) &&
        countReachableBlocks(*next[1]) < countReachableBlocks(*next[0]))
      std::swap(next[0], next[1]);
    return next;
  }

  bool doPathsMeetAgain(BasicBlock &a, BasicBlock &b) const {
    const BasicBlock *meeting = postDominators_.findNearestCommonDominator(&a, &b);
    return meeting && !isa<ReturnInst>(*meeting->getFirstNonPHIOrDbg());
  }

  static size_t countReachableBlocks(BasicBlock &from) {
    return size_t(std::distance(df_begin(&from), df_end(&from)));
  }

  const PostDominatorTree &postDominators_;
  SmallPtrSet<BasicBlock *, 32> seen_;
  SmallVector<BasicBlock *> blocks_;
};

class TraceProbes {
public:
  TraceProbes(Function &f, const LoopInfo &loops, const PostDominatorTree &postDominators)
      : f_(f), loops_(loops), sites_(sitesOf(*f.getParent())) {
    for (BasicBlock *block : ExecutionOrder(f, postDominators).blocks())
      numbers_.insert({block, unsigned(numbers_.size() + 1)});
  }

  void insertProbes() {
    for (BasicBlock &block : f_)
      if (numbers_.contains(&block))
        insertProbesInto(block);
  }

private:
  void insertProbesInto(BasicBlock &block) {
    SmallVector<PlacedStep> steps = findSteps(block);
    if (steps.empty() && loops_.isLoopHeader(&block))
      steps.push_back({&*block.getFirstInsertionPt(), {}, ""});
    TracedStep step{.block = numbers_.lookup(&block)};
    for (const Loop *loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop())
      step.loops.insert(step.loops.begin(), numbers_.lookup(loop->getHeader()));
    for (const PlacedStep &placed : steps) {
      const SourcePosition &at = placed.at;
      unsigned site = addSite(*f_.getParent(), {"step", placed.message, at.function, at.file,
                                                at.line, at.column, step.encode()});
      IRBuilder<> b(placed.before);
      b.SetCurrentDebugLocation(artificialLocation(f_));
      simt::call(b, Op::CheckBlock, {b.getInt32(site)});
      ++step.index;
    }
  }

  SmallVector<PlacedStep> findSteps(BasicBlock &block) const {
    SmallVector<PlacedStep> steps;
    for (Instruction &i : block) {
      if (!isPartOfStep(i))
        continue;
      SourcePosition at = sourcePositionOf(i);
      if (!at.line)
        continue;
      std::string message = messageOfStep(i);
      PlacedStep *last = steps.empty() ? nullptr : &steps.back();
      if (last && last->at.line == at.line && last->at.file == at.file &&
          last->message != barrierMessage && message != barrierMessage) {
        if (!message.empty())
          last->message = std::move(message);
        continue;
      }
      steps.push_back({&i, std::move(at), std::move(message)});
    }
    return steps;
  }

  Function &f_;
  const LoopInfo &loops_;
  const std::vector<SiteInfo> sites_; ///< of the front end and earlier passes
  DenseMap<const BasicBlock *, unsigned> numbers_;
};

} // namespace

PreservedAnalyses InsertTraceProbes::run(Function &f, FunctionAnalysisManager &am) {
  if (!isKernel(f))
    return PreservedAnalyses::all();
  TraceProbes(f, am.getResult<LoopAnalysis>(f), am.getResult<PostDominatorTreeAnalysis>(f))
      .insertProbes();
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
