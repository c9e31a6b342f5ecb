#include "backend/nvptx/passes.h"

#include "backend/nvptx/codegen/avoid_ptxas_errors.h"
#include "backend/nvptx/codegen/check_resources.h"
#include "backend/nvptx/codegen/describe_kernels.h"
#include "backend/nvptx/codegen/emit_streaming_accesses.h"
#include "backend/nvptx/codegen/fold_inline_offsets.h"
#include "backend/nvptx/codegen/link_libdevice.h"
#include "backend/nvptx/codegen/remove_division_guards.h"
#include "backend/nvptx/operations/atomics.h"
#include "backend/nvptx/operations/barriers.h"
#include "backend/nvptx/operations/cache_hints.h"
#include "backend/nvptx/operations/grid_barrier.h"
#include "backend/nvptx/operations/indices.h"
#include "backend/nvptx/operations/math.h"
#include "backend/nvptx/operations/name_inline_ptx.h"
#include "backend/nvptx/operations/prints.h"
#include "backend/nvptx/operations/shared.h"
#include "backend/nvptx/operations/traps.h"
#include "backend/nvptx/operations/warps.h"
#include "backend/nvptx/tune/coarsen_threads.h"
#include "backend/nvptx/tune/flatten_branches.h"
#include "backend/nvptx/tune/hoist_joined_loads.h"
#include "backend/nvptx/tune/hoist_neighbor_loads.h"
#include "backend/nvptx/tune/hoist_row_offsets.h"
#include "backend/nvptx/tune/limit_noalias.h"
#include "backend/nvptx/tune/limit_unrolling.h"
#include "backend/nvptx/tune/mark_finite_counters.h"
#include "backend/nvptx/tune/mark_read_only_loads.h"
#include "backend/nvptx/tune/narrow_counters.h"
#include "backend/nvptx/tune/privatize_counters.h"
#include "backend/nvptx/tune/spread_constant_loads.h"
#include "backend/nvptx/tune/unroll_remainders.h"
#include "backend/nvptx/tune/unroll_small_loops.h"
#include "backend/nvptx/tune/unswitch_loops.h"
#include "backend/nvptx/tune/widen_copies.h"
#include "simt/check/forget_locals.h"
#include "simt/passes/combine_instructions.h"
#include "simt/passes/expand_checks.h"
#include "simt/passes/inline_device_functions.h"
#include "simt/passes/insert_warp_barriers.h"
#include "simt/passes/lower_wraps.h"
#include "simt/passes/order_threads.h"
#include "simt/passes/passes.h"
#include "simt/passes/relax_floats.h"
#include "simt/passes/unroll_array_loops.h"
#include "simt/thresholds.h"
#include "support/pass_names.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/BDCE.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

/// A divergent branch executes both sides, so speculating a few instructions is cheaper.
SimplifyCFGOptions simplifyCfgOptions() { return SimplifyCFGOptions().bonusInstThreshold(4); }

/// Passes that make analyses more precise: promotion to registers, address spaces, known ranges.
FunctionPassManager makeCleanUpPasses() {
  FunctionPassManager passes;
  passes.addPass(InferAddressSpacesPass());
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(CorrelatedValuePropagationPass());
  passes.addPass(SimplifyCFGPass(simplifyCfgOptions()));
  passes.addPass(simt::CombineInstructions());
  return passes;
}

/// Moves the local arrays of functions that have some to registers. Other functions stay as they are, because
/// CoarsenThreads knows the forms that the front ends leave.
class MoveArraysToRegisters : public PassInfoMixin<MoveArraysToRegisters> {
public:
  MoveArraysToRegisters() {
    passes_.addPass(LoopSimplifyPass());
    passes_.addPass(simt::UnrollArrayLoops());
    passes_.addPass(SimplifyCFGPass());
    passes_.addPass(SROAPass(SROAOptions::ModifyCFG));
    passes_.addPass(EarlyCSEPass());
    passes_.addPass(simt::CombineInstructions());
  }
  PreservedAnalyses run(Function &f, FunctionAnalysisManager &am) {
    return simt::hasLocalArrays(f) ? passes_.run(f, am) : PreservedAnalyses::all();
  }

private:
  FunctionPassManager passes_;
};

