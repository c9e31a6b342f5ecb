#include "simt/passes/inline_device_functions.h"

#include "simt/ir/verifier.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// The functions to copy into their callers, each before those that it calls: what it is copied into has then been
/// copied itself, so that a chain of calls is copied once, not once for each of its links.
std::vector<Function *> callersFirst(Module &m) {
  std::vector<Function *> order;
  CallGraph graph(m);
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component)
    for (const CallGraphNode *node : *component)
      if (Function *f = node->getFunction();
          f && !f->isDeclaration() && f->hasFnAttribute(Attribute::AlwaysInline))
        order.push_back(f);
  std::reverse(order.begin(), order.end());
  return order;
}

void copyIntoCallers(Function &f) {
  if (!isInlineViable(f).isSuccess())
    return;
  SmallVector<CallBase *, 16> calls;
  for (User *user : f.users())
    if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == &f)
      calls.push_back(call);
  for (CallBase *call : calls) {
    InlineFunctionInfo info;
    InlineFunction(*call, info, /*MergeAttributes=*/true, /*CalleeAAR=*/nullptr,
                   /*InsertLifetime=*/true);
  }
  if (f.use_empty() && f.hasLocalLinkage())
    f.eraseFromParent();
}

void removeUnusedFunctions(Module &m) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Function &f : make_early_inc_range(m)) {
      if (!f.hasLocalLinkage() || f.isDeclaration() || !f.use_empty())
        continue;
      f.eraseFromParent();
      changed = true;
    }
  }
}

} // namespace

PreservedAnalyses InlineDeviceFunctions::run(Module &m, ModuleAnalysisManager &) {
  bool any = false;
  for (Function &f : m) {
    if (f.isDeclaration() || f.hasFnAttribute(kernelAttribute))
      continue;
    any = true;
    f.removeFnAttr(Attribute::NoInline);
    f.removeFnAttr(Attribute::OptimizeNone);
    f.removeFnAttr(Attribute::AlwaysInline);
    bool isCopied = f.hasOneUse() || f.getInstructionCount() <= mostCopied_;
    f.addFnAttr(f.hasFnAttribute(outOfLineAttribute) || !isCopied ? Attribute::NoInline
                                                                  : Attribute::AlwaysInline);
  }
  if (!any)
    return PreservedAnalyses::all();
  for (Function *f : callersFirst(m))
    copyIntoCallers(*f);
  removeUnusedFunctions(m);
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
