#include "simt/inline_device_functions.h"

#include "simt/verifier.h"

#include "llvm/Transforms/IPO/AlwaysInliner.h"

namespace heddle::simt {

using namespace llvm;

namespace {

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

PreservedAnalyses InlineDeviceFunctions::run(Module &m, ModuleAnalysisManager &am) {
  bool any = false;
  for (Function &f : m) {
    if (f.isDeclaration() || f.hasFnAttribute(kernelAttribute))
      continue;
    any = true;
    f.removeFnAttr(Attribute::NoInline);
    f.removeFnAttr(Attribute::OptimizeNone);
    f.removeFnAttr(Attribute::AlwaysInline);
    f.addFnAttr(f.hasFnAttribute(outOfLineAttribute) ? Attribute::NoInline
                                                     : Attribute::AlwaysInline);
  }
  if (!any)
    return PreservedAnalyses::all();
  AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/true).run(m, am);
  removeUnusedFunctions(m);
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
