#include "backend/cpu/passes.h"

#include "backend/cpu/blocks/emit_entries.h"
#include "backend/cpu/blocks/lower_barriers.h"
#include "backend/cpu/blocks/make_region_loops.h"
#include "backend/cpu/blocks/plan_blocks.h"
#include "backend/cpu/blocks/prefetch_lines.h"
#include "backend/cpu/blocks/regions.h"
#include "backend/cpu/blocks/resume_loops.h"
#include "backend/cpu/blocks/unroll_and_jam_threads.h"
#include "backend/cpu/compile.h"
#include "backend/cpu/math/fuse_multiply_adds.h"
#include "backend/cpu/math/lower_math.h"
#include "backend/cpu/operations/access_checks.h"
#include "backend/cpu/operations/atomics.h"
#include "backend/cpu/operations/cache_hints.h"
#include "backend/cpu/operations/indices.h"
#include "backend/cpu/operations/prints.h"
#include "backend/cpu/operations/shared.h"
#include "backend/cpu/operations/traps.h"
#include "backend/cpu/prepare/bind_context.h"
#include "backend/cpu/prepare/check_resources.h"
#include "backend/cpu/prepare/fix_block_shape.h"
#include "backend/cpu/prepare/guard_recursion.h"
#include "backend/cpu/prepare/name_block_barriers.h"
#include "backend/cpu/prepare/poison_unused_incoming_values.h"
#include "backend/cpu/prepare/reorder_grid_stride_loops.h"
#include "backend/cpu/prepare/reserve_names.h"
#include "backend/cpu/prepare/yield_in_spin_loops.h"
#include "backend/cpu/vectorize/replace_masked_accesses.h"
#include "backend/cpu/vectorize/vectorize.h"
#include "codegen/avoid_codegen_errors.h"
#include "codegen/avoid_endless_vectorization.h"
#include "codegen/divide_vectors.h"
#include "codegen/extract_by_words.h"
#include "codegen/sign_extend_masks.h"
#include "codegen/split_wide_stores.h"
#include "codegen/unroll_loops_by_two.h"
#include "simt/check/filter/expand_race_filter.h"
#include "simt/check/forget_locals.h"
#include "simt/check/insert_access_checks.h"
#include "simt/check/insert_barrier_checks.h"
#include "simt/check/insert_definedness_checks.h"
#include "simt/check/insert_division_checks.h"
#include "simt/check/lints/insert_sample_probes.h"
#include "simt/passes/expand_checks.h"
#include "simt/passes/hoist_checks.h"
#include "simt/passes/inline_device_functions.h"
#include "simt/passes/insert_warp_barriers.h"
#include "simt/passes/lower_wraps.h"
#include "simt/passes/order_threads.h"
#include "simt/passes/passes.h"
#include "simt/passes/relax_floats.h"
#include "simt/passes/remove_checks.h"
#include "simt/trace/insert_trace_probes.h"
#include "support/pass_names.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Coroutines/CoroCleanup.h"
#include "llvm/Transforms/Coroutines/CoroEarly.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Linear-time passes, for large functions and unoptimized code.
FunctionPassManager lightOptimizationPasses() {
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  return passes;
}

