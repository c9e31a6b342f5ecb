#include "backend/cpu/vectorize/vectorize.h"

#include "backend/cpu/prepare/check_warp_masks.h"
#include "backend/cpu/vectorize/can_widen.h"
#include "backend/cpu/vectorize/distribute_extensions.h"
#include "backend/cpu/vectorize/early_exits.h"
#include "backend/cpu/vectorize/expand_copies.h"
#include "backend/cpu/vectorize/interleave_locals.h"
#include "backend/cpu/vectorize/lanes/placeholders.h"
#include "backend/cpu/vectorize/lanes/shapes.h"
#include "backend/cpu/vectorize/narrow_indices.h"
#include "backend/cpu/vectorize/obstacles.h"
#include "backend/cpu/vectorize/plan_groups.h"
#include "backend/cpu/vectorize/structurize.h"
#include "backend/cpu/vectorize/unmasked_copies.h"
#include "backend/cpu/vectorize/version_clamped_accesses.h"
#include "backend/cpu/vectorize/widen.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/effect_order.h"
#include "simt/analysis/sync_points.h"
#include "simt/check/filter/expand_race_filter.h"
#include "simt/ir/remarks.h"
#include "simt/passes/lower_wraps.h"
#include "simt/passes/order_threads.h"
#include "simt/passes/remove_checks.h"
#include "simt/passes/simplify_math.h"
#include "simt/thresholds.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Scalarizes vectors of a single thread, such as pairs of structure members.
void scalarizeThreadVectors(Function &f, simt::DivergenceAnalyses &analyses) {
  bool has = any_of(instructions(f), [](const Instruction &i) {
    return i.getType()->isVectorTy() ||
           (isa<StoreInst>(i) && i.getOperand(0)->getType()->isVectorTy());
  });
  if (!has)
    return;
  ScalarizerPassOptions options;
  options.ScalarizeVariableInsertExtract = true;
  options.ScalarizeLoadStore = true;
  FunctionPassManager passes;
  passes.addPass(ScalarizerPass(options));
  passes.run(f, analyses.functionAnalyses());
}

/// The size of an iteration after inner loops marked for unrolling have been unrolled.
unsigned unrolledIterationSize(const Loop &loop, ScalarEvolution &scev) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    size += block->size();
  for (Loop *inner : loop)
    if (hasUnrollTransformation(inner) & TM_Enable) {
      unsigned tripCount = std::max(1u, scev.getSmallConstantTripCount(inner));
      size += (tripCount - 1) * unrolledIterationSize(*inner, scev);
    }
  return size;
}

/// Disables unrolling of long loops in kernels with warp operations, because each operation expands to many
/// instructions.
void disableUnrollingOfLongLoops(Function &f, simt::DivergenceAnalyses &analyses) {
  auto &scev = analyses.functionAnalyses().getResult<ScalarEvolutionAnalysis>(f);
  for (Loop *loop : analyses.functionAnalyses().getResult<LoopAnalysis>(f).getLoopsInPreorder())
    if (unsigned tripCount = scev.getSmallConstantTripCount(loop);
        tripCount && tripCount * unrolledIterationSize(*loop, scev) > thresholds::maxUnrolledSize)
      loop->setLoopAlreadyUnrolled();
}

/// Hoists invariants out of loops without synchronization points. Out of other loops, they would be live across
/// barriers.
struct HoistFromLoopsWithoutSyncPoints : PassInfoMixin<HoistFromLoopsWithoutSyncPoints> {
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &am, LoopStandardAnalysisResults &known,
                        LPMUpdater &updater) {
    bool hasSyncPoint = any_of(
        loop.blocks(), [](const BasicBlock *block) { return any_of(*block, simt::isSyncPoint); });
    return hasSyncPoint ? PreservedAnalyses::all()
                        : LICMPass(LICMOptions()).run(loop, am, known, updater);
  }
};

