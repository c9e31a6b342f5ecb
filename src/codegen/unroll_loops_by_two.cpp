#include "codegen/unroll_loops_by_two.h"

#include "simt/thresholds.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace heddle::cpu {
namespace {

bool isSafeToRepeat(const Instruction &i) {
  if (const auto *load = dyn_cast<LoadInst>(&i))
    return load->isSimple();
  return !i.mayHaveSideEffects() && !i.mayReadOrWriteMemory() && !i.getType()->isTokenTy();
}

/// Returns true if the loop's iterations are short, load memory, and may run twice.
bool isShortWithLoads(const Loop &loop) {
  unsigned size = 0;
  bool loads = false;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &i : block->instructionsWithoutDebug()) {
      if (i.isTerminator() || isa<PHINode>(i))
        continue;
      if (i.getType()->isVectorTy() || !isSafeToRepeat(i) || ++size > thresholds::maxSmallCodeSize)
        return false;
      loads |= isa<LoadInst>(i);
    }
  return loads;
}

Value *mappedValue(Value *value, ValueToValueMapTy &values) {
  auto found = values.find(value);
  return found == values.end() ? value : static_cast<Value *>(found->second);
}

/// Selects floats as integers: processors without mask registers would branch for a select of floats.
void selectAsIntegers(SelectInst &select) {
  IRBuilder<> b(&select);
  Type *bits = b.getIntNTy(select.getType()->getScalarSizeInBits());
  Value *selected =
      b.CreateSelect(select.getCondition(), b.CreateBitCast(select.getTrueValue(), bits),
                     b.CreateBitCast(select.getFalseValue(), bits));
  select.replaceAllUsesWith(b.CreateBitCast(selected, select.getType()));
  select.eraseFromParent();
}

/// Returns true if the block ends the kernel, as for an out-of-bounds index.
bool leadsToUnreachable(const BasicBlock &block) {
  const BasicBlock *next = block.getUniqueSuccessor();
  return isa<UnreachableInst>((next ? next : &block)->getTerminator());
}

class UnrolledLoop {
public:
  UnrolledLoop(Loop &loop, Function &f, FunctionAnalysisManager &am,
               SmallVectorImpl<WeakTrackingVH> &floats)
      : loop_(loop), floats_(floats), evolution_(am.getResult<ScalarEvolutionAnalysis>(f)),
        loops_(am.getResult<LoopAnalysis>(f)), tree_(am.getResult<DominatorTreeAnalysis>(f)),
        costs_(am.getResult<TargetIRAnalysis>(f)) {}

  bool unroll() {
    header_ = loop_.getHeader();
    preheader_ = loop_.getLoopPreheader();
    latch_ = loop_.getLoopLatch();
    if (!preheader_ || !latch_ || !isShortWithLoads(loop_) || !findExits())
      return false;
    Value *backedgeCount = emitBackedgeCount();
    if (!backedgeCount)
      return false;
    formLCSSA(loop_, tree_, &loops_, &evolution_);
    evolution_.forgetLoop(&loop_);
    peelFirstIteration(*backedgeCount);
    unrollBody();
    tree_.recalculate(*header_->getParent());
    return true;
  }

private:
  /// Finds the exit after the latch. All other exits must stop the kernel.
  bool findExits() {
    SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> edges;
    loop_.getExitEdges(edges);
    for (auto [from, to] : edges) {
      if (from == latch_)
        exit_ = to;
      else if (!leadsToUnreachable(*to))
        return false;
    }
    return exit_ && isa<BranchInst>(latch_->getTerminator()) &&
           exit_->getSinglePredecessor() == latch_;
  }

  /// Emits the backedge-taken count before the loop; null if it is unknown or expensive.
  Value *emitBackedgeCount() {
    const SCEV *count = evolution_.getExitCount(&loop_, latch_);
    // LLVM unrolls small constant counts; large ones gain nothing.
    if (isa<SCEVCouldNotCompute>(count) || isa<SCEVConstant>(count))
      return nullptr;
    Instruction *at = preheader_->getTerminator();
    SCEVExpander expander(evolution_, "backedges");
    if (!expander.isSafeToExpandAt(count, at) ||
        expander.isHighCostExpansion(count, &loop_, SCEVCheapExpansionBudget, &costs_, at))
      return nullptr;
    return expander.expandCodeFor(count, count->getType(), at);
  }