/// Code after a trap never runs.
struct RemoveCodeAfterTraps : PassInfoMixin<RemoveCodeAfterTraps> {
  PreservedAnalyses run(Function &f, FunctionAnalysisManager &) {
    return removeUnreachableBlocks(f) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

/// Recognizes memcpy and memset loops. Loops over a block's threads with constant trip counts are too short for a call.
struct RecognizeIdiomsInLongLoops : PassInfoMixin<RecognizeIdiomsInLongLoops> {
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &am, LoopStandardAnalysisResults &known,
                        LPMUpdater &updater) {
    bool isShort = known.SE.getSmallConstantTripCount(&loop) > 0;
    return isShort ? PreservedAnalyses::all()
                   : LoopIdiomRecognizePass().run(loop, am, known, updater);
  }
};

FunctionPassManager fullOptimizationPasses() {
  // Generated code cannot call these functions, whose loops end at an element that is 0.
  [[maybe_unused]] static const bool set = DisableLIRP::Strlen = DisableLIRP::Wcslen = true;
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(LoopSimplifyPass());
  passes.addPass(simt::VersionWraps());
  LoopPassManager invariant;
  invariant.addPass(LoopRotatePass());
  invariant.addPass(LICMPass(LICMOptions()));
  invariant.addPass(SimpleLoopUnswitchPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(invariant), /*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  LoopPassManager induction;
  induction.addPass(IndVarSimplifyPass());
  induction.addPass(LoopDeletionPass());
  induction.addPass(LoopFullUnrollPass());
  induction.addPass(RecognizeIdiomsInLongLoops());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(induction)));
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(GVNPass());
  passes.addPass(InstCombinePass());
  // Turns uniform comparisons into scalars, and folds those implied by loop bounds.
  passes.addPass(VectorCombinePass(/*TryEarlyFoldsOnly=*/true));
  passes.addPass(CorrelatedValuePropagationPass());
  passes.addPass(UnrollAndJamThreads());
  passes.addPass(SLPVectorizerPass());
  passes.addPass(InstCombinePass());
  // Loops with runtime trip counts are left to UnrollLoopsByTwo: the remainder loop of a larger factor would cost a
  // mispredicted branch per thread.
  passes.addPass(LoopUnrollPass(LoopUnrollOptions().setRuntime(false)));
  passes.addPass(UnrollLoopsByTwo());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass(
      SimplifyCFGOptions().convertSwitchRangeToICmp(true).hoistCommonInsts(true).sinkCommonInsts(
          true)));
  return passes;
}

} // namespace

void addLoweringPasses(ModulePassManager &passes, const CompileOptions &options) {
  passes.addPass(CheckResources());
  passes.addPass(ReserveNames());
  passes.addPass(simt::InlineDeviceFunctions());
  FunctionPassManager thread;
  if (options.checks == Checks::Exact) {
    thread.addPass(YieldInSpinLoops()); // does not see through checks
    thread.addPass(simt::InsertBarrierChecks());
    thread.addPass(simt::InsertSampleProbes());
    thread.addPass(simt::InsertDivisionChecks());
    thread.addPass(simt::InsertAccessChecks());
    thread.addPass(simt::ForgetLocals(simt::ForgetLocals::All));
    thread.addPass(simt::InsertDefinednessChecks());
    thread.addPass(simt::EndSampledThreads());
  } else if (options.checks == Checks::Trace) {
    thread.addPass(YieldInSpinLoops());
    thread.addPass(simt::InsertBarrierChecks());
    thread.addPass(simt::InsertTraceProbes());
    thread.addPass(simt::InsertDivisionChecks());
    thread.addPass(simt::InsertAccessChecks());
    thread.addPass(simt::RemoveForgets());
  } else {
    thread.addPass(simt::RemoveForgets());
  }
  FastMath relaxed = options.fastMath | (options.contract ? FastMath::Contract : FastMath::None);
  if (relaxed != FastMath::None)
    thread.addPass(simt::RelaxFloats(relaxed));
  thread.addPass(simt::simplificationPasses(/*keepApproximate=*/false));
  if (options.optimize) {
    thread.addPass(LoopSimplifyPass());
    thread.addPass(
        simt::RemoveChecks(options.fixedBlock ? options.launch.block : std::array<uint32_t, 3>{}));
    thread.addPass(simt::HoistChecks());
  }
  thread.addPass(FuseMultiplyAdds());
  thread.addPass(simt::InsertWarpBarriers(/*serialThreads=*/true));
  if (options.optimize && !options.debug && options.width != 1) {
    if (options.reorder)
      thread.addPass(simt::OrderThreads());
    thread.addPass(PoisonUnusedIncomingValues());
    thread.addPass(ReorderGridStrideLoops(makeGroupRules(options).lanes));
  }
  thread.addPass(YieldInSpinLoops());
  thread.addPass(NameBlockBarriers());
  if (options.fixedBlock)
    thread.addPass(FixBlockShape(options.launch.block));
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(thread)));
  if (GroupRules rules = makeGroupRules(options); rules.lanes > 1) {
    auto choicesFor = [&](simt::ThreadOrder order) {
      return chooseGroupsOfEachKind(options.launch, order, rules);
    };
    passes.addPass(
        Vectorize({choicesFor(simt::ThreadOrder::AlongX), choicesFor(simt::ThreadOrder::AlongY),
                   choicesFor(simt::ThreadOrder::AlongZ)},
                  rules.always));
    FunctionPassManager groups;
    groups.addPass(PrefetchLines());
    groups.addPass(ReplaceMaskedAccesses());
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(groups)));
  }
  if (options.checks == Checks::Filter) // of kernels that were not vectorized
    passes.addPass(createModuleToFunctionPassAdaptor(simt::ExpandRaceFilter()));
  passes.addPass(
      createModuleToFunctionPassAdaptor(simt::ExpandChecks(simt::ExpandChecks::Continues)));
  passes.addPass(BindContext());
  passes.addPass(LowerShared());
  FunctionPassManager operations;
  operations.addPass(LowerIndices());
  operations.addPass(LowerAccessChecks());
  operations.addPass(LowerAtomics());
  operations.addPass(LowerCacheHints());
  operations.addPass(LowerMath());
  operations.addPass(LowerTraps());
  operations.addPass(LowerPrints());
  operations.addPass(GuardRecursion());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(operations)));
  passes.addPass(PlanBlocks(/*regions=*/makeGroupRules(options).lanes > 1));
  passes.addPass(MakeRegionLoops());
  passes.addPass(LowerBarriers());
  passes.addPass(EmitEntries());
}

