#include "backend/cpu/compile.h"

#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/passes.h"
#include "codegen/host_code.h"
#include "codegen/host_target.h"
#include "simt/analysis/effect_order.h"
#include "simt/check/filter/insert_race_filter.h"
#include "simt/check/filter/stop_undefined_locals.h"
#include "simt/check/filter/stop_wrong_masks.h"
#include "simt/check/forget_locals.h"
#include "simt/check/insert_division_checks.h"
#include "simt/ir/remarks.h"
#include "simt/ir/verifier.h"
#include "simt/passes/inline_device_functions.h"
#include "simt/passes/lowering.h"
#include "simt/passes/passes.h"
#include "simt/thresholds.h"
#include "support/diagnostic.h"
#include "support/llvm_errors.h"
#include "support/pass_runner.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

bool shouldOptimize(const llvm::Module &module, const CompileOptions &options) {
  return options.optimize && all_of(module, [](const Function &f) {
           return f.getInstructionCount() <= thresholds::maxOptimizedSize;
         });
}

} // namespace

GroupRules makeGroupRules(const CompileOptions &options) {
  if (!options.optimize || options.debug || options.checks == Checks::Exact ||
      options.checks == Checks::Trace)
    return {};
  return {.lanes = options.width ? options.width : lanesPerHostRegister(),
          .always = options.width != 0};
}

void lowerAndOptimize(llvm::Module &module, TargetMachine &target, const CompileOptions &options) {
  LlvmErrorScope errors(module.getContext());
  if (std::string broken = simt::verify(module); !broken.empty())
    throw CompileError(ErrorKind::Internal, "not SIMT IR:\n" + broken);
  setTarget(module, target);

  // Variable locations are only for GPU debuggers: here, a block's threads share one stack.
  for (Function &f : module)
    for (BasicBlock &block : f)
      for (Instruction &i : block)
        i.dropDbgRecords();

  ModulePassManager lowering;
  addLoweringPasses(lowering, options);
  simt::EffectOrderVerifier verifier("InlineDeviceFunctions", "Vectorize");
  PassRunner runner(&target);
  simt::registerAnalyses(runner.functions());
  if (simt::isSelfCheckEnabled())
    verifier.registerIn(runner.callbacks());
  runner.run(module, lowering);
  bool optimize = shouldOptimize(module, options);
  if (!optimize)
    target.setOptLevel(CodeGenOptLevel::Less);
  ModulePassManager optimization;
  addOptimizationPasses(optimization, optimize);
  PassRunner(&target).run(module, optimization);
  errors.throwIfErrors();
  if (!options.debug)
    StripDebugInfo(module);
}

void extractKernel(llvm::Module &module, StringRef kernel) {
  for (Function &f : make_early_inc_range(module))
    if (simt::isKernel(f) && f.getName() != kernel)
      f.eraseFromParent();
  for (GlobalVariable &g : module.globals())
    if (simt::isModuleVariable(g))
      g.addAttribute(definedElsewhereAttribute);
  ModulePassManager passes;
  passes.addPass(GlobalDCEPass());
  PassRunner().run(module, passes);
}

simt::FilterPlan addRaceFilter(llvm::Module &module, const simt::LaunchFacts &facts) {
  ModulePassManager passes;
  passes.addPass(simt::InlineDeviceFunctions());
  FunctionPassManager stops;
  stops.addPass(simt::ForgetLocals(simt::ForgetLocals::Unproven));
  stops.addPass(simt::InsertDivisionChecks());
  stops.addPass(simt::StopWrongMasks(facts.block));
  stops.addPass(simt::StopUndefinedLocals());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(stops)));
  passes.addPass(simt::InsertRaceFilter(facts));
  PassRunner().run(module, passes);
  return *simt::filterPlanOf(module);
}

CompiledObject compileToObject(llvm::Module &module, const CompileOptions &options) {
  auto file = generateHostObject(module, options.optimize, [&](TargetMachine &target) {
    lowerAndOptimize(module, target, options);
  });
  return {std::move(file), simt::remarksOf(module)};
}

std::string compileToAssembly(llvm::Module &module, const CompileOptions &options) {
  return generateHostAssembly(module, options.optimize, [&](TargetMachine &target) {
    lowerAndOptimize(module, target, options);
  });
}

std::string compileToLlvmIr(llvm::Module &module, const CompileOptions &options) {
  return generateHostLlvmIr(module, options.optimize, [&](TargetMachine &target) {
    lowerAndOptimize(module, target, options);
  });
}

} // namespace heddle::cpu
