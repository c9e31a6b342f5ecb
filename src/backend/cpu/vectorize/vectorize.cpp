#include "backend/cpu/vectorize/vectorize.h"

#include "backend/cpu/prepare/check_warp_masks.h"
#include "backend/cpu/prepare/thread_context.h"
#include "backend/cpu/vectorize/can_widen.h"
#include "backend/cpu/vectorize/copy_for_neighbours.h"
#include "backend/cpu/vectorize/early_exits.h"
#include "backend/cpu/vectorize/expand_copies.h"
#include "backend/cpu/vectorize/interleave_locals.h"
#include "backend/cpu/vectorize/lanes/shapes.h"
#include "backend/cpu/vectorize/lanes/stand_ins.h"
#include "backend/cpu/vectorize/narrow_indices.h"
#include "backend/cpu/vectorize/plan.h"
#include "backend/cpu/vectorize/run_all_lanes.h"
#include "backend/cpu/vectorize/spread_extensions.h"
#include "backend/cpu/vectorize/structurize.h"
#include "backend/cpu/vectorize/widen.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/effect_order.h"
#include "simt/analysis/sync_points.h"
#include "simt/ir/remarks.h"
#include "simt/passes/order_threads.h"
#include "simt/passes/remove_checks.h"
#include "simt/passes/simplify_math.h"

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

/// Instructions of a thread that has warp operations: a loop that has more when it is unrolled stays a loop.
constexpr unsigned longestUnrolled = 600;

/// What a thread computes with vectors of its own, of two or four numbers of a structure, it computes number by number.
void splitVectorsOfThreads(Function &f, simt::DivergenceAnalyses &analyses) {
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
  passes.run(f, analyses.functions());
}

/// The instructions of a loop's round when the loops in it have been unrolled that ask for it.
unsigned sizeOfRound(const Loop &loop, ScalarEvolution &numbers) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    size += block->size();
  for (Loop *inner : loop)
    if (hasUnrollTransformation(inner) & TM_Enable) {
      unsigned rounds = std::max(1u, numbers.getSmallConstantTripCount(inner));
      size += (rounds - 1) * sizeOfRound(*inner, numbers);
    }
  return size;
}

/// Keeps loops of a program with warp operations that would be long without: each operation takes many instructions.
void keepLongLoops(Function &f, simt::DivergenceAnalyses &analyses) {
  auto &numbers = analyses.functions().getResult<ScalarEvolutionAnalysis>(f);
  for (Loop *loop : analyses.functions().getResult<LoopAnalysis>(f).getLoopsInPreorder())
    if (unsigned rounds = numbers.getSmallConstantTripCount(loop);
        rounds && rounds * sizeOfRound(*loop, numbers) > longestUnrolled)
      loop->setLoopAlreadyUnrolled();
}

/// What a loop without barriers does not change leaves it. Out of one with barriers it would live across them.
struct LeaveLoops : PassInfoMixin<LeaveLoops> {
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &am, LoopStandardAnalysisResults &known,
                        LPMUpdater &updater) {
    bool meets = any_of(loop.blocks(),
                        [](const BasicBlock *block) { return any_of(*block, simt::isSyncPoint); });
    return meets ? PreservedAnalyses::all() : LICMPass(LICMOptions()).run(loop, am, known, updater);
  }
};

/// Short loops over local arrays go, and the arrays with them.
void unrollShortLoops(Function &f, simt::DivergenceAnalyses &analyses) {
  FunctionPassManager passes;
  LoopPassManager loops;
  loops.addPass(LoopRotatePass());
  loops.addPass(IndVarSimplifyPass());
  loops.addPass(LoopFullUnrollPass(3));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops)));
  // Behind masks LLVM cannot do it any more.
  passes.addPass(createFunctionToLoopPassAdaptor(LeaveLoops(), /*UseMemorySSA=*/true));
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(simt::RemoveChecks()); // of rounds whose indices are constants now
  passes.addPass(simt::SimplifyMath(/*keepApproximate=*/false));
  passes.addPass(InstCombinePass());
  passes.addPass(EarlyCSEPass()); // addresses of one array get one base
  // The way out of one loop is no header of the next: what is the same in all rounds of that would seem to differ.
  passes.addPass(LoopSimplifyPass());
  passes.run(f, analyses.functions());
}

