#include "backend/nvptx/tune/unroll_remainders.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace heddle::nvptx {

using namespace llvm;
using namespace PatternMatch;

namespace {

constexpr const char *remainderMark = "heddle.remainder";

/// A loop that LLVM has emitted for remaining iterations.
struct Remainder {
  Loop *loop;
  unsigned
      copies; // of the loop to which the iterations belong: at least one iteration, and less than this
  PHINode *counter; // counts from 0
  ICmpInst *more;   // compares the next count with `iterations`
  Value *iterations;
};

std::optional<Remainder> matchRemainder(Loop &loop) {
  const MDNode *mark = findOptionMDForLoop(&loop, remainderMark);
  if (!mark || !loop.isLoopSimplifyForm() || !loop.isInnermost() ||
      loop.getExitingBlock() != loop.getLoopLatch())
    return std::nullopt;
  auto copies = unsigned(mdconst::extract<ConstantInt>(mark->getOperand(1))->getZExtValue());
  Remainder r{&loop, copies, nullptr, nullptr, nullptr};
  auto *branch = dyn_cast<BranchInst>(loop.getLoopLatch()->getTerminator());
  if (!branch || branch->getSuccessor(0) != loop.getHeader())
    return std::nullopt;
  r.more = dyn_cast<ICmpInst>(branch->getCondition());
  Value *counter = nullptr;
  if (!r.more || !r.more->hasOneUse() ||
      !match(r.more, m_SpecificICmp(ICmpInst::ICMP_NE, m_Add(m_Value(counter), m_One()),
                                    m_Value(r.iterations))) ||
      !loop.isLoopInvariant(r.iterations))
    return std::nullopt;
  r.counter = dyn_cast<PHINode>(counter);
  if (!r.counter || r.counter->getParent() != loop.getHeader() ||
      !match(r.counter->getIncomingValueForBlock(loop.getLoopPreheader()), m_Zero()) ||
      r.counter->getIncomingValueForBlock(loop.getLoopLatch()) != r.more->getOperand(0) ||
      !r.counter->hasOneUse() || !r.more->getOperand(0)->hasNUses(2))
    return std::nullopt;
  return r;
}

/// A value that an iteration leaves to the next one or to the code after the loop.
struct Carried {
  PHINode *phi;   // in the header; null if only the code after the loop uses the value
  Value *current; // after the parts so far
};

class Splitter {
public:
  Splitter(const Remainder &remainder, LoopInfo &loops, DominatorTree &tree, ScalarEvolution &se)
      : r_(remainder), loop_(*remainder.loop), latch_(loop_.getLoopLatch()),
        exit_(loop_.getExitBlock()), loops_(loops), tree_(tree), se_(se) {}

  /// Splits the loop. The original loop becomes the last part.
  void run() {
    se_.forgetTopmostLoop(&loop_);
    collectCarriedValues();
    end_ = loop_.getLoopPreheader();
    lastPreheader_ = SplitBlock(end_, end_->getTerminator(), &tree_, &loops_);
    for (unsigned size = r_.copies / 2; size > 1; size /= 2)
      addPart(size);
    finishLastPart();
  }

private:
  /// Finds the values with which the loop starts, and others that the last iteration leaves to the code after the loop.
  void collectCarriedValues() {
    for (PHINode &phi : loop_.getHeader()->phis())
      if (&phi != r_.counter)
        carried_[phi.getIncomingValueForBlock(latch_)].push_back(
            {&phi, phi.getIncomingValueForBlock(loop_.getLoopPreheader())});
    for (PHINode &phi : exit_->phis()) {
      Value *value = phi.getIncomingValueForBlock(latch_);
      if (!carried_.contains(value))
        carried_[value].push_back({nullptr, PoisonValue::get(value->getType())});
    }
  }

  /// The condition that the iterations have this bit.
  Value *emitBitTest(IRBuilder<> &b, unsigned bit) {
    Value *part = b.CreateAnd(r_.iterations, ConstantInt::get(r_.iterations->getType(), bit));
    return b.CreateIsNotNull(part, "remainder.has");
  }

