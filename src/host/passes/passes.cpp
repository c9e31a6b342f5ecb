#include "host/passes/passes.h"

#include "backend/cpu/math/lower_math.h"
#include "backend/cpu/operations/prints.h"
#include "backend/cpu/operations/traps.h"
#include "backend/cpu/prepare/bind_context.h"
#include "backend/cpu/prepare/check_resources.h"
#include "backend/cpu/prepare/guard_recursion.h"
#include "backend/cpu/prepare/reserve_names.h"
#include "codegen/avoid_codegen_errors.h"
#include "codegen/avoid_endless_vectorization.h"
#include "codegen/divide_vectors.h"
#include "codegen/unroll_loops_by_two.h"
#include "host/aliases/check_at_entry.h"
#include "host/aliases/split_at_alias.h"
#include "host/outer_loops/vectorize_outer_loops.h"
#include "host/passes/cancel_counts.h"
#include "host/passes/free_sums.h"
#include "host/passes/keep_sums_rolled.h"
#include "host/passes/poll_interrupts.h"
#include "simt/passes/inline_device_functions.h"
#include "simt/passes/lower_wraps.h"
#include "simt/passes/relax_floats.h"
#include "simt/thresholds.h"
#include "support/pass_names.h"
#include "support/pass_runner.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

namespace heddle::host {

using namespace llvm;

void registerPasses(PassBuilder &builder) {
  PassNames names(builder);
#define MODULE_PASS(NAME, CREATE) names.addModulePass(NAME, [=] { return CREATE; });
#define FUNCTION_PASS(NAME, CREATE) names.addFunctionPass(NAME, [=] { return CREATE; });
#include "host/passes/passes.def"
}

void addLoweringPasses(ModulePassManager &passes, FastMath fastMath) {
  passes.addPass(cpu::CheckResources());
  passes.addPass(simt::InlineDeviceFunctions(thresholds::maxCopiedSize));
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
  operations.addPass(simt::VersionWraps());
  operations.addPass(simt::LowerWraps());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(operations)));
}

void addOptimizationPasses(ModulePassManager &passes, PassRunner &runner, OptimizationLevel level) {
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
  passes.addPass(runner.builder().buildPerModuleDefaultPipeline(level));
  if (level == OptimizationLevel::O3) {
    FunctionPassManager shortLoops;
    shortLoops.addPass(LoopSimplifyPass());
    shortLoops.addPass(cpu::UnrollLoopsByTwo());
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(shortLoops)));
  }
  passes.addPass(createModuleToFunctionPassAdaptor(cpu::DivideVectors()));
  passes.addPass(createModuleToFunctionPassAdaptor(cpu::AvoidCodegenErrors()));
  passes.addPass(createModuleToFunctionPassAdaptor(LoopSimplifyPass()));
  passes.addPass(createModuleToFunctionPassAdaptor(PollInterrupts()));
}

} // namespace heddle::host