/// Unrolls short loops over local arrays, so that the arrays can be promoted.
void unrollShortLoops(Function &f, simt::DivergenceAnalyses &analyses) {
  FunctionPassManager passes;
  LoopPassManager loops;
  loops.addPass(LoopRotatePass());
  loops.addPass(IndVarSimplifyPass());
  loops.addPass(LoopFullUnrollPass(3));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops)));
  // LLVM cannot hoist masked code.
  passes.addPass(
      createFunctionToLoopPassAdaptor(HoistFromLoopsWithoutSyncPoints(), /*UseMemorySSA=*/true));
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(simt::RemoveChecks()); // of unrolled iterations with constant indices
  passes.addPass(simt::SimplifyMath(/*keepApproximate=*/false));
  passes.addPass(InstCombinePass());
  passes.addPass(EarlyCSEPass()); // gives addresses in one array a common base
  // A loop's exit must not be the next loop's header: otherwise, invariants of the next loop would seem to vary.
  passes.addPass(LoopSimplifyPass());
  passes.run(f, analyses.functionAnalyses());
}

/// Returns an instruction that is neither uniform nor has a vector form; null if there is none.
const Instruction *findUnwidenableInstruction(Function &f, const LaneShapes &shapes) {
  for (Instruction &i : instructions(f)) {
    bool plain = !i.mayReadOrWriteMemory() && !isa<CallInst>(i);
    bool uniform = shapes.shapeOf(i).isUniform() && all_of(i.operands(), [&](Use &u) {
                     return shapes.shapeOf(*u.get()).isUniform();
                   });
    if (!(plain && uniform) && !canWiden(i))
      return &i;
  }
  return nullptr;
}

} // namespace

std::optional<std::string> vectorizeFunction(Function &f, Plan &plan, bool always,
                                             simt::DivergenceAnalyses &analyses,
                                             const TargetTransformInfo &target) {
  FunctionAnalysisManager &known = analyses.functionAnalyses();
  const ThreadGroups &groups = plan.groups;
  std::optional<simt::EffectOrder> order;
  if (simt::isSelfCheckEnabled())
    order.emplace(f);
  auto verify = [&](const char *step, bool isStructured = true) {
    if (order)
      simt::verifyPassKeptEffectOrder(*order, f, step, isStructured);
  };
  auto distribute = [&] {
    distributeExtensions(f, known.getResult<LoopAnalysis>(f));
    known.invalidate(f, PreservedAnalyses::none());
  };
  if (!groups.linear)
    markGridIndicesNoWrap(f);
  expandShortCopies(f);
  scalarizeThreadVectors(f, analyses);
  // Distribute before loop passes, which drop nsw flags of induction variables, and after them, because they create new
  // sums.
  distribute();
  if (simt::hasWarpOperations(f))
    disableUnrollingOfLongLoops(f, analyses);
  unrollShortLoops(f, analyses);
  verify("unrollShortLoops", /*isStructured=*/false);
  if (std::optional<std::string> reason = always ? std::nullopt : whyNotProfitable(f))
    return reason;
  // From here on, no pass forwards stores to loads.
  if (simt::expandRaceFilter(f))
    known.invalidate(f, PreservedAnalyses::none());
  if (std::optional<std::string> reason = whyNotVectorizable(f, groups.width, analyses))
    return reason;
  insertWarpMaskChecks(f, analyses);
  useSignedSharedAndLocalIndices(f);
  known.invalidate(f, PreservedAnalyses::none());
  distribute();
  if (!structurize(f, analyses, plan.versions))
    return "its control flow could not be structured";
  if (order) // structured paths are checked by describeOutOfOrderAccess
    order.emplace(f);
  interleaveLocals(f, groups.width);
  CodeVersions &versions = plan.versions;
  for (bool triedClamped = false, hasSelects = false;;) {
    known.invalidate(f, PreservedAnalyses::none());
    auto &dominators = known.getResult<DominatorTreeAnalysis>(f);
    LaneShapes shapes(f, groups, known.getResult<PostDominatorTreeAnalysis>(f),
                      known.getResult<LoopAnalysis>(f));
    if (!shapes.supportsAllBranches())
      return "masks cannot represent its control flow";
    if (splitSharedJoins(f, shapes, dominators))
      continue;
    if (std::optional<std::string> reason = describeOutOfOrderAccess(f, shapes))
      return reason;
    if (!std::exchange(triedClamped, true) &&
        (versions.clampedAccesses = versionClampedAccesses(f, shapes, groups.width))) {
      verify("versionClampedAccesses");
      known.invalidate(f, PreservedAnalyses::none());
      distribute();
      continue;
    }
    if (std::optional<std::string> reason =
            always ? std::nullopt : whyGathersDominate(f, known.getResult<LoopAnalysis>(f), shapes))
      return reason;
    auto differsInLanes = [&](const CallInst &wrap) { return !shapes.shapeOf(wrap).isUniform(); };
    if (!std::exchange(hasSelects, true) && simt::lowerWraps(f, differsInLanes))
      continue;
    if (const Instruction *unknown = findUnwidenableInstruction(f, shapes))
      return describeMissingVectorForm(*unknown);
    if (!versions.unmaskedBranches && !versions.unmaskedLoops &&
        (versions.unmaskedBranches =
             addUnmaskedBranches(f, shapes, dominators, target, groups.width))) {
      verify("addUnmaskedBranches");
      continue;
    }
    if (!versions.unmaskedLoops &&
        (versions.unmaskedLoops = addUnmaskedLoops(f, shapes, dominators, target, groups.width))) {
      verify("addUnmaskedLoops");
      continue;
    }
    widen(f, groups, shapes, known.getResult<AAManager>(f));
    verify("widen");
    narrowIndices(f);
    break;
  }
  known.clear(f, f.getName());
  if (verifyFunction(f))
    return "its vectorized code is not valid";
  return std::nullopt;
}