  void addPart(unsigned size) {
    ValueToValueMapTy map;
    SmallVector<BasicBlock *, 8> blocks;
    Loop *part = cloneLoopWithPreheader(lastPreheader_, end_, &loop_, map, ".rest" + Twine(size),
                                        &loops_, &tree_, blocks);
    remapInstructionsInBlocks(blocks, map);
    BasicBlock *preheader = part->getLoopPreheader();
    auto *latch = cast<BasicBlock>(map[latch_]);
    auto *next =
        BasicBlock::Create(end_->getContext(), "remainder.next", end_->getParent(), lastPreheader_);
    latch->getTerminator()->replaceSuccessorWith(exit_, next);
    auto *more = cast<ICmpInst>(map[r_.more]);
    more->setOperand(1, ConstantInt::get(r_.iterations->getType(), size));
    setStarts(preheader, [&](PHINode *phi) { return cast<PHINode>(map[phi]); });
    part->setLoopID(nullptr);
    addStringMetadataToLoop(part, "llvm.loop.unroll.full", /*V=*/true);

    IRBuilder<> b(end_->getTerminator());
    b.CreateCondBr(emitBitTest(b, size), preheader, next);
    end_->getTerminator()->eraseFromParent();
    b.SetInsertPoint(next);
    for (auto &[value, uses] : carried_) {
      Value *copy = map.lookup(value);
      for (Carried &use : uses) {
        PHINode *merged = b.CreatePHI(value->getType(), 2);
        merged->addIncoming(use.current, end_);
        merged->addIncoming(copy ? copy : value, latch);
        use.current = merged;
      }
    }
    b.CreateBr(lastPreheader_);
    tree_.addNewBlock(next, end_);
    tree_.changeImmediateDominator(lastPreheader_, next);
    if (Loop *parent = loop_.getParentLoop())
      parent->addBasicBlockToLoop(next, loops_);
    end_ = next;
  }

  void finishLastPart() {
    setStarts(lastPreheader_, [](PHINode *phi) { return phi; });
    IRBuilder<> b(end_->getTerminator());
    b.CreateCondBr(emitBitTest(b, 1), lastPreheader_, exit_);
    end_->getTerminator()->eraseFromParent();
    for (PHINode &phi : exit_->phis())
      phi.addIncoming(carried_[phi.getIncomingValueForBlock(latch_)].front().current, end_);
    tree_.changeImmediateDominator(exit_, end_);
    breakLoopBackedge(&loop_, tree_, se_, loops_, /*MSSA=*/nullptr);
  }

  /// Sets the values with which a copy of the loop starts.
  void setStarts(BasicBlock *preheader, function_ref<PHINode *(PHINode *)> findCopy) {
    for (auto &[value, uses] : carried_)
      for (const Carried &use : uses)
        if (use.phi)
          findCopy(use.phi)->setIncomingValueForBlock(preheader, use.current);
  }

  Remainder r_;
  Loop &loop_;
  BasicBlock *latch_, *exit_;
  LoopInfo &loops_;
  DominatorTree &tree_;
  ScalarEvolution &se_;
  BasicBlock *end_ = nullptr; // of the parts so far
  BasicBlock *lastPreheader_ = nullptr;
  MapVector<Value *, SmallVector<Carried, 1>> carried_; // by the value at the end of an iteration
};

} // namespace

MDNode *makeRemainderMark(LLVMContext &c, unsigned copies) {
  Metadata *number = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), copies));
  return MDNode::get(c, {MDString::get(c, remainderMark), number});
}

PreservedAnalyses UnrollRemainders::run(Function &f, FunctionAnalysisManager &am) {
  auto &loops = am.getResult<LoopAnalysis>(f);
  SmallVector<Remainder> remainders;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (std::optional<Remainder> remainder = matchRemainder(*loop))
      remainders.push_back(*remainder);
  if (remainders.empty())
    return PreservedAnalyses::all();
  auto &tree = am.getResult<DominatorTreeAnalysis>(f);
  auto &se = am.getResult<ScalarEvolutionAnalysis>(f);
  for (const Remainder &remainder : remainders)
    Splitter(remainder, loops, tree, se).run();
  return PreservedAnalyses::none();
}

} // namespace heddle::nvptx
