#include "host/outer_loops/vectorize_outer_loops.h"

#include "host/outer_loops/group_loops.h"
#include "simt/thresholds.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace heddle::host {

using namespace llvm;

namespace {

constexpr unsigned maxLanes = 32;

/// Properties of an inner loop that determine if lanes are profitable.
struct InnerLoop {
  unsigned carriedFloats = 0; ///< floats carried between iterations
  bool endsAnyTime = false;   ///< the trip count is unknown
  unsigned work = 0;          ///< operations, weighted by latency
  unsigned fetches = 0;       ///< loads of non-adjacent lanes
};

unsigned estimateInstructionWork(const Instruction &i) {
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&i))
    return intrinsic->getIntrinsicID() == Intrinsic::sqrt ? 4 : 1;
  if (isa<CallInst>(i))
    return 8;
  bool divides = i.getOpcode() == Instruction::FDiv;
  bool computes = isa<BinaryOperator, UnaryOperator>(i) && i.getType()->isFloatingPointTy();
  return divides ? 4 : computes ? 1 : 0;
}

bool isUniformOrConsecutive(const Instruction &access, const Loop &loop,
                            ScalarEvolution &evolution) {
  const SCEV *address = evolution.getSCEV(const_cast<Value *>(getLoadStorePointerOperand(&access)));
  const auto *step = dyn_cast_or_null<SCEVConstant>(simt::strideOf(address, loop, evolution));
  TypeSize bytes = access.getDataLayout().getTypeStoreSize(getLoadStoreType(&access));
  return step && (step->isZero() || step->getAPInt() == bytes.getFixedValue());
}

/// True if the loop's last branch determines the trip count, except for iterations that raise.
bool hasKnownTripCount(Loop &loop, ScalarEvolution &evolution) {
  BasicBlock *latch = loop.getLoopLatch();
  return latch && loop.isLoopExiting(latch) &&
         !isa<SCEVCouldNotCompute>(evolution.getExitCount(&loop, latch));
}

InnerLoop analyzeInnerLoop(Loop &inner, Loop &outer, ScalarEvolution &evolution) {
  InnerLoop found;
  for (PHINode &phi : inner.getHeader()->phis())
    found.carriedFloats += phi.getType()->isFloatingPointTy();
  found.endsAnyTime = !hasKnownTripCount(inner, evolution);
  for (BasicBlock *block : inner.blocks())
    for (Instruction &i : *block) {
      found.work += estimateInstructionWork(i);
      if (getLoadStorePointerOperand(&i))
        found.fetches += !isUniformOrConsecutive(i, outer, evolution);
    }
  return found;
}

/// Returns 0 unless LLVM does not vectorize the loop because iterations may raise, and it computes more than it loads.
unsigned chooseRegistersPerValueInInnermost(const OutlinableLoop &outlined,
                                            ScalarEvolution &evolution) {
  Loop &loop = *outlined.loop;
  InnerLoop found = analyzeInnerLoop(loop, loop, evolution);
  if (outlined.raising.empty() || 2 * found.fetches > found.work)
    return 0;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &i : *block)
      if (isa<CallInst>(i) && !isa<IntrinsicInst>(i))
        return 1;
  return 2;
}

unsigned widestTypeBits(const Loop &loop) {
  unsigned bits = 8;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &i : *block)
      if (i.getType()->isFloatingPointTy() || isa<LoadInst>(i))
        bits = std::max(bits, unsigned(i.getType()->getScalarSizeInBits()));
  return bits;
}

/// Chooses the number of vector registers that a group of iterations fills; 0 if grouping is not profitable.
unsigned chooseVectorRegistersPerValue(const OutlinableLoop &outlined, ScalarEvolution &evolution) {
  Loop &loop = *outlined.loop;
  if (loop.isInnermost())
    return chooseRegistersPerValueInInnermost(outlined, evolution);
  unsigned carried = 0;
  bool apart = false;
  for (Loop *inner : loop.getSubLoops()) {
    if (!inner->isInnermost())
      return 0;
    InnerLoop one = analyzeInnerLoop(*inner, loop, evolution);
    if (2 * one.fetches > one.work)
      return 0;
    apart |= one.endsAnyTime;
    carried = std::max(carried, one.carriedFloats);
  }
  // A single chain of sums is bound by latency; several registers hide it.
  return carried == 0 ? 0 : carried == 1 && !apart ? 4 : 2;
}

/// The number of iterations that fill a register.
unsigned lanesPerRegister(Loop &loop, const TargetTransformInfo &target) {
  auto bits = target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  return unsigned(bits) / widestTypeBits(loop);
}

bool isLarge(const Loop &loop) {
  unsigned instructions = 0;
  for (BasicBlock *block : loop.blocks())
    instructions += unsigned(block->size());
  return instructions > thresholds::maxUnrolledSize;
}

/// Vectorizes one loop of the function. Returns false if there is none left.
bool vectorizeOneLoop(Function &f, SmallPtrSetImpl<BasicBlock *> &unvisited,
                      FunctionAnalysisManager &am) {
  auto &loops = am.getResult<LoopAnalysis>(f);
  auto &evolution = am.getResult<ScalarEvolutionAnalysis>(f);
  auto &target = am.getResult<TargetIRAnalysis>(f);
  SmallVector<Loop *> all(loops.getLoopsInPreorder());
  for (Loop *loop : reverse(all)) {
    if (!unvisited.erase(loop->getHeader()) || isLarge(*loop) ||
        !hasKnownTripCount(*loop, evolution))
      continue;
    std::optional<OutlinableLoop> outlined =
        matchOutlinableLoop(*loop, evolution, loops, am.getResult<DominatorTreeAnalysis>(f));
    unsigned registers = outlined ? chooseVectorRegistersPerValue(*outlined, evolution) : 0;
    unsigned lanesOfOne = registers ? lanesPerRegister(*loop, target) : 0;
    if (lanesOfOne < 4)
      continue;
    unsigned width = std::min(maxLanes, registers * lanesOfOne);
    std::optional<simt::Independence> independence =
        simt::findIndependenceConditions(*loop, evolution, am.getResult<AAManager>(f));
    if (!independence || (independence->readsWhatItWrites && !outlined->raising.empty()))
      continue;
    SmallVector<IterationGroups, 2> groups;
    for (unsigned lanes = width; lanes >= lanesOfOne; lanes /= 4)
      if (std::optional<LaneFunction> made = makeLaneFunction(*outlined, lanes, am))
        groups.push_back({lanes, *made});
    if (groups.empty())
      continue;
    addGroupLoops(*outlined, *independence, groups, evolution);
    for (IterationGroups &one : groups)
      one.lanes.function->eraseFromParent();
    return true;
  }
  return false;
}

} // namespace

PreservedAnalyses VectorizeOuterLoops::run(Module &m, ModuleAnalysisManager &am) {
  auto &functions = am.getResult<FunctionAnalysisManagerModuleProxy>(m).getManager();
  SmallVector<Function *> all;
  for (Function &f : m)
    if (!f.isDeclaration())
      all.push_back(&f);
  bool changed = false;
  for (Function *f : all) {
    SmallPtrSet<BasicBlock *, 16> unvisited; // without the blocks of group loops
    for (BasicBlock &block : *f)
      unvisited.insert(&block);
    while (f->getInstructionCount() <= thresholds::maxLargeFunctionSize &&
           vectorizeOneLoop(*f, unvisited, functions)) {
      functions.invalidate(*f, PreservedAnalyses::none());
      changed = true;
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::host
