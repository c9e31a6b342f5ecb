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

CallTree::CallTree(const Module &m, bool copiesConvergent) : copiesConvergent_(copiesConvergent) {
  CallGraph graph(const_cast<Module &>(m));
  // Callees come before callers.
  for (auto scc = scc_begin(&graph); !scc.isAtEnd(); ++scc)
    add(*scc, scc.hasCycle());
}

bool CallTree::staysFunction(const CallFacts &facts) const {
  return facts.recursive ||
         (facts.instructions > maxInlineSize && !(copiesConvergent_ && facts.convergent));
}

void CallTree::add(const std::vector<CallGraphNode *> &cycle, bool cyclic) {
  CallFacts together;
  together.recursive = together.recursion = cyclic;
  uint64_t deepest = 0;
  for (CallGraphNode *node : cycle)
    if (Function *f = node->getFunction(); f && !f->isDeclaration())
      addOwn(*f, together, deepest);
  together.localBytes = SaturatingAdd(together.localBytes, deepest);
  for (CallGraphNode *node : cycle)
    if (Function *f = node->getFunction())
      known_[f] = together;
}

void CallTree::addOwn(const Function &f, CallFacts &together, uint64_t &deepest) const {
  const DataLayout &dl = f.getDataLayout();
  for (const Instruction &i : instructions(f)) {
    together.instructions = SaturatingAdd(together.instructions, uint64_t(1));
    if (const auto *a = dyn_cast<AllocaInst>(&i))
      together.localBytes = SaturatingAdd(together.localBytes, allocaBytes(*a, dl));
    const auto *call = dyn_cast<CallBase>(&i);
    if (!call)
      continue;
    together.convergent |= call->isInlineAsm() && call->isConvergent();
    if (std::optional<Op> op = calledOp(call)) {
      together.convergent |= info(*op).has(Convergent);
      together.gridBarrier |= *op == Op::GridBarrier;
    }
    auto callee = known_.find(call->getCalledFunction());
    if (callee == known_.end())
      continue;
    const CallFacts &facts = callee->second;
    together.convergent |= facts.convergent;
    together.gridBarrier |= facts.gridBarrier;
    together.recursion |= facts.recursion;
    deepest = std::max(deepest, facts.localBytes);
    if (!staysFunction(facts))
      together.instructions = SaturatingAdd(together.instructions, facts.instructions);
  }
}

std::string sourceName(const Function &f) {
  const DISubprogram *s = f.getSubprogram();
  return (s && !s->getName().empty() ? s->getName() : f.getName()).str();
}

} // namespace heddle::simt
