#include "host/passes/loop_pieces.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::host {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

bool callsFunctions(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &i : *block)
      if (isa<CallBase>(i) && !isa<IntrinsicInst>(i))
        return true;
  return false;
}

/// The phi that `v` is, or to which `v` adds a constant.
PHINode *matchCounter(Value *v, const Loop &loop, APInt &step) {
  auto *phi = dyn_cast<PHINode>(v);
  if (phi && phi->getParent() != loop.getHeader()) // has no value for the latch
    return nullptr;
  auto *next = dyn_cast<Instruction>(phi ? phi->getIncomingValueForBlock(loop.getLoopLatch()) : v);
  Value *start = nullptr;
  const APInt *by = nullptr;
  if (!next || !match(next, m_Add(m_Value(start), m_APInt(by))))
    return nullptr;
  auto *counter = dyn_cast<PHINode>(start);
  if (!counter || counter->getParent() != loop.getHeader() || (phi && phi != counter) ||
      counter->getIncomingValueForBlock(loop.getLoopLatch()) != next)
    return nullptr;
  step = *by;
  return counter;
}

} // namespace

std::optional<CountedLoop> matchCountedLoop(Loop &loop, ScalarEvolution &evolution) {
  BasicBlock *latch = loop.getLoopLatch();
  auto *branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || !loop.getLoopPreheader() || !loop.isInnermost() ||
      !loop.isLoopExiting(latch) || callsFunctions(loop) ||
      isa<SCEVCouldNotCompute>(evolution.getExitCount(&loop, latch)))
    return std::nullopt;
  auto *compare = dyn_cast<ICmpInst>(branch->getCondition());
  bool leavesWhenTrue = !loop.contains(branch->getSuccessor(0));
  if (!compare ||
      compare->getPredicate() != (leavesWhenTrue ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE))
    return std::nullopt;
  for (unsigned side : {0u, 1u}) {
    Value *counter = compare->getOperand(side), *bound = compare->getOperand(1 - side);
    APInt step;
    if (!counter->getType()->isIntegerTy() || counter->getType()->getIntegerBitWidth() < 32 ||
        !loop.isLoopInvariant(bound) || loop.isLoopInvariant(counter))
      continue;
    if (PHINode *start = matchCounter(counter, loop, step); start && !step.isZero())
      return CountedLoop{&loop, start, counter, bound, step};
  }
  return std::nullopt;
}

Instruction *splitLoopIntoPieces(const CountedLoop &counted, uint64_t iterations) {
  Loop &loop = *counted.loop;
  BasicBlock *before = loop.getLoopPreheader(), *header = loop.getHeader(),
             *latch = loop.getLoopLatch();
  auto *branch = cast<BranchInst>(latch->getTerminator());
  BasicBlock *exit = branch->getSuccessor(loop.contains(branch->getSuccessor(0)) ? 1 : 0);
  LLVMContext &context = header->getContext();
  Function *f = header->getParent();
  BasicBlock *piece = BasicBlock::Create(context, "piece", f, header);
  BasicBlock *between = BasicBlock::Create(context, "between", f, exit);
  BasicBlock *next = BasicBlock::Create(context, "next", f, exit);

  IRBuilder<> b(piece);
  Value *start = nullptr;
  for (PHINode &phi : header->phis()) {
    PHINode *outer = b.CreatePHI(phi.getType(), 2);
    outer->addIncoming(phi.getIncomingValueForBlock(before), before);
    outer->addIncoming(phi.getIncomingValueForBlock(latch), next);
    phi.setIncomingValueForBlock(before, outer);
    phi.replaceIncomingBlockWith(before, piece);
    if (&phi == counted.start)
      start = outer;
  }
  bool up = counted.step.isStrictlyPositive();
  Value *left = up ? b.CreateSub(counted.bound, start) : b.CreateSub(start, counted.bound);
  APInt most(counted.step.getBitWidth(), iterations);
  bool overflows = false;
  APInt length = counted.step.abs().umul_ov(most, overflows);
  Value *taken = overflows ? left
                           : b.CreateBinaryIntrinsic(Intrinsic::umin, left,
                                                     ConstantInt::get(left->getType(), length));
  Value *end = up ? b.CreateAdd(start, taken, "end") : b.CreateSub(start, taken, "end");
  b.CreateBr(header);
  before->getTerminator()->replaceSuccessorWith(header, piece);

  b.SetInsertPoint(branch);
  BranchInst *latchBranch = b.CreateCondBr(b.CreateICmpEQ(counted.counter, end), between, header);
  latchBranch->copyMetadata(*branch, {LLVMContext::MD_loop});
  branch->eraseFromParent();
  b.SetInsertPoint(between);
  b.CreateCondBr(b.CreateICmpEQ(end, counted.bound), exit, next);
  exit->replacePhiUsesWith(latch, between);
  b.SetInsertPoint(next);
  return b.CreateBr(piece);
}

} // namespace heddle::host
