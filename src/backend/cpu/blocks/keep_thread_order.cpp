#include "backend/cpu/blocks/keep_thread_order.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

#include <cstdlib>

using namespace llvm;

namespace heddle::cpu {
namespace {

/// A loop of more accesses is not vectorized: comparing all pairs would take longer than it could win.
constexpr unsigned mostAccesses = 200;

struct Access {
  Instruction *instruction;
  bool moves; ///< the vectorizer may make it a part of a wide access at another place
};

SmallVector<Access> accessesOf(Loop &loop, ScalarEvolution &evolution,
                               const DominatorTree &dominators) {
  PredicatedScalarEvolution predicated(evolution, loop);
  SmallVector<Access> found;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &i : *block) {
      Value *pointer = getLoadStorePointerOperand(&i);
      if (!pointer)
        continue;
      std::optional<int64_t> stride = getPtrStride(predicated, getLoadStoreType(&i), pointer, &loop,
                                                   dominators, DenseMap<Value *, const SCEV *>(),
                                                   /*Assume=*/true, /*ShouldCheckWrap=*/false);
      found.push_back({&i, stride && std::abs(*stride) > 1});
    }
  return found;
}

/// Whether the order of the two in one iteration matters and could be lost.
bool mayBeSwapped(const Access &first, const Access &second, AAResults &aliases) {
  if (!isa<StoreInst>(first.instruction) && !isa<StoreInst>(second.instruction))
    return false;
  if (!first.moves && !second.moves)
    return false;
  AliasResult result = aliases.alias(MemoryLocation::get(first.instruction),
                                     MemoryLocation::get(second.instruction));
  if (result == AliasResult::NoAlias)
    return false;
  // Loads move up and stores down: a load stays in front of the store to the same element.
  bool loadThenStore = isa<LoadInst>(first.instruction) && isa<StoreInst>(second.instruction) &&
                       first.instruction->getParent() == second.instruction->getParent();
  return !(result == AliasResult::MustAlias && loadThenStore);
}

bool unmark(Instruction &i) {
  bool marked = i.hasMetadata(LLVMContext::MD_access_group);
  i.setMetadata(LLVMContext::MD_access_group, nullptr);
  return marked;
}

bool keepOrder(ArrayRef<Access> accesses, AAResults &aliases) {
  bool changed = false;
  if (accesses.size() > mostAccesses) {
    for (const Access &access : accesses)
      changed |= unmark(*access.instruction);
    return changed;
  }
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t j = i + 1; j < accesses.size(); ++j)
      if (mayBeSwapped(accesses[i], accesses[j], aliases)) {
        changed |= unmark(*accesses[i].instruction);
        changed |= unmark(*accesses[j].instruction);
      }
  return changed;
}

} // namespace

PreservedAnalyses KeepThreadOrder::run(Function &f, FunctionAnalysisManager &am) {
  LoopInfo &loops = am.getResult<LoopAnalysis>(f);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && loop->isAnnotatedParallel())
      changed |= keepOrder(accessesOf(*loop, am.getResult<ScalarEvolutionAnalysis>(f),
                                      am.getResult<DominatorTreeAnalysis>(f)),
                           am.getResult<AAManager>(f));
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace heddle::cpu
