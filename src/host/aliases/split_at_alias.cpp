#include "host/aliases/split_at_alias.h"

#include "host/aliases/vectorizable_loops.h"
#include "simt/analysis/independent_iterations.h"
#include "simt/thresholds.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopConstrainer.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <optional>

namespace heddle::host {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Memory that all iterations of a loop read and one may write.
struct Alias {
  const SCEV *distance; ///< offset from the first iteration's store, in bytes
  unsigned size; ///< bytes that each iteration writes; consecutive iterations write adjacent bytes
};

/// The alias of a load and a store; nullopt if no iteration can write the loaded memory, or if consecutive iterations
/// do not write adjacent bytes.
std::optional<Alias> matchAlias(LoadInst &load, StoreInst &store, const Loop &loop,
                                ScalarEvolution &evolution) {
  uint64_t size = store.getDataLayout().getTypeStoreSize(store.getValueOperand()->getType());
  const SCEV *from = evolution.getSCEV(load.getPointerOperand());
  const SCEV *to = evolution.getSCEV(store.getPointerOperand());
  auto isStrideOf = [&](const SCEV *address, uint64_t bytes) {
    const auto *stride = dyn_cast_or_null<SCEVConstant>(simt::strideOf(address, loop, evolution));
    return stride && stride->getAPInt() == bytes;
  };
  if (!isPowerOf2_64(size) || !isStrideOf(to, size) || !isStrideOf(from, 0))
    return std::nullopt;
  const SCEV *distance = evolution.getMinusSCEV(from, cast<SCEVAddRecExpr>(to)->getStart());
  if (isa<SCEVCouldNotCompute>(distance) || evolution.isKnownNegative(distance))
    return std::nullopt;
  return Alias{distance, unsigned(size)};
}

/// Selects the alias with the simplest iteration number, because the other candidates are in other rows.
std::optional<Alias> findAlias(const Loop &loop, ScalarEvolution &evolution) {
  SmallVector<LoadInst *> loads;
  SmallVector<StoreInst *> stores;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &i : *block)
      if (auto *load = dyn_cast<LoadInst>(&i))
        loads.push_back(load);
      else if (auto *store = dyn_cast<StoreInst>(&i))
        stores.push_back(store);
  std::optional<Alias> simplest;
  for (LoadInst *load : loads)
    for (StoreInst *store : stores)
      if (std::optional<Alias> alias = matchAlias(*load, *store, loop, evolution))
        if (!simplest ||
            alias->distance->getExpressionSize() < simplest->distance->getExpressionSize())
          simplest = alias;
  return simplest;
}

/// The counter's range in the iterations that run separately: one iteration, or none if no iteration aliases.
LoopConstrainer::SubRanges emitSeparateRange(const LoopStructure &structure, const Alias &alias,
                                             Instruction &before, ScalarEvolution &evolution) {
  SCEVExpander expander(evolution, "split");
  Value *start = structure.IndVarStart, *end = structure.LoopExitAt;
  Type *type = start->getType();
  Value *distance = expander.expandCodeFor(alias.distance, type, &before);
  IRBuilder<> b(&before);
  Value *count = b.CreateSub(end, start);
  Value *iteration = b.CreateAShr(distance, Log2_32(alias.size));
  Value *few = b.CreateICmpULT(count, ConstantInt::get(type, thresholds::maxShortTripCount));
  Value *within = b.CreateAnd(b.CreateNot(few), b.CreateICmpULT(iteration, count));
  Value *low = b.CreateSelect(within, b.CreateAdd(start, iteration), end);
  Value *high = b.CreateAdd(low, b.CreateZExt(within, type));
  return {evolution.getSCEV(low), evolution.getSCEV(high)};
}

/// Cleans up after LoopConstrainer: it exits loops through a negated comparison, for which ScalarEvolution finds no
/// trip count, and disables transformations of the loops that it adds.
void restoreLoopIdAndCondition(Loop &loop, MDNode *id) {
  auto *latch = cast<BranchInst>(loop.getLoopLatch()->getTerminator());
  latch->setMetadata(LLVMContext::MD_loop, id);
  CmpPredicate predicate;
  Value *counter, *end;
  if (match(latch->getCondition(),
            m_Not(m_OneUse(m_ICmp(predicate, m_Value(counter), m_Value(end))))))
    latch->setCondition(
        IRBuilder<>(latch).CreateICmp(CmpInst::getInversePredicate(predicate), counter, end));
}

bool splitLoop(Loop &loop, FunctionAnalysisManager &am) {
  Function &f = *loop.getHeader()->getParent();
  auto &evolution = am.getResult<ScalarEvolutionAnalysis>(f);
  if (!loop.isLoopSimplifyForm() || loop.getExitingBlock() != loop.getLoopLatch())
    return false;
  std::optional<Alias> alias = findAlias(loop, evolution);
  if (!alias || !mayBeVectorized(loop, am))
    return false;
  const char *reason = nullptr;
  std::optional<LoopStructure> structure =
      LoopStructure::parseLoopStructure(evolution, loop, /*AllowUnsignedCond=*/true, reason);
  if (!structure || !structure->IndVarIncreasing || !match(structure->IndVarStep, m_One()) ||
      structure->IndVarStart->getType() !=
          evolution.getEffectiveSCEVType(alias->distance->getType()))
    return false;
  MDNode *id = loop.getLoopID();
  auto &loops = am.getResult<LoopAnalysis>(f);
  SmallVector<Loop *, 2> others;
  LoopConstrainer::SubRanges alone =
      emitSeparateRange(*structure, *alias, *loop.getLoopPreheader()->getTerminator(), evolution);
  // Named, because the constrainer keeps a reference.
  auto addLoop = [&](Loop *added, bool) { others.push_back(added); };
  LoopConstrainer constrainer(loop, loops, addLoop, *structure, evolution,
                              am.getResult<DominatorTreeAnalysis>(f),
                              structure->IndVarStart->getType(), alone);
  if (!constrainer.run())
    return false;
  for (Loop *other : others)
    restoreLoopIdAndCondition(*other, id);
  addStringMetadataToLoop(&loop, "llvm.loop.vectorize.width", 1);
  addStringMetadataToLoop(&loop, "llvm.loop.unroll.disable", 1);
  return true;
}

} // namespace

PreservedAnalyses SplitAtAlias::run(Function &f, FunctionAnalysisManager &am) {
  return transformInnermostLoops(f, am, splitLoop);
}

} // namespace heddle::host
