#include "backend/cpu/prepare/forget_unneeded_values.h"

#include "simt/analysis/divergence.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// A condition and what it is.
using Fact = PointerIntPair<Value *, 1, bool>;
using Facts = SmallPtrSet<void *, 8>;

/// Conditions are short expressions.
constexpr unsigned mostOperands = 32;

/// Whether threads of a block may differ in a condition. What is undefined is not the same for a block's threads, so that
/// what they agree on stays as it is.
bool asksForThread(Value &condition) {
  SmallSetVector<Value *, 16> parts;
  parts.insert(&condition);
  for (unsigned n = 0; n < parts.size() && n < mostOperands; ++n) {
    if (simt::isDivergenceSource(*parts[n], simt::Neighbours::InOrder))
      return true;
    if (auto *i = dyn_cast<Instruction>(parts[n]); i && !i->mayReadFromMemory())
      parts.insert(i->op_begin(), i->op_end());
  }
  return false;
}

/// What a jump to `to` says of the condition of the block that it leaves, where threads may differ; null for nothing.
Fact factOf(const BasicBlock &from, const BasicBlock &to) {
  auto *jump = dyn_cast<BranchInst>(from.getTerminator());
  if (!jump || !jump->isConditional() || jump->getSuccessor(0) == jump->getSuccessor(1) ||
      !asksForThread(*jump->getCondition()))
    return {};
  return {jump->getCondition(), jump->getSuccessor(0) == &to};
}

/// What is known wherever the block runs.
Facts factsIn(BasicBlock &block, const DominatorTree &dominators) {
  Facts facts;
  for (const DomTreeNode *node = dominators.getNode(&block); node && node->getIDom();
       node = node->getIDom()) {
    BasicBlock &from = *node->getIDom()->getBlock(), &to = *node->getBlock();
    if (to.getSinglePredecessor() != &from)
      continue;
    if (Fact fact = factOf(from, to); fact.getPointer())
      facts.insert(fact.getOpaqueValue());
  }
  return facts;
}

/// What is known wherever a value is used.
Facts factsOfUses(const PHINode &phi, const DominatorTree &dominators) {
  std::optional<Facts> all;
  for (const User *user : phi.users()) {
    auto *i = cast<Instruction>(user);
    if (isa<PHINode>(i))
      return {}; // used in another block
    Facts here = factsIn(*const_cast<BasicBlock *>(i->getParent()), dominators);
    if (!all)
      all = std::move(here);
    else
      all->remove_if([&](void *fact) { return !here.contains(fact); });
    if (all->empty())
      return {};
  }
  return all.value_or(Facts());
}

/// Whether a condition keeps its value from before a phi until the phi has another.
bool isOlder(const Value &condition, const PHINode &phi, const DominatorTree &dominators) {
  auto *i = dyn_cast<Instruction>(&condition);
  return !i || dominators.properlyDominates(i->getParent(), phi.getParent());
}

bool forget(PHINode &phi, const DominatorTree &dominators) {
  Facts needed = factsOfUses(phi, dominators);
  bool changed = false;
  for (unsigned n = 0; n < phi.getNumIncomingValues() && !needed.empty(); ++n) {
    BasicBlock &from = *phi.getIncomingBlock(n);
    if (isa<UndefValue>(phi.getIncomingValue(n)))
      continue;
    Facts known = factsIn(from, dominators);
    if (Fact last = factOf(from, *phi.getParent()); last.getPointer())
      known.insert(last.getOpaqueValue());
    bool unneeded = any_of(known, [&](void *known) {
      Fact fact = Fact::getFromOpaqueValue(known);
      Fact opposite(fact.getPointer(), !fact.getInt());
      return needed.contains(opposite.getOpaqueValue()) &&
             isOlder(*fact.getPointer(), phi, dominators);
    });
    if (unneeded)
      phi.setIncomingValue(n, PoisonValue::get(phi.getType()));
    changed |= unneeded;
  }
  return changed;
}

} // namespace

PreservedAnalyses ForgetUnneededValues::run(Function &f, FunctionAnalysisManager &am) {
  const auto &dominators = am.getResult<DominatorTreeAnalysis>(f);
  bool changed = false;
  for (BasicBlock &block : f)
    for (PHINode &phi : block.phis())
      changed |= forget(phi, dominators);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
