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

/// Whether the rounds of a loop of one block are short, read memory, and may be computed twice.
bool isShortAndReads(const Loop &loop) {
  unsigned size = 0;
  bool loads = false;
  for (const Instruction &i : loop.getHeader()->instructionsWithoutDebug()) {
    if (i.isTerminator() || isa<PHINode>(i))
      continue;
    if (i.getType()->isVectorTy() || !mayRepeat(i) || ++size > longestRound)
      return false;
    loads |= isa<LoadInst>(i);
  }
  return loads;
}

/// Copies the round of `block` in front of `at`. `values` has those of the header's phis, and gets those of the copies.
void copyRound(BasicBlock &block, Instruction &at, ValueToValueMapTy &values) {
  auto round = map_range(make_range(block.getFirstNonPHIIt(), block.getTerminator()->getIterator()),
                         [](Instruction &i) { return &i; });
  for (Instruction *i : to_vector(round)) {
    Instruction *copy = i->clone();
    copy->insertBefore(at.getIterator());
    RemapInstruction(copy, values, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    values[i] = copy;
  }
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

class PairedLoop {
public:
  PairedLoop(Loop &loop, Function &f, FunctionAnalysisManager &am,
             SmallVectorImpl<WeakTrackingVH> &floats)
      : loop_(loop), floats_(floats), evolution_(am.getResult<ScalarEvolutionAnalysis>(f)),
        loops_(am.getResult<LoopAnalysis>(f)), tree_(am.getResult<DominatorTreeAnalysis>(f)),
        costs_(am.getResult<TargetIRAnalysis>(f)) {}

  bool pair() {
    block_ = loop_.getHeader();
    before_ = loop_.getLoopPreheader();
    out_ = loop_.getExitBlock();
    if (loop_.getNumBlocks() != 1 || !before_ || !out_ || out_->getSinglePredecessor() != block_ ||
        !isShortAndReads(loop_))
      return false;
    Value *repeated = timesRepeated();
    if (!repeated)
      return false;
    formLCSSA(loop_, tree_, &loops_, &evolution_);
    evolution_.forgetLoop(&loop_);
    computeFirst(*repeated);
    computeTwo();
    return true;
  }

private:
  /// How often the loop goes on after the first round, computed before it; null where nobody knows or it takes long.
  Value *timesRepeated() {
    const SCEV *count = evolution_.getBackedgeTakenCount(&loop_);
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

  void computeFirst(Value &repeated) {
    Instruction *end = before_->getTerminator();
    ValueToValueMapTy values;
    for (PHINode &phi : block_->phis())
      values[&phi] = phi.getIncomingValueForBlock(before_);
    copyRound(*block_, *end, values);
    IRBuilder<> b(end);
    Value *even = b.CreateTrunc(&repeated, b.getInt1Ty());
    for (PHINode &phi : block_->phis()) {
      Value *start = phi.getIncomingValueForBlock(before_);
      Value *first = valueOf(phi.getIncomingValueForBlock(block_), values);
      Value *chosen = b.CreateSelect(even, start, first);
      phi.setIncomingValueForBlock(before_, chosen);
      if (chosen->getType()->isFloatingPointTy())
        floats_.push_back(chosen);
    }
    for (PHINode &result : out_->phis())
      result.addIncoming(valueOf(result.getIncomingValueForBlock(block_), values), before_);
    b.CreateCondBr(b.CreateIsNull(&repeated), out_, block_);
    end->eraseFromParent();
    if (tree_.getNode(out_)->getIDom()->getBlock() == block_)
      tree_.changeImmediateDominator(out_, before_);
  }

  void computeTwo() {
    ValueToValueMapTy values;
    for (PHINode &phi : block_->phis())
      values[&phi] = phi.getIncomingValueForBlock(block_);
    Instruction *end = block_->getTerminator();
    copyRound(*block_, *end, values);
    end->setOperand(0, valueOf(end->getOperand(0), values));
    for (PHINode &phi : block_->phis())
      phi.setIncomingValueForBlock(block_, valueOf(phi.getIncomingValueForBlock(block_), values));
    for (PHINode &result : out_->phis())
      result.setIncomingValueForBlock(block_,
                                      valueOf(result.getIncomingValueForBlock(block_), values));
  }

  Loop &loop_;
  SmallVectorImpl<WeakTrackingVH> &floats_; ///< gets the choices of floats before the loop
  ScalarEvolution &evolution_;
  LoopInfo &loops_;
  DominatorTree &tree_;
  const TargetTransformInfo &costs_;
  BasicBlock *block_ = nullptr, *before_ = nullptr, *out_ = nullptr;
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