  /// Clones the loop's blocks as an iteration after `previous`, with `starts` instead of the header phis. Fills
  /// `values` with the clones. The cloned latch keeps its successors.
  BasicBlock *cloneIteration(Loop *in, BasicBlock *previous, ArrayRef<Value *> starts,
                             ValueToValueMapTy &values) {
    SmallVector<BasicBlock *> blocks(loop_.blocks());
    SmallVector<BasicBlock *> copies;
    for (BasicBlock *block : blocks) {
      BasicBlock *copy = CloneBasicBlock(block, values, ".iter", header_->getParent());
      copy->moveAfter(previous);
      previous = copy;
      values[block] = copy;
      copies.push_back(copy);
      if (in)
        in->addBasicBlockToLoop(copy, loops_);
    }
    for (auto [phi, start] : zip(header_->phis(), starts)) {
      cast<Instruction>(values[&phi])->eraseFromParent();
      values[&phi] = start;
    }
    remapInstructionsInBlocks(copies, values);
    for (BasicBlock *block : blocks)
      for (BasicBlock *stop : successors(block))
        if (block != latch_ && !loop_.contains(stop))
          for (PHINode &phi : stop->phis())
            phi.addIncoming(mappedValue(phi.getIncomingValueForBlock(block), values),
                            cast<BasicBlock>(values[block]));
    return cast<BasicBlock>(values[header_]);
  }

  SmallVector<Value *> incomingValuesFrom(BasicBlock *block) const {
    SmallVector<Value *> starts;
    for (PHINode &phi : header_->phis())
      starts.push_back(phi.getIncomingValueForBlock(block));
    return starts;
  }

  void peelFirstIteration(Value &backedgeCount) {
    ValueToValueMapTy values;
    BasicBlock *first =
        cloneIteration(loop_.getParentLoop(), preheader_, incomingValuesFrom(preheader_), values);
    auto *end = cast<BasicBlock>(values[latch_]);
    preheader_->getTerminator()->replaceSuccessorWith(header_, first);
    end->getTerminator()->eraseFromParent();
    IRBuilder<> b(end);
    Value *even = b.CreateTrunc(&backedgeCount, b.getInt1Ty());
    for (PHINode &phi : header_->phis()) {
      Value *start = phi.getIncomingValueForBlock(preheader_);
      Value *next = mappedValue(phi.getIncomingValueForBlock(latch_), values);
      Value *selected = b.CreateSelect(even, start, next);
      phi.setIncomingValueForBlock(preheader_, selected);
      phi.replaceIncomingBlockWith(preheader_, end);
      if (selected->getType()->isFloatingPointTy())
        floats_.push_back(selected);
    }
    for (PHINode &result : exit_->phis())
      result.addIncoming(mappedValue(result.getIncomingValueForBlock(latch_), values), end);
    b.CreateCondBr(b.CreateIsNull(&backedgeCount), exit_, header_);
  }

  void unrollBody() {
    ValueToValueMapTy values;
    BasicBlock *second = cloneIteration(&loop_, latch_, incomingValuesFrom(latch_), values);
    auto *end = cast<BasicBlock>(values[latch_]);
    end->getTerminator()->replaceSuccessorWith(second, header_);
    latch_->getTerminator()->eraseFromParent();
    IRBuilder<>(latch_).CreateBr(second);
    for (BasicBlock *next : {header_, exit_})
      for (PHINode &phi : next->phis()) {
        phi.setIncomingValueForBlock(latch_,
                                     mappedValue(phi.getIncomingValueForBlock(latch_), values));
        phi.replaceIncomingBlockWith(latch_, end);
      }
  }

  Loop &loop_;
  SmallVectorImpl<WeakTrackingVH> &floats_; ///< receives the float selects before the loop
  ScalarEvolution &evolution_;
  LoopInfo &loops_;
  DominatorTree &tree_;
  const TargetTransformInfo &costs_;
  BasicBlock *header_ = nullptr, *latch_ = nullptr, *preheader_ = nullptr, *exit_ = nullptr;
};

} // namespace

PreservedAnalyses UnrollLoopsByTwo::run(Function &f, FunctionAnalysisManager &am) {
  bool changed = false;
  SmallVector<WeakTrackingVH> floats;
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    if (loop->isInnermost())
      changed |= UnrolledLoop(*loop, f, am, floats).unroll();
  if (!changed)
    return PreservedAnalyses::all();
  // Merges the two increments into one.
  InstCombinePass().run(f, am);
  for (Value *selected : floats)
    if (auto *select = dyn_cast_or_null<SelectInst>(selected))
      selectAsIntegers(*select);
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
