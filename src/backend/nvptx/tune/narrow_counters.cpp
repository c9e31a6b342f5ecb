#include "backend/nvptx/tune/narrow_counters.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

/// A phi that starts at 0 and adds a positive constant until it equals a bound.
struct Counter {
  PHINode *phi = nullptr;
  BinaryOperator *next = nullptr;
  ICmpInst *end = nullptr;
  ConstantInt *step = nullptr;
};

/// Matches a counter that `phi` begins; nullopt if `phi` is not a counter or has other uses.
std::optional<Counter> matchCounter(PHINode &phi, const Loop &loop) {
  BasicBlock *before = loop.getLoopPreheader();
  BasicBlock *latch = loop.getLoopLatch();
  if (!phi.getType()->isIntegerTy(64) || !before || !latch || !phi.hasOneUse())
    return std::nullopt;
  Counter c{&phi};
  const auto *start = dyn_cast<ConstantInt>(phi.getIncomingValueForBlock(before));
  c.next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(latch));
  if (!start || !start->isZero() || !c.next || c.next->getOpcode() != Instruction::Add ||
      c.next->getOperand(0) != &phi || !c.next->hasNUses(2))
    return std::nullopt;
  c.step = dyn_cast<ConstantInt>(c.next->getOperand(1));
  for (User *user : c.next->users())
    if (user != &phi)
      c.end = dyn_cast<ICmpInst>(user);
  if (!c.step || c.step->getValue().ugt(1 << 16) || c.step->isZero() || !c.end ||
      !c.end->isEquality() || c.end->getOperand(0) != c.next ||
      !loop.isLoopInvariant(c.end->getOperand(1)))
    return std::nullopt;
  return c;
}

/// True if the counter reaches its bound exactly, below 2^32.
bool fitsIn32Bits(const Counter &c, const Loop &loop, const SimplifyQuery &query) {
  KnownBits bound = computeKnownBits(c.end->getOperand(1), query.getWithInstruction(c.end));
  if (bound.countMaxActiveBits() > 32)
    return false;
  if (c.next->hasNoUnsignedWrap() || c.next->hasNoSignedWrap())
    return true;
  // Counters of unrolled loops, which LLVM enters only for at least one iteration, carry no nuw flag.
  const APInt &step = c.step->getValue();
  return findOptionMDForLoop(&loop, "llvm.loop.unroll.disable") && step.isPowerOf2() &&
         bound.countMinTrailingZeros() >= step.logBase2();
}

void narrowCounter(const Counter &c) {
  IRBuilder<> b(c.phi);
  PHINode *phi = b.CreatePHI(b.getInt32Ty(), 2);
  b.SetInsertPoint(c.next);
  Value *next = b.CreateNUWAdd(phi, b.getInt32(uint32_t(c.step->getZExtValue())));
  for (unsigned i = 0; i < 2; ++i)
    phi->addIncoming(c.phi->getIncomingValue(i) == c.next ? next : b.getInt32(0),
                     c.phi->getIncomingBlock(i));
  b.SetInsertPoint(c.end);
  Value *bound = c.end->getOperand(1);
  if (auto *i = dyn_cast<Instruction>(bound))
    b.SetInsertPoint(*i->getInsertionPointAfterDef());
  else if (isa<Argument>(bound))
    b.SetInsertPointPastAllocas(c.end->getFunction());
  Value *narrowBound = b.CreateTrunc(bound, b.getInt32Ty());
  b.SetInsertPoint(c.end);
  c.end->replaceAllUsesWith(b.CreateICmp(c.end->getPredicate(), next, narrowBound));
  c.end->eraseFromParent();
  c.phi->replaceAllUsesWith(PoisonValue::get(c.phi->getType()));
  c.next->replaceAllUsesWith(PoisonValue::get(c.phi->getType()));
  c.next->eraseFromParent();
  c.phi->eraseFromParent();
}

} // namespace

PreservedAnalyses NarrowCounters::run(Function &f, FunctionAnalysisManager &am) {
  auto &assumptions = am.getResult<AssumptionAnalysis>(f);
  auto &tree = am.getResult<DominatorTreeAnalysis>(f);
  SimplifyQuery query(f.getDataLayout(), &tree, &assumptions);
  SmallVector<Counter, 4> counters;
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    for (PHINode &phi : loop->getHeader()->phis())
      if (std::optional<Counter> c = matchCounter(phi, *loop); c && fitsIn32Bits(*c, *loop, query))
        counters.push_back(*c);
  for (const Counter &c : counters)
    narrowCounter(c);
  return counters.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::nvptx