FunctionPassManager makeOptimizationPasses() {
  FunctionPassManager passes;
  passes.addPass(WidenCopies(WidenCopies::Others));
  passes.addPass(MarkReadOnlyLoads());
  LoopPassManager invariant;
  invariant.addPass(LoopRotatePass());
  invariant.addPass(LICMPass(LICMOptions()));
  invariant.addPass(SimpleLoopUnswitchPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(invariant), /*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass(simplifyCfgOptions()));
  passes.addPass(simt::CombineInstructions());
  passes.addPass(MarkFiniteCounters());
  passes.addPass(KeepOuterLoopsRolled());
  passes.addPass(UnrollComputations());
  LoopPassManager induction;
  induction.addPass(IndVarSimplifyPass());
  induction.addPass(LoopDeletionPass());
  induction.addPass(LoopFullUnrollPass(3));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(induction)));
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(GVNPass());
  passes.addPass(BDCEPass());
  passes.addPass(simt::CombineInstructions());
  passes.addPass(CorrelatedValuePropagationPass());
  passes.addPass(DSEPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass(simplifyCfgOptions().hoistCommonInsts(true)));
  passes.addPass(simt::CombineInstructions());
  passes.addPass(FlattenBranches());
  passes.addPass(WidenCopies(WidenCopies::Locals));
  passes.addPass(SLPVectorizerPass());
  passes.addPass(UnswitchLoops());
  passes.addPass(LimitUnrolling());
  passes.addPass(UnrollSmallLoops());
  passes.addPass(HideInductionVariables());
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(3)));
  passes.addPass(UnrollRemainders());
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(3, /*OnlyWhenForced=*/true)));
  passes.addPass(ShowInductionVariables());
  passes.addPass(EarlyCSEPass());
  passes.addPass(simt::CombineInstructions());
  passes.addPass(HoistNeighborLoads()); // InstCombine would undo this
  passes.addPass(HoistRowOffsets());    // and this
  passes.addPass(HoistJoinedLoads());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass(simplifyCfgOptions()));
  passes.addPass(NarrowCounters());
  // The code generator merges adjacent loads and stores if their alignment allows it.
  passes.addPass(InferAlignmentPass());
  passes.addPass(EmitStreamingAccesses());
  passes.addPass(RemoveDivisionGuards());
  passes.addPass(SpreadConstantLoads());
  passes.addPass(FoldInlineOffsets());
  passes.addPass(AvoidPtxasErrors());
  passes.addPass(simt::ReportLocalArrays());
  return passes;
}

} // namespace

void addLoweringPasses(ModulePassManager &passes, const CompileOptions &options,
                       const Target &target) {
  passes.addPass(CheckResources(target));
  passes.addPass(simt::InlineDeviceFunctions());
  FunctionPassManager thread;
  thread.addPass(simt::RemoveForgets());
  thread.addPass(simt::ExpandChecks(simt::ExpandChecks::Unreachable));
  thread.addPass(simt::LowerWraps());
  thread.addPass(simt::RelaxFloats(options.fastMath | FastMath::Contract));
  if (options.optimize) {
    thread.addPass(simt::simplificationPasses(/*keepApproximate=*/true));
    thread.addPass(MoveArraysToRegisters());
    thread.addPass(simt::InsertWarpBarriers(/*serialThreads=*/false));
  }
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(thread)));
  if (options.optimize)
    passes.addPass(CoarsenThreads());
  if (options.optimize && !options.debug)
    passes.addPass(PrivatizeCounters());
  if (options.optimize && !options.debug && options.reorder)
    passes.addPass(createModuleToFunctionPassAdaptor(simt::OrderThreads()));
  if (options.optimize)
    passes.addPass(createModuleToFunctionPassAdaptor(LimitNoAlias()));
  passes.addPass(LowerShared());
  FunctionPassManager operations;
  operations.addPass(NameInlinePtx());
  operations.addPass(LowerIndices());
  operations.addPass(LowerBarriers());
  operations.addPass(LowerWarps(target.sm));
  operations.addPass(LowerAtomics());
  operations.addPass(LowerCacheHints());
  operations.addPass(LowerMath());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(operations)));
  passes.addPass(LowerTraps());
  passes.addPass(LowerPrints());
  passes.addPass(LowerGridBarrier());
  passes.addPass(LinkLibdevice(options, target.sm));
  passes.addPass(AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/true));
  passes.addPass(GlobalDCEPass());
  passes.addPass(DescribeKernels(options, target));
}

void addOptimizationPasses(ModulePassManager &passes, bool optimize) {
  if (!optimize) {
    FunctionPassManager least;
    least.addPass(InferAddressSpacesPass());
    least.addPass(AvoidPtxasErrors());
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(least)));
    return;
  }
  passes.addPass(createModuleToFunctionPassAdaptor(makeCleanUpPasses()));
  // Infers readonly parameters.
  passes.addPass(createModuleToPostOrderCGSCCPassAdaptor(PostOrderFunctionAttrsPass()));
  passes.addPass(createModuleToFunctionPassAdaptor(makeOptimizationPasses()));
}

void registerPasses(PassBuilder &builder, const CompileOptions &options, const Target &target) {
  PassNames names(builder);
#define MODULE_PASS(NAME, CREATE) names.addModulePass(NAME, [=] { return CREATE; });
#define FUNCTION_PASS(NAME, CREATE) names.addFunctionPass(NAME, [=] { return CREATE; });
#include "backend/nvptx/passes.def"
  names.addPipeline("nvptx-lowering",
                    [=](ModulePassManager &passes) { addLoweringPasses(passes, options, target); });
  names.addPipeline("nvptx-optimization", [=](ModulePassManager &passes) {
    addOptimizationPasses(passes, options.optimize);
  });
}

} // namespace heddle::nvptx
