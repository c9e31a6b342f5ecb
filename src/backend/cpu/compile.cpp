#include "backend/cpu/compile.h"

#include "backend/cpu/passes.h"
#include "backend/cpu/prepare/thread_context.h"
#include "backend/cpu/vectorize/plan.h"
#include "simt/analysis/effect_order.h"
#include "simt/ir/remarks.h"
#include "simt/ir/verifier.h"
#include "simt/passes/lowering.h"
#include "support/codegen_pipeline.h"
#include "support/diagnostic.h"
#include "support/llvm_errors.h"
#include "support/pass_runner.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

void describeTarget(llvm::Module &module, TargetMachine &target) {
  module.setTargetTriple(target.getTargetTriple());
  module.setDataLayout(target.createDataLayout());
  for (Function &f : module) {
    if (f.isDeclaration())
      continue;
    f.addFnAttr("target-cpu", target.getTargetCPU());
    f.addFnAttr("target-features", target.getTargetFeatureString());
  }
}

// Larger functions get light optimization: the vectorizers and code generation take superlinear time (20 s for 18,000
// instructions, 0.5 s without).
constexpr size_t maxOptimizedInstructions = 2000;

bool isWorthOptimizing(const llvm::Module &module, const CompileOptions &options) {
  return options.optimize && all_of(module, [](const Function &f) {
           return f.getInstructionCount() <= maxOptimizedInstructions;
         });
}

SmallVector<char, 0> generate(llvm::Module &module, const CompileOptions &options,
                              CodeGenFileType type) {
  std::unique_ptr<TargetMachine> target = hostTargetMachine(options.optimize);
  LlvmErrorScope errors(module.getContext());
  lower(module, *target, options);
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  legacy::PassManager codegen;
  if (!addCodeGeneration(codegen, *target, os, type))
    throw CompileError(ErrorKind::Internal, "this host's target cannot write object files");
  codegen.run(module);
  errors.check();
  return bytes;
}

} // namespace

void lower(llvm::Module &module, TargetMachine &target, const CompileOptions &options) {
  LlvmErrorScope errors(module.getContext());
  if (std::string broken = simt::verify(module); !broken.empty())
    throw CompileError(ErrorKind::Internal, "not SIMT IR:\n" + broken);
  describeTarget(module, target);

  // Variable locations are only for GPU debuggers: here, a block's threads share one stack.
  for (Function &f : module)
    for (BasicBlock &block : f)
      for (Instruction &i : block)
        i.dropDbgRecords();

  ModulePassManager lowering;
  addLoweringPasses(lowering, options);
  simt::EffectOrderVerifier verifier("InlineDeviceFunctions", "Vectorize");
  PassRunner runner(&target);
  if (simt::isEffectOrderVerified())
    verifier.registerIn(runner.callbacks());
  runner.run(module, lowering);
  bool optimize = isWorthOptimizing(module, options);
  if (!optimize)
    target.setOptLevel(CodeGenOptLevel::Less);
  ModulePassManager optimization;
  addOptimizationPasses(optimization, optimize);
  PassRunner(&target).run(module, optimization);
  errors.check();
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

CompiledObject compileToObject(llvm::Module &module, const CompileOptions &options) {
  auto file = std::make_unique<SmallVectorMemoryBuffer>(
      generate(module, options, CodeGenFileType::ObjectFile), module.getModuleIdentifier(),
      /*RequiresNullTerminator=*/false);
  return {std::move(file), simt::remarksOf(module)};
}

std::string compileToAssembly(llvm::Module &module, const CompileOptions &options) {
  SmallVector<char, 0> text = generate(module, options, CodeGenFileType::AssemblyFile);
  return std::string(text.begin(), text.end());
}

std::string compileToLlvmIr(llvm::Module &module, const CompileOptions &options) {
  lower(module, *hostTargetMachine(options.optimize), options);
  std::string text;
  raw_string_ostream(text) << module;
  return text;
}

} // namespace heddle::cpu
