#include "host/compile.h"

#include "codegen/host_code.h"
#include "host/passes/passes.h"
#include "simt/ir/verifier.h"
#include "simt/thresholds.h"
#include "support/diagnostic.h"
#include "support/pass_runner.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::host {

using namespace llvm;

namespace {

OptimizationLevel optimizationLevelFor(const llvm::Module &module, const CompileOptions &options) {
  bool isLarge = any_of(module, [](const Function &f) {
    return f.getInstructionCount() > thresholds::maxLargeFunctionSize;
  });
  return options.optimize && !isLarge ? OptimizationLevel::O3 : OptimizationLevel::O1;
}

void verifyLlvmIr(const llvm::Module &module) {
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(module, &os))
    throw CompileError(ErrorKind::Internal, "the front end made invalid LLVM IR: " + problem);
}

/// Exports the function that callers enter; all others become internal.
void renameAndExportEntry(llvm::Module &module) {
  for (Function &f : module)
    if (!f.isDeclaration() && f.hasFnAttribute(simt::exportAttribute)) {
      f.setName(entrySymbol);
      f.setLinkage(GlobalValue::ExternalLinkage);
    }
}

void lowerAndOptimize(llvm::Module &module, TargetMachine &target, const CompileOptions &options) {
  verifyLlvmIr(module);
  cpu::setTarget(module, target);
  OptimizationLevel level = optimizationLevelFor(module, options);
  if (level == OptimizationLevel::O1)
    target.setOptLevel(CodeGenOptLevel::Less);
  PassRunner runner(&target);
  ModulePassManager lowering, optimization;
  addLoweringPasses(lowering, options.fastMath);
  runner.run(module, lowering);
  renameAndExportEntry(module);
  StripDebugInfo(module);
  addOptimizationPasses(optimization, runner, level);
  runner.run(module, optimization);
}

} // namespace

std::unique_ptr<MemoryBuffer> compileToObject(llvm::Module &module, const CompileOptions &options) {
  return cpu::generateHostObject(module, options.optimize, [&](TargetMachine &target) {
    lowerAndOptimize(module, target, options);
  });
}

std::unique_ptr<MemoryBuffer> compileEntryToObject(llvm::Module &module) {
  return cpu::generateHostObject(module, /*optimize=*/true, [&](TargetMachine &target) {
    verifyLlvmIr(module);
    cpu::setTarget(module, target);
  });
}

std::string compileToAssembly(llvm::Module &module, const CompileOptions &options) {
  return cpu::generateHostAssembly(module, options.optimize, [&](TargetMachine &target) {
    lowerAndOptimize(module, target, options);
  });
}

std::string compileToLlvmIr(llvm::Module &module, const CompileOptions &options) {
  return cpu::generateHostLlvmIr(module, options.optimize, [&](TargetMachine &target) {
    lowerAndOptimize(module, target, options);
  });
}

} // namespace heddle::host