/// An instruction that neither is the same in all lanes nor has a form for vectors; null where there is none.
const Instruction *unknownOf(Function &f, const LaneShapes &shapes) {
  for (Instruction &i : instructions(f)) {
    bool plain = !i.mayReadOrWriteMemory() && !isa<CallInst>(i);
    bool uniform = shapes.of(i).isUniform() &&
                   all_of(i.operands(), [&](Use &u) { return shapes.of(*u.get()).isUniform(); });
    if (!(plain && uniform) && !canWiden(i))
      return &i;
  }
  return nullptr;
}

} // namespace

std::optional<std::string> makeWide(Function &f, const ThreadGroups &groups, bool always,
                                    simt::DivergenceAnalyses &analyses,
                                    const TargetTransformInfo &target) {
  FunctionAnalysisManager &known = analyses.functions();
  std::optional<simt::EffectOrder> order;
  if (simt::isEffectOrderVerified())
    order.emplace(f);
  auto verify = [&](const char *step, bool isStructured = true) {
    if (order)
      simt::verifyEffectOrder(*order, f, step, isStructured);
  };
  auto spread = [&] {
    spreadExtensions(f, known.getResult<LoopAnalysis>(f));
    known.invalidate(f, PreservedAnalyses::none());
  };
  if (!groups.linear)
    noteGridIndices(f);
  expandShortCopies(f);
  splitVectorsOfThreads(f, analyses);
  // Before: passes over loops forget that a counter does not wrap around. After: others make sums of extended sums.
  spread();
  if (simt::hasWarpOperations(f))
    keepLongLoops(f, analyses);
  unrollShortLoops(f, analyses);
  verify("unrollShortLoops", /*isStructured=*/false);
  if (std::optional<std::string> reason = always ? std::nullopt : whyNotWorthwhile(f))
    return reason;
  if (std::optional<std::string> reason = whyOneAtATime(f, groups.width, analyses))
    return reason;
  checkWarpMasks(f, analyses);
  signLocalIndices(f);
  known.invalidate(f, PreservedAnalyses::none());
  spread();
  if (!structurize(f, analyses))
    return "its control flow could not be structured";
  if (order) // its own paths are checked by whyOutOfOrder
    order.emplace(f);
  interleaveLocals(f, groups.width);
  for (bool hasNeighbours = false, hasCopies = false, hasLoops = false;;) {
    known.invalidate(f, PreservedAnalyses::none());
    auto &dominators = known.getResult<DominatorTreeAnalysis>(f);
    LaneShapes shapes(f, groups, known.getResult<PostDominatorTreeAnalysis>(f),
                      known.getResult<LoopAnalysis>(f));
    if (!shapes.supported())
      return "its control flow is of a form that masks cannot follow";
    if (separateJoins(f, shapes, dominators))
      continue;
    if (std::optional<std::string> reason = whyOutOfOrder(f, shapes))
      return reason;
    if (!std::exchange(hasNeighbours, true) && copyForNeighbours(f, shapes, groups.width)) {
      verify("copyForNeighbours");
      known.invalidate(f, PreservedAnalyses::none());
      spread();
      continue;
    }
    if (std::optional<std::string> reason =
            always ? std::nullopt : whyGathersDominate(f, known.getResult<LoopAnalysis>(f), shapes))
      return reason;
    if (const Instruction *unknown = unknownOf(f, shapes))
      return whyNoVectors(*unknown);
    if (!hasCopies && runAllLanes(f, shapes, dominators, target, groups.width)) {
      verify("runAllLanes");
      hasCopies = true;
      continue;
    }
    if (!hasLoops && runLoopsOfAllLanes(f, shapes, dominators, target, groups.width)) {
      verify("runLoopsOfAllLanes");
      hasCopies = hasLoops = true;
      continue;
    }
    widen(f, groups, shapes, known.getResult<AAManager>(f));
    verify("widen");
    narrowIndices(f);
    break;
  }
  known.clear(f, f.getName());
  if (verifyFunction(f))
    return "its vector form is not valid";
  return std::nullopt;
}

