#include "backend/cpu/prepare/reserve_names.h"

#include "backend/cpu/abi/thread_context.h"
#include "simt/ir/remarks.h"

namespace heddle::cpu {

using namespace llvm;

PreservedAnalyses ReserveNames::run(Module &m, ModuleAnalysisManager &) {
  for (Function &f : m) {
    if (f.isDeclaration())
      continue;
    if (isKernel(f))
      f.addFnAttr(simt::nameAttribute, f.getName());
    f.setName(f.getName() + (isKernel(f) ? ".kernel" : ".device"));
  }
  for (GlobalVariable &g : m.globals())
    g.setName(g.getName() + ".data");
  return PreservedAnalyses::all();
}

} // namespace heddle::cpu
