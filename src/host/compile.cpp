#include "host/compile.h"

#include "backend/cpu/codegen/avoid_codegen_errors.h"
#include "backend/cpu/codegen/avoid_endless_vectorization.h"
#include "backend/cpu/codegen/divide_vectors.h"
#include "backend/cpu/codegen/expect_index_signs.h"
#include "backend/cpu/codegen/join_sign_tests.h"
#include "backend/cpu/codegen/pair_rounds.h"
#include "backend/cpu/codegen/unswitch_index_signs.h"
#include "backend/cpu/compile.h"
#include "backend/cpu/math/lower_math.h"
#include "backend/cpu/operations/prints.h"
#include "backend/cpu/operations/traps.h"
#include "backend/cpu/prepare/bind_context.h"
#include "backend/cpu/prepare/check_resources.h"
#include "backend/cpu/prepare/guard_recursion.h"
#include "backend/cpu/prepare/reserve_names.h"
#include "host/aliases/check_at_entry.h"
#include "host/aliases/split_at_alias.h"
#include "host/cancel_counts.h"
#include "host/free_sums.h"
#include "host/keep_sums_rolled.h"
#include "host/outer_loops/vectorize_outer_loops.h"
#include "host/poll_interrupts.h"
#include "simt/ir/verifier.h"
#include "simt/passes/inline_device_functions.h"
#include "simt/passes/relax_floats.h"
#include "support/codegen_pipeline.h"
#include "support/diagnostic.h"
#include "support/llvm_errors.h"
#include "support/pass_runner.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

namespace heddle::host {

using namespace llvm;

namespace {

// Larger functions with several call sites are not inlined.
constexpr unsigned maxInlinedInstructions = 100;
// Larger functions are optimized only a little, because the time of some passes grows superlinearly.
constexpr unsigned maxOptimizedInstructions = 5000;

OptimizationLevel levelFor(const llvm::Module &module, const CompileOptions &options) {
  bool isLarge = any_of(
      module, [](const Function &f) { return f.getInstructionCount() > maxOptimizedInstructions; });
  return options.optimize && !isLarge ? OptimizationLevel::O3 : OptimizationLevel::O1;
}

void verify(const llvm::Module &module) {
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(module, &os))
    throw CompileError(ErrorKind::Internal, "the front end made invalid LLVM IR: " + problem);
}

void describeTarget(llvm::Module &module, TargetMachine &target) {
  module.setTargetTriple(target.getTargetTriple());
  module.setDataLayout(target.createDataLayout());
  for (Function &f : module)
    if (!f.isDeclaration()) {
      f.addFnAttr("target-cpu", target.getTargetCPU());
      f.addFnAttr("target-features", target.getTargetFeatureString());
    }
}

/// Exports the function that callers enter; all others become internal.
void exportEntry(llvm::Module &module) {
  for (Function &f : module)
    if (!f.isDeclaration() && f.hasFnAttribute(simt::exportAttribute)) {
      f.setName(entrySymbol);
      f.setLinkage(GlobalValue::ExternalLinkage);
    }
}

/// Lowers SIMT IR operations for the host with the passes for kernels, except those about threads.
void lowerOperations(llvm::Module &module, PassRunner &runner, FastMath fastMath) {
  ModulePassManager passes;
  passes.addPass(cpu::CheckResources());
  passes.addPass(simt::InlineDeviceFunctions(maxInlinedInstructions));
  FunctionPassManager intoRegisters;
  intoRegisters.addPass(SROAPass(SROAOptions::PreserveCFG));
  intoRegisters.addPass(EarlyCSEPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(intoRegisters)));
  passes.addPass(CancelCounts());
  passes.addPass(cpu::ReserveNames());
  passes.addPass(cpu::BindContext());
  FunctionPassManager operations;
  operations.addPass(FreeSums());
  if (fastMath != FastMath::None)
    operations.addPass(simt::RelaxFloats(fastMath));
  operations.addPass(cpu::LowerMath(cpu::MathLibrary::Libm));
  operations.addPass(cpu::LowerTraps());
  operations.addPass(cpu::LowerPrints());
  operations.addPass(cpu::GuardRecursion());
  operations.addPass(LoopSimplifyPass());
  operations.addPass(cpu::UnswitchIndexSigns());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(operations)));
  runner.run(module, passes);
}