namespace {

/// Replaces the kernel by its vectorized version, or plans to run it one thread at a time if that fails. Returns the
/// function to run.
Function &vectorizeKernel(Function &kernel, Plan &plan, bool always,
                          simt::DivergenceAnalyses &analyses, const TargetTransformInfo &target) {
  ValueToValueMapTy map;
  Function *wide = CloneFunction(&kernel, map);
  if (std::optional<std::string> reason =
          vectorizeFunction(*wide, plan, always, analyses, target)) {
    analyses.functionAnalyses().clear(*wide, wide->getName());
    wide->eraseFromParent();
    plan.disableGroups(std::move(*reason));
    return kernel;
  }
  wide->takeName(&kernel);
  kernel.eraseFromParent();
  wide->addFnAttr("prefer-vector-width", plan.isMemoryBound ? "256" : "512");
  wide->addFnAttr("min-legal-vector-width", plan.isMemoryBound ? "0" : "512");
  return *wide;
}

} // namespace

PreservedAnalyses Vectorize::run(Module &m, ModuleAnalysisManager &am) {
  FunctionAnalysisManager &target =
      am.getResult<FunctionAnalysisManagerModuleProxy>(m).getManager();
  SmallVector<Function *> kernels;
  for (Function &f : m)
    if (isKernel(f))
      kernels.push_back(&f);
  std::optional<simt::DivergenceAnalyses> along, inOrder;
  for (Function *kernel : kernels) {
    auto axis = unsigned(simt::threadOrderOf(*kernel));
    Plan plan = planGroups(*kernel, choices[axis], "xyz"[axis], always);
    if (plan.isVectorized()) {
      std::optional<simt::DivergenceAnalyses> &analyses = plan.groups.linear ? inOrder : along;
      if (!analyses)
        analyses.emplace(neighborsIn(plan.groups));
      kernel = &vectorizeKernel(*kernel, plan, always, *analyses,
                                target.getResult<TargetIRAnalysis>(*kernel));
    }
    setPlan(*kernel, plan);
    simt::addRemark(*kernel, plan.describeGroups());
  }
  for (const char *name : lanePlaceholders)
    if (Function *placeholder = m.getFunction(name))
      placeholder->eraseFromParent();
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