void addOptimizationPasses(ModulePassManager &passes, bool optimize) {
  passes.addPass(CoroEarlyPass());
  passes.addPass(createModuleToPostOrderCGSCCPassAdaptor(
      CoroSplitPass([](Instruction &i) { return isCheapToRecompute(i); }, /*OptimizeFrame=*/true)));
  passes.addPass(CoroCleanupPass());
  passes.addPass(EmitResumeLoops());
  passes.addPass(createModuleToFunctionPassAdaptor(RemoveCodeAfterTraps()));
  passes.addPass(createModuleToFunctionPassAdaptor(optimize ? fullOptimizationPasses()
                                                            : lightOptimizationPasses()));
  passes.addPass(createModuleToFunctionPassAdaptor(DivideVectors()));
  passes.addPass(createModuleToFunctionPassAdaptor(AvoidCodegenErrors()));
  passes.addPass(createModuleToFunctionPassAdaptor(ExtractByWords()));
  passes.addPass(createModuleToFunctionPassAdaptor(SplitWideStores()));
  passes.addPass(createModuleToFunctionPassAdaptor(SignExtendMasks()));
  passes.addPass(createModuleToFunctionPassAdaptor(simt::LowerWraps()));
}

void registerPasses(PassBuilder &builder) {
  PassNames names(builder);
#define MODULE_PASS(NAME, CREATE) names.addModulePass(NAME, [=] { return CREATE; });
#define FUNCTION_PASS(NAME, CREATE) names.addFunctionPass(NAME, [=] { return CREATE; });
#include "backend/cpu/passes.def"
  names.addPipeline("cpu-lowering",
                    [](ModulePassManager &passes) { addLoweringPasses(passes, {.width = 1}); });
  names.addPipeline("cpu-optimization", [](ModulePassManager &passes) {
    addOptimizationPasses(passes, /*optimize=*/true);
  });
}

} // namespace heddle::cpu