namespace {

/// Puts the form for groups in the kernel's place. Returns why there is none; nothing when there is one.
std::optional<std::string> widenKernel(Function &kernel, const ThreadGroups &groups, bool always,
                                       bool byColumns, simt::DivergenceAnalyses &analyses,
                                       const TargetTransformInfo &target) {
  bool moves = mostlyMoves(kernel);
  ValueToValueMapTy map;
  Function *wide = CloneFunction(&kernel, map);
  if (std::optional<std::string> reason = makeWide(*wide, groups, always, analyses, target)) {
    analyses.functions().clear(*wide, wide->getName());
    wide->eraseFromParent();
    return reason;
  }
  wide->takeName(&kernel);
  kernel.eraseFromParent();
  setNumberAttribute(*wide, widthAttribute, groups.width);
  if (groups.linear)
    wide->addFnAttr(linearAttribute);
  if (byColumns)
    wide->addFnAttr(columnsAttribute);
  wide->addFnAttr("prefer-vector-width", moves ? "256" : "512");
  wide->addFnAttr("min-legal-vector-width", moves ? "0" : "512");
  return std::nullopt;
}

std::string decision(const ThreadGroups &groups, char axis) {
  if (groups.width == 1)
    return "runs one thread at a time: its blocks have few threads";
  std::string width = std::to_string(groups.width);
  std::string text = groups.linear
                         ? "runs " + width + " threads at a time, of one row or several, as vectors"
                         : "runs " + width + " threads along " + axis + " at a time, as vectors";
  if (groups.partial)
    text += groups.linear ? "; the last group is partial" : "; a row's last group is partial";
  return text;
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
    bool byWarps = simt::hasWarpOperations(*kernel);
    auto axis = unsigned(simt::threadOrderOf(*kernel));
    const GroupChoices &choices = this->choices[axis];
    std::optional<int64_t> ofRows = bytesReadRowByRow(*kernel);
    // Of blocks of another shape it might not be known again.
    bool isWide = fixedBlock && !byWarps && choices.wideRows != choices.rows && ofRows &&
                  *ofRows <= mostBytesOfWideRows;
    const ThreadGroups &groups = byWarps ? choices.warps : isWide ? choices.wideRows : choices.rows;
    std::string name = kernel->getName().str();
    std::optional<std::string> reason = always ? std::nullopt : whyNotWorthwhile(*kernel);
    if (!reason && groups.width > 1) {
      std::optional<simt::DivergenceAnalyses> &analyses = groups.linear ? inOrder : along;
      if (!analyses)
        analyses.emplace(neighboursIn(groups));
      reason = widenKernel(*kernel, groups, always, ofRows.has_value(), *analyses,
                           target.getResult<TargetIRAnalysis>(*kernel));
    }
    Function &chosen = *m.getFunction(name);
    // What several rows cannot gain, one may.
    if (!reason || groups.linear)
      chosen.addFnAttr(groupedAttribute, byWarps ? "warps" : isWide ? "wide rows" : "rows");
    simt::addRemark(chosen, reason ? "runs one thread at a time: " + *reason
                                   : decision(groups, "xyz"[axis]));
  }
  for (const char *name : laneStandIns)
    if (Function *standIn = m.getFunction(name))
      standIn->eraseFromParent();
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
