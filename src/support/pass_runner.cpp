#include "support/pass_runner.h"

#include "support/keep_masked_loads.h"

namespace heddle {

using namespace llvm;

PassRunner::PassRunner(TargetMachine *target)
    : builder_(target, PipelineTuningOptions(), std::nullopt, &callbacks_) {
  keepMaskedLoadsInPlace(callbacks_);
  builder_.registerModuleAnalyses(modules_);
  builder_.registerCGSCCAnalyses(components_);
  builder_.registerFunctionAnalyses(functions_);
  builder_.registerLoopAnalyses(loops_);
  builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
}

void PassRunner::run(Module &module, ModulePassManager &passes) { passes.run(module, modules_); }

} // namespace heddle