void optimize(llvm::Module &module, PassRunner &runner, OptimizationLevel level) {
  runner.builder().registerVectorizerStartEPCallback(
      [level](FunctionPassManager &passes, OptimizationLevel) {
        passes.addPass(cpu::AvoidEndlessVectorization());
        passes.addPass(AddAlways());
        passes.addPass(KeepSumsRolled());
        if (level == OptimizationLevel::O3) {
          passes.addPass(SplitAtAlias());
          passes.addPass(CheckAtEntry());
        }
      });
  if (level == OptimizationLevel::O3)
    runner.builder().registerOptimizerEarlyEPCallback(
        [](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase) {
          passes.addPass(createModuleToFunctionPassAdaptor(LoopSimplifyPass()));
          passes.addPass(VectorizeOuterLoops());
        });
  ModulePassManager passes = runner.builder().buildPerModuleDefaultPipeline(level);
  if (level == OptimizationLevel::O3) {
    FunctionPassManager shortLoops;
    shortLoops.addPass(LoopSimplifyPass());
    shortLoops.addPass(cpu::PairRounds());
    shortLoops.addPass(cpu::ExpectIndexSigns());
    shortLoops.addPass(cpu::JoinSignTests());
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(shortLoops)));
  }
  passes.addPass(createModuleToFunctionPassAdaptor(cpu::DivideVectors()));
  passes.addPass(createModuleToFunctionPassAdaptor(cpu::AvoidCodegenErrors()));
  passes.addPass(createModuleToFunctionPassAdaptor(LoopSimplifyPass()));
  passes.addPass(createModuleToFunctionPassAdaptor(PollInterrupts()));
  runner.run(module, passes);
}

void lower(llvm::Module &module, TargetMachine &target, const CompileOptions &options) {
  verify(module);
  describeTarget(module, target);
  OptimizationLevel level = levelFor(module, options);
  if (level == OptimizationLevel::O1)
    target.setOptLevel(CodeGenOptLevel::Less);
  PassRunner runner(&target);
  lowerOperations(module, runner, options.fastMath);
  exportEntry(module);
  StripDebugInfo(module);
  optimize(module, runner, level);
}

SmallVector<char, 0> write(llvm::Module &module, TargetMachine &target, CodeGenFileType type) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  legacy::PassManager codegen;
  if (!addCodeGeneration(codegen, target, os, type))
    throw CompileError(ErrorKind::Internal, "this host's target cannot write object files");
  codegen.run(module);
  return bytes;
}

SmallVector<char, 0> generate(llvm::Module &module, const CompileOptions &options,
                              CodeGenFileType type) {
  std::unique_ptr<TargetMachine> target = cpu::hostTargetMachine(options.optimize);
  LlvmErrorScope errors(module.getContext());
  lower(module, *target, options);
  SmallVector<char, 0> bytes = write(module, *target, type);
  errors.check();
  return bytes;
}

std::unique_ptr<MemoryBuffer> objectOf(SmallVector<char, 0> bytes, const llvm::Module &module) {
  return std::make_unique<SmallVectorMemoryBuffer>(std::move(bytes), module.getModuleIdentifier(),
                                                   /*RequiresNullTerminator=*/false);
}

} // namespace

std::unique_ptr<MemoryBuffer> compileToObject(llvm::Module &module, const CompileOptions &options) {
  return objectOf(generate(module, options, CodeGenFileType::ObjectFile), module);
}

std::unique_ptr<MemoryBuffer> compileEntryToObject(llvm::Module &module) {
  std::unique_ptr<TargetMachine> target = cpu::hostTargetMachine(/*optimize=*/true);
  LlvmErrorScope errors(module.getContext());
  verify(module);
  describeTarget(module, *target);
  SmallVector<char, 0> bytes = write(module, *target, CodeGenFileType::ObjectFile);
  errors.check();
  return objectOf(std::move(bytes), module);
}

std::string compileToAssembly(llvm::Module &module, const CompileOptions &options) {
  SmallVector<char, 0> text = generate(module, options, CodeGenFileType::AssemblyFile);
  return std::string(text.begin(), text.end());
}

std::string compileToLlvmIr(llvm::Module &module, const CompileOptions &options) {
  lower(module, *cpu::hostTargetMachine(options.optimize), options);
  std::string text;
  raw_string_ostream(text) << module;
  return text;
}

} // namespace heddle::host
