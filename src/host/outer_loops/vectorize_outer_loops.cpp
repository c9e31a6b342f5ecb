#include "host/outer_loops/vectorize_outer_loops.h"

#include "host/outer_loops/group_loops.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace heddle::host {

using namespace llvm;

namespace {

constexpr unsigned mostInstructions = 400; // of a loop: each group has a copy of them
constexpr unsigned mostLanes = 32;
/// Of a function: more take long to compile.
constexpr unsigned mostLoops = 6;

/// What a loop that is in another one says of whether lanes gain.
struct InnerLoop {
  unsigned carriedFloats = 0; ///< that each round has from the round before
  bool endsAnyTime = false;   ///< nobody knows how many rounds there are
  unsigned work = 0;          ///< operations, weighted by how long they take
  unsigned fetches = 0;       ///< of lanes that are not neighbours
};

unsigned workOf(const Instruction &i) {
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&i))
    return intrinsic->getIntrinsicID() == Intrinsic::sqrt ? 4 : 1;
  if (isa<CallInst>(i))
    return 8;
  bool divides = i.getOpcode() == Instruction::FDiv;
  bool computes = isa<BinaryOperator, UnaryOperator>(i) && i.getType()->isFloatingPointTy();
  return divides ? 4 : computes ? 1 : 0;
}

bool isNeighbourly(const SCEV *address, Type &type, const DataLayout &layout, const Loop &loop,
                   ScalarEvolution &evolution) {
  const auto *step = dyn_cast_or_null<SCEVConstant>(stepOver(address, loop, evolution));
  return step &&
         (step->isZero() || step->getAPInt() == layout.getTypeStoreSize(&type).getFixedValue());
}

/// Whether the last branch of a loop tells how many rounds there are, but for those that raise.
bool isCounted(Loop &loop, ScalarEvolution &evolution) {
  BasicBlock *latch = loop.getLoopLatch();
  return latch && loop.isLoopExiting(latch) &&
         !isa<SCEVCouldNotCompute>(evolution.getExitCount(&loop, latch));
}

InnerLoop describe(Loop &inner, Loop &outer, ScalarEvolution &evolution) {
  InnerLoop found;
  for (PHINode &phi : inner.getHeader()->phis())
    found.carriedFloats += phi.getType()->isFloatingPointTy();
  found.endsAnyTime = !isCounted(inner, evolution);
  const DataLayout &layout = inner.getHeader()->getDataLayout();
  for (BasicBlock *block : inner.blocks())
    for (Instruction &i : *block) {
      found.work += workOf(i);
      if (Value *pointer = getLoadStorePointerOperand(&i))
        found.fetches += !isNeighbourly(evolution.getSCEV(pointer), *getLoadStoreType(&i), layout,
                                        outer, evolution);
    }
  return found;
}

/// A loop that LLVM does not make vectors of because its rounds may raise, and which computes more than it fetches.
unsigned registersForPlainLoop(const RoundsLoop &rounds, ScalarEvolution &evolution) {
  Loop &loop = *rounds.loop;
  InnerLoop found = describe(loop, loop, evolution);
  if (rounds.raising.empty() || 2 * found.fetches > found.work)
    return 0;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &i : *block)
      if (isa<CallInst>(i) && !isa<IntrinsicInst>(i))
        return 1;
  return 2;
}

unsigned widestNumber(const Loop &loop) {
  unsigned bits = 8;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &i : *block)
      if (i.getType()->isFloatingPointTy() || isa<LoadInst>(i))
        bits = std::max(bits, unsigned(i.getType()->getScalarSizeInBits()));
  return bits;
}

/// How many registers' worth of rounds run together; 0 where nothing is gained.
unsigned registersFor(const RoundsLoop &rounds, ScalarEvolution &evolution) {
  Loop &loop = *rounds.loop;
  if (loop.isInnermost())
    return registersForPlainLoop(rounds, evolution);
  unsigned carried = 0;
  bool apart = false;
  for (Loop *inner : loop.getSubLoops()) {
    if (!inner->isInnermost())
      return 0;
    InnerLoop one = describe(*inner, loop, evolution);
    if (2 * one.fetches > one.work)
      return 0;
    apart |= one.endsAnyTime;
    carried = std::max(carried, one.carriedFloats);
  }
  // One chain of sums waits for itself; several hide that from each other.
  return carried == 0 ? 0 : carried == 1 && !apart ? 4 : 2;
}

/// How many rounds fill a register.
unsigned lanesOf(Loop &loop, const TargetTransformInfo &target) {
  auto bits = target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  return unsigned(bits) / widestNumber(loop);
}

bool isLarge(const Loop &loop) {
  unsigned instructions = 0;
  for (BasicBlock *block : loop.blocks())
    instructions += unsigned(block->size());
  return instructions > mostInstructions;
}

/// Whether a loop of the function has been given groups.
bool vectorizeOne(Function &f, SmallPtrSetImpl<BasicBlock *> &seen, FunctionAnalysisManager &am) {
  auto &loops = am.getResult<LoopAnalysis>(f);
  auto &evolution = am.getResult<ScalarEvolutionAnalysis>(f);
  auto &target = am.getResult<TargetIRAnalysis>(f);
  SmallVector<Loop *> all(loops.getLoopsInPreorder());
  for (Loop *loop : reverse(all)) {
    if (!seen.insert(loop->getHeader()).second)
      continue;
    if (isLarge(*loop) || !isCounted(*loop, evolution))
      continue;
    std::optional<RoundsLoop> rounds =
        roundsLoop(*loop, evolution, loops, am.getResult<DominatorTreeAnalysis>(f));
    unsigned registers = rounds ? registersFor(*rounds, evolution) : 0;
    unsigned lanesOfOne = registers ? lanesOf(*loop, target) : 0;
    if (lanesOfOne < 4)
      continue;
    unsigned width = std::min(mostLanes, registers * lanesOfOne);
    std::optional<Independence> independence =
        independenceOf(*loop, evolution, am.getResult<AAManager>(f));
    if (!independence || (independence->readsWhatItWrites && !rounds->raising.empty()))
      continue;
    SmallVector<RoundGroups, 2> groups;
    for (unsigned lanes = width; lanes >= lanesOfOne; lanes /= 4)
      if (std::optional<LaneFunction> made = laneFunction(*rounds, lanes, am))
        groups.push_back({lanes, *made});
    if (groups.empty())
      continue;
    addGroupLoops(*rounds, *independence, groups, evolution);
    for (RoundGroups &one : groups)
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
    SmallPtrSet<BasicBlock *, 16> seen, written;
    for (BasicBlock &block : *f)
      written.insert(&block);
    for (unsigned n = 0; n < mostLoops && vectorizeOne(*f, seen, functions); ++n) {
      functions.invalidate(*f, PreservedAnalyses::none());
      changed = true;
      for (BasicBlock &block : *f)
        if (!written.contains(&block))
          seen.insert(&block); // the groups have what they need
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::host
