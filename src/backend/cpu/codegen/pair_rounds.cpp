#include "backend/cpu/codegen/pair_rounds.h"

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

/// Instructions of a round that costs little more than its share of the loop's end.
constexpr unsigned longestRound = 24;

bool mayRepeat(const Instruction &i) {
  if (const auto *load = dyn_cast<LoadInst>(&i))
    return load->isSimple();
  return !i.mayHaveSideEffects() && !i.mayReadOrWriteMemory() && !i.getType()->isTokenTy();
}

/// Returns whether the iterations of a loop are short, read memory, and may run twice.
bool isShortAndReads(const Loop &loop) {
  unsigned size = 0;
  bool loads = false;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &i : block->instructionsWithoutDebug()) {
      if (i.isTerminator() || isa<PHINode>(i))
        continue;
      if (i.getType()->isVectorTy() || !mayRepeat(i) || ++size > longestRound)
        return false;
      loads |= isa<LoadInst>(i);
    }
  return loads;
}

Value *valueOf(Value *value, ValueToValueMapTy &values) {
  auto found = values.find(value);
  return found == values.end() ? value : static_cast<Value *>(found->second);
}

/// Chooses between the bits of floats: processors without registers for masks have no choice of floats, only a branch.
void chooseBits(SelectInst &choice) {
  IRBuilder<> b(&choice);
  Type *bits = b.getIntNTy(choice.getType()->getScalarSizeInBits());
  Value *chosen =
      b.CreateSelect(choice.getCondition(), b.CreateBitCast(choice.getTrueValue(), bits),
                     b.CreateBitCast(choice.getFalseValue(), bits));
  choice.replaceAllUsesWith(b.CreateBitCast(chosen, choice.getType()));
  choice.eraseFromParent();
}

/// Returns whether a block ends the kernel, as for an index out of bounds.
bool stops(const BasicBlock &block) {
  const BasicBlock *next = block.getUniqueSuccessor();
  return isa<UnreachableInst>((next ? next : &block)->getTerminator());
}

class PairedLoop {
public:
  PairedLoop(Loop &loop, Function &f, FunctionAnalysisManager &am,
             SmallVectorImpl<WeakTrackingVH> &floats)
      : loop_(loop), floats_(floats), evolution_(am.getResult<ScalarEvolutionAnalysis>(f)),
        loops_(am.getResult<LoopAnalysis>(f)), tree_(am.getResult<DominatorTreeAnalysis>(f)),
        costs_(am.getResult<TargetIRAnalysis>(f)) {}

  bool pair() {
    header_ = loop_.getHeader();
    before_ = loop_.getLoopPreheader();
    latch_ = loop_.getLoopLatch();
    if (!before_ || !latch_ || !isShortAndReads(loop_) || !findExits())
      return false;
    Value *repeated = timesRepeated();
    if (!repeated)
      return false;
    formLCSSA(loop_, tree_, &loops_, &evolution_);
    evolution_.forgetLoop(&loop_);
    computeFirst(*repeated);
    computeTwo();
    tree_.recalculate(*header_->getParent());
    return true;
  }

private:
  /// The loop ends after its latch, or where an index is out of bounds.
  bool findExits() {
    SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> edges;
    loop_.getExitEdges(edges);
    for (auto [from, to] : edges) {
      if (from == latch_)
        out_ = to;
      else if (!stops(*to))
        return false;
    }
    return out_ && isa<BranchInst>(latch_->getTerminator()) &&
           out_->getSinglePredecessor() == latch_;
  }

  /// How often the loop goes on after the first round, computed before it; null where nobody knows or it takes long.
  Value *timesRepeated() {
    const SCEV *count = evolution_.getExitCount(&loop_, latch_);
    // A known few are unrolled by LLVM, a known many gain nothing.
    if (isa<SCEVCouldNotCompute>(count) || isa<SCEVConstant>(count))
      return nullptr;
    Instruction *at = before_->getTerminator();
    SCEVExpander expander(evolution_, "rounds");
    if (!expander.isSafeToExpandAt(count, at) ||
        expander.isHighCostExpansion(count, &loop_, SCEVCheapExpansionBudget, &costs_, at))
      return nullptr;
    return expander.expandCodeFor(count, count->getType(), at);
  }

