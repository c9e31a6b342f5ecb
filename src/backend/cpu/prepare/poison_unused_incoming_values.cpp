#include "backend/cpu/prepare/poison_unused_incoming_values.h"

#include "simt/analysis/divergence.h"
#include "simt/thresholds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// A condition and its value.
using Fact = PointerIntPair<Value *, 1, bool>;
using Facts = SmallPtrSet<void *, 8>;

/// Returns true if threads of a block may disagree on the condition. Poison counts as divergent, so values
/// guarded by uniform conditions are kept.
bool dependsOnThread(Value &condition) {
  SmallSetVector<Value *, 16> parts;
  parts.insert(&condition);
  for (unsigned n = 0; n < parts.size() && n < thresholds::maxExpressionSize; ++n) {
    if (simt::isDivergenceSource(*parts[n], simt::Neighbors::InOrder))
      return true;
    if (auto *i = dyn_cast<Instruction>(parts[n]); i && !i->mayReadFromMemory())
      parts.insert(i->op_begin(), i->op_end());
  }
  return false;
}

/// The condition that holds on an edge, if it depends on the thread; else null.
Fact divergentFactOnEdge(const BasicBlock &from, const BasicBlock &to) {
  auto *br = dyn_cast<BranchInst>(from.getTerminator());
  if (!br || !br->isConditional() || br->getSuccessor(0) == br->getSuccessor(1) ||
      !dependsOnThread(*br->getCondition()))
    return {};
  return {br->getCondition(), br->getSuccessor(0) == &to};
}

/// The facts that hold wherever the block runs.
Facts collectFactsAt(BasicBlock &block, const DominatorTree &dominators) {
  Facts facts;
  for (const DomTreeNode *node = dominators.getNode(&block); node && node->getIDom();
       node = node->getIDom()) {
    BasicBlock &from = *node->getIDom()->getBlock(), &to = *node->getBlock();
    if (to.getSinglePredecessor() != &from)
      continue;
    if (Fact fact = divergentFactOnEdge(from, to); fact.getPointer())
      facts.insert(fact.getOpaqueValue());
  }
  return facts;
}

/// The facts that hold at all uses of a phi.
Facts collectCommonFactsAtUses(const PHINode &phi, const DominatorTree &dominators) {
  std::optional<Facts> all;
  for (const User *user : phi.users()) {
    auto *i = cast<Instruction>(user);
    if (isa<PHINode>(i))
      return {}; // used in another block
    Facts here = collectFactsAt(*const_cast<BasicBlock *>(i->getParent()), dominators);
    if (!all)
      all = std::move(here);
    else
      all->remove_if([&](void *fact) { return !here.contains(fact); });
    if (all->empty())
      return {};
  }
  return all.value_or(Facts());
}

/// Returns true if a condition evaluated before a phi stays unchanged until the phi is reevaluated.
bool isUnchangedSince(const Value &condition, const PHINode &phi, const DominatorTree &dominators) {
  auto *i = dyn_cast<Instruction>(&condition);
  return !i || dominators.properlyDominates(i->getParent(), phi.getParent());
}

bool poisonUnusedInputs(PHINode &phi, const DominatorTree &dominators) {
  Facts needed = collectCommonFactsAtUses(phi, dominators);
  bool changed = false;
  for (unsigned n = 0; n < phi.getNumIncomingValues() && !needed.empty(); ++n) {
    BasicBlock &from = *phi.getIncomingBlock(n);
    if (isa<UndefValue>(phi.getIncomingValue(n)))
      continue;
    Facts known = collectFactsAt(from, dominators);
    if (Fact last = divergentFactOnEdge(from, *phi.getParent()); last.getPointer())
      known.insert(last.getOpaqueValue());
    bool isUnused = any_of(known, [&](void *known) {
      Fact fact = Fact::getFromOpaqueValue(known);
      Fact opposite(fact.getPointer(), !fact.getInt());
      return needed.contains(opposite.getOpaqueValue()) &&
             isUnchangedSince(*fact.getPointer(), phi, dominators);
    });
    if (isUnused)
      phi.setIncomingValue(n, PoisonValue::get(phi.getType()));
    changed |= isUnused;
  }
  return changed;
}

} // namespace

PreservedAnalyses PoisonUnusedIncomingValues::run(Function &f, FunctionAnalysisManager &am) {
  const auto &dominators = am.getResult<DominatorTreeAnalysis>(f);
  bool changed = false;
  for (BasicBlock &block : f)
    for (PHINode &phi : block.phis())
      changed |= poisonUnusedInputs(phi, dominators);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
