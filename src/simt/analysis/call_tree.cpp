#include "simt/analysis/call_tree.h"

#include "simt/ir/ops.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::simt {

using namespace llvm;

namespace {

uint64_t allocaBytes(const AllocaInst &a, const DataLayout &dl) {
  uint64_t count = 1;
  if (const auto *n = dyn_cast<ConstantInt>(a.getArraySize()))
    count = n->getLimitedValue();
  return SaturatingMultiply(count, dl.getTypeAllocSize(a.getAllocatedType()).getFixedValue());
}

} // namespace

CallTree::CallTree(const Module &m, bool inlinesConvergent)
    : inlinesConvergent_(inlinesConvergent) {
  CallGraph graph(const_cast<Module &>(m));
  // Callees come before callers.
  for (auto scc = scc_begin(&graph); !scc.isAtEnd(); ++scc)
    addCycleOfFunctions(*scc, scc.hasCycle());
}

bool CallTree::isKeptOutOfLine(const CallFacts &facts) const {
  return facts.recursive ||
         (facts.instructions > maxInlineSize && !(inlinesConvergent_ && facts.convergent));
}

void CallTree::addCycleOfFunctions(const std::vector<CallGraphNode *> &cycle, bool cyclic) {
  CallFacts merged;
  merged.recursive = merged.reachesRecursion = cyclic;
  uint64_t deepestCallee = 0;
  for (CallGraphNode *node : cycle)
    if (Function *f = node->getFunction(); f && !f->isDeclaration())
      addFactsOf(*f, merged, deepestCallee);
  merged.localBytes = SaturatingAdd(merged.localBytes, deepestCallee);
  for (CallGraphNode *node : cycle)
    if (Function *f = node->getFunction())
      known_[f] = merged;
}

void CallTree::addFactsOf(const Function &f, CallFacts &merged, uint64_t &deepestCallee) const {
  const DataLayout &dl = f.getDataLayout();
  for (const Instruction &i : instructions(f)) {
    merged.instructions = SaturatingAdd(merged.instructions, uint64_t(1));
    if (const auto *a = dyn_cast<AllocaInst>(&i))
      merged.localBytes = SaturatingAdd(merged.localBytes, allocaBytes(*a, dl));
    const auto *call = dyn_cast<CallBase>(&i);
    if (!call)
      continue;
    merged.convergent |= call->isInlineAsm() && call->isConvergent();
    if (std::optional<Op> op = calledOp(call)) {
      merged.convergent |= info(*op).has(Convergent);
      merged.reachesGridBarrier |= *op == Op::GridBarrier;
    }
    auto callee = known_.find(call->getCalledFunction());
    if (callee == known_.end())
      continue;
    const CallFacts &facts = callee->second;
    merged.convergent |= facts.convergent;
    merged.reachesGridBarrier |= facts.reachesGridBarrier;
    merged.reachesRecursion |= facts.reachesRecursion;
    deepestCallee = std::max(deepestCallee, facts.localBytes);
    if (!isKeptOutOfLine(facts))
      merged.instructions = SaturatingAdd(merged.instructions, facts.instructions);
  }
}

std::string sourceName(const Function &f) {
  const DISubprogram *s = f.getSubprogram();
  return (s && !s->getName().empty() ? s->getName() : f.getName()).str();
}

} // namespace heddle::simt