  /// Copies the loop's blocks as a round after `previous`, which begins with `starts` instead of the header's phis.
  /// `values` gets the copies of values and blocks. The copy of the latch goes on as the latch does.
  BasicBlock *copyRound(Loop *in, BasicBlock *previous, ArrayRef<Value *> starts,
                        ValueToValueMapTy &values) {
    SmallVector<BasicBlock *> blocks(loop_.blocks());
    SmallVector<BasicBlock *> copies;
    for (BasicBlock *block : blocks) {
      BasicBlock *copy = CloneBasicBlock(block, values, ".round", header_->getParent());
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
            phi.addIncoming(valueOf(phi.getIncomingValueForBlock(block), values),
                            cast<BasicBlock>(values[block]));
    return cast<BasicBlock>(values[header_]);
  }

  SmallVector<Value *> startsFrom(BasicBlock *block) const {
    SmallVector<Value *> starts;
    for (PHINode &phi : header_->phis())
      starts.push_back(phi.getIncomingValueForBlock(block));
    return starts;
  }

  void computeFirst(Value &repeated) {
    ValueToValueMapTy values;
    BasicBlock *first = copyRound(loop_.getParentLoop(), before_, startsFrom(before_), values);
    auto *end = cast<BasicBlock>(values[latch_]);
    before_->getTerminator()->replaceSuccessorWith(header_, first);
    end->getTerminator()->eraseFromParent();
    IRBuilder<> b(end);
    Value *even = b.CreateTrunc(&repeated, b.getInt1Ty());
    for (PHINode &phi : header_->phis()) {
      Value *start = phi.getIncomingValueForBlock(before_);
      Value *next = valueOf(phi.getIncomingValueForBlock(latch_), values);
      Value *chosen = b.CreateSelect(even, start, next);
      phi.setIncomingValueForBlock(before_, chosen);
      phi.replaceIncomingBlockWith(before_, end);
      if (chosen->getType()->isFloatingPointTy())
        floats_.push_back(chosen);
    }
    for (PHINode &result : out_->phis())
      result.addIncoming(valueOf(result.getIncomingValueForBlock(latch_), values), end);
    b.CreateCondBr(b.CreateIsNull(&repeated), out_, header_);
  }

  void computeTwo() {
    ValueToValueMapTy values;
    BasicBlock *second = copyRound(&loop_, latch_, startsFrom(latch_), values);
    auto *end = cast<BasicBlock>(values[latch_]);
    end->getTerminator()->replaceSuccessorWith(second, header_);
    latch_->getTerminator()->eraseFromParent();
    IRBuilder<>(latch_).CreateBr(second);
    for (BasicBlock *next : {header_, out_})
      for (PHINode &phi : next->phis()) {
        phi.setIncomingValueForBlock(latch_, valueOf(phi.getIncomingValueForBlock(latch_), values));
        phi.replaceIncomingBlockWith(latch_, end);
      }
  }

  Loop &loop_;
  SmallVectorImpl<WeakTrackingVH> &floats_; ///< gets the choices of floats before the loop
  ScalarEvolution &evolution_;
  LoopInfo &loops_;
  DominatorTree &tree_;
  const TargetTransformInfo &costs_;
  BasicBlock *header_ = nullptr, *latch_ = nullptr, *before_ = nullptr, *out_ = nullptr;
};

} // namespace

PreservedAnalyses PairRounds::run(Function &f, FunctionAnalysisManager &am) {
  bool changed = false;
  SmallVector<WeakTrackingVH> floats;
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    if (loop->isInnermost())
      changed |= PairedLoop(*loop, f, am, floats).pair();
  if (!changed)
    return PreservedAnalyses::all();
  // Counts by two.
  InstCombinePass().run(f, am);
  for (Value *chosen : floats)
    if (auto *choice = dyn_cast_or_null<SelectInst>(chosen))
      chooseBits(*choice);
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
