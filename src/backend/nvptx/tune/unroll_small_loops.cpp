#include "backend/nvptx/tune/unroll_small_loops.h"

#include "backend/nvptx/tune/limit_unrolling.h"
#include "backend/nvptx/tune/unroll_remainders.h"
#include "simt/ir/ops.h"
#include "simt/thresholds.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr const char *countHint = "llvm.loop.unroll.count";
/// Keeps LLVM from unrolling a loop if that takes a computation of the trip count; ptxas may still unroll the loop.
constexpr const char *rolledHint = "llvm.loop.unroll.runtime.disable";
/// For loops with at most so many iterations, LLVM emits a branch after each copy instead of computing the trip count.
constexpr unsigned maxCopiesWithBranches = 8;
/// Copies of a large loop: the loads of one overlap with the arithmetic of the other.
constexpr unsigned copiesOfLargeLoop = 2;
/// Marks the freezes of HideInductionVariables.
constexpr const char *hiddenMark = "heddle.hidden";

/// Returns true for instructions that the copies of an iteration share, or that fold into others: addresses,
/// conversions, counters and the end of the loop.
bool isSharedByCopies(const Instruction &i) {
  if (isa<PHINode, GetElementPtrInst, CastInst>(i) || i.isTerminator())
    return true;
  if (isa<CmpInst>(i))
    return all_of(i.users(), [](const User *user) { return isa<BranchInst>(user); });
  return i.getOpcode() == Instruction::Add && any_of(i.users(), [&](const User *user) {
           return isa<PHINode>(user) && is_contained(i.operands(), user);
         });
}

/// The number of instructions in an iteration without shared ones; nullopt if the loop must not be unrolled.
std::optional<unsigned> countInstructionsIfUnrollable(const Loop &loop) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &i : *block) {
      if (const auto *call = dyn_cast<CallBase>(&i)) {
        if (call->isConvergent() || !isa<IntrinsicInst>(call))
          return std::nullopt;
        if (call->isDebugOrPseudoInst())
          continue;
      }
      if (!isSharedByCopies(i))
        ++size;
    }
  return size;
}

/// Returns true if the loop has a load. If `slow`, only loads with a long latency count, not those of shared memory.
bool hasLoadInLoop(const Loop &loop, bool slow) {
  return any_of(loop.blocks(), [&](const BasicBlock *block) {
    return any_of(*block, [&](const Instruction &i) {
      const auto *load = dyn_cast<LoadInst>(&i);
      return load && (!slow || load->getPointerAddressSpace() != simt::Shared);
    });
  });
}

/// Returns true if the loads of several iterations cannot overlap, because branches separate them. ptxas replaces an
/// if-else by predicates, but not a chain of them or a switch.
bool hasBranchesBetweenIterations(const Loop &loop) {
  constexpr unsigned blocksOfIfElse = 4;
  return loop.getNumBlocks() > blocksOfIfElse;
}

bool isSlowAccess(const Value *pointer) {
  return pointer->getType()->getPointerAddressSpace() != simt::Shared &&
         !isa<AllocaInst>(getUnderlyingObject(pointer));
}

/// Returns true if a slow load may read what an earlier iteration stores. ptxas keeps the order of both, so that the
/// loads of several iterations do not overlap. It knows that accesses of one array at different offsets are
/// independent.
bool hasLoadsThatWaitForStores(const Loop &loop) {
  SmallVector<const LoadInst *> loads;
  SmallVector<const StoreInst *> stores;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &i : *block) {
      const auto *load = dyn_cast<LoadInst>(&i);
      const auto *store = dyn_cast<StoreInst>(&i);
      if (load && isSlowAccess(load->getPointerOperand()) &&
          !load->hasMetadata(LLVMContext::MD_invariant_load))
        loads.push_back(load);
      else if (store && isSlowAccess(store->getPointerOperand()))
        stores.push_back(store);
    }
  return any_of(loads, [&](const LoadInst *load) {
    return any_of(stores, [&](const StoreInst *store) {
      return getUnderlyingObject(load->getPointerOperand()) !=
             getUnderlyingObject(store->getPointerOperand());
    });
  });
}

/// Returns true if computing the trip count takes a division, as in a loop whose step is not a constant.
bool tripCountTakesDivision(const SCEV *count) {
  return SCEVExprContains(count, [](const SCEV *part) {
    const auto *quotient = dyn_cast<SCEVUDivExpr>(part);
    return quotient && !isa<SCEVConstant>(quotient->getRHS());
  });
}

/// Returns true if the loop has an even, constant trip count, loads, and more instructions than LLVM copies.
bool isLargeLoopOfEvenCount(const Loop &loop, ScalarEvolution &se) {
  unsigned iterations = se.getSmallConstantTripCount(&loop);
  if (iterations <= copiesOfLargeLoop || iterations % copiesOfLargeLoop || loop.getNumBlocks() != 1)
    return false;
  std::optional<unsigned> size = countInstructionsIfUnrollable(loop);
  return size && *size * copiesOfLargeLoop > thresholds::maxUnrolledLoopSize &&
         *size <= thresholds::maxUnrolledSize && hasLoadInLoop(loop, /*slow=*/false);
}

/// The unroll factor of a loop: 1 to keep it rolled, nullopt if LLVM chooses.
std::optional<unsigned> chooseUnrollCount(const Loop &loop, ScalarEvolution &se) {
  if (!loop.isInnermost() || !loop.getLoopLatch() || !loop.getExitingBlock() || hasUnrollHint(loop))
    return std::nullopt;
  if (se.getSmallConstantTripCount(&loop))
    return isLargeLoopOfEvenCount(loop, se) ? std::optional(copiesOfLargeLoop) : std::nullopt;
  std::optional<unsigned> size = countInstructionsIfUnrollable(loop);
  const SCEV *count = se.getBackedgeTakenCount(&loop);
  if (!size || isa<SCEVCouldNotCompute>(count))
    return std::nullopt;
  unsigned iterations = se.getSmallConstantMaxTripCount(&loop);
  if (tripCountTakesDivision(count) && !hasLoadInLoop(loop, /*slow=*/true))
    return iterations && iterations <= maxCopiesWithBranches ? std::optional(1) : std::nullopt;
  bool waits = hasLoadsThatWaitForStores(loop);
  unsigned copies =
      hasLoadInLoop(loop, /*slow=*/false) && !hasBranchesBetweenIterations(loop) && !waits
          ? thresholds::maxUnrollCount
          : thresholds::minUnrollCount;
  unsigned limit = thresholds::maxUnrolledLoopSize;
  if (*size * thresholds::minUnrollCount > limit && hasLoadInLoop(loop, /*slow=*/true) && !waits)
    limit *= 2; // few copies of a large loop: their loads overlap
  // For as many copies as iterations or more, LLVM would emit a branch after each copy.
  while (copies * *size > limit || (iterations && copies >= iterations))
    copies /= 2;
  return copies < thresholds::minUnrollCount ? std::nullopt : std::optional(copies);
}

Metadata *makeUnrollCountHint(LLVMContext &c, unsigned copies) {
  Metadata *count = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), copies));
  return MDNode::get(c, {MDString::get(c, countHint), count});
}

MDNode *makeMetadata(LLVMContext &c, const char *name, ArrayRef<Metadata *> operands = {}) {
  SmallVector<Metadata *, 4> all{MDString::get(c, name)};
  append_range(all, operands);
  return MDNode::get(c, all);
}

void addUnrollHints(Loop &loop, ArrayRef<Metadata *> hints) {
  LLVMContext &c = loop.getHeader()->getContext();
  SmallVector<Metadata *, 4> operands{nullptr}; // the node itself
  if (MDNode *old = loop.getLoopID())
    append_range(operands, drop_begin(old->operands()));
  append_range(operands, hints);
  MDNode *id = MDNode::getDistinct(c, operands);
  id->replaceOperandWith(0, id);
  loop.setLoopID(id);
}

void setUnrollCount(Loop &loop, unsigned copies) {
  if (copies == 1)
    return addUnrollHints(loop, makeMetadata(loop.getHeader()->getContext(), rolledHint));
  LLVMContext &c = loop.getHeader()->getContext();
  SmallVector<Metadata *, 2> hints{makeUnrollCountHint(c, copies)};
  if (copies > thresholds::minUnrollCount)
    hints.push_back(
        makeMetadata(c, "llvm.loop.unroll.followup_remainder",
                     {makeRemainderMark(c, copies), makeMetadata(c, "llvm.loop.unroll.disable")}));
  addUnrollHints(loop, hints);
}

/// True if the loop only computes and is short when it is unrolled.
bool isShortLoopWithoutMemoryAccess(const Loop &loop, ScalarEvolution &se) {
  unsigned iterations = se.getSmallConstantTripCount(&loop);
  if (!iterations || loop.getNumBlocks() != 1 || hasUnrollHint(loop))
    return false;
  std::optional<unsigned> size = countInstructionsIfUnrollable(loop);
  return size && iterations * *size <= thresholds::maxUnrolledSize &&
         none_of(*loop.getHeader(), [](const Instruction &i) { return i.mayReadOrWriteMemory(); });
}

/// Hides a header phi from its users except those of the loop's control: the next value and conditions. Returns false
/// if there are no others.
bool hideFromUsers(PHINode &phi, const Loop &loop) {
  const Value *next = phi.getIncomingValueForBlock(loop.getLoopLatch());
  auto isHidden = [&](const Use &use) {
    const auto *user = cast<Instruction>(use.getUser());
    return user != next && !isa<PHINode, CmpInst>(user) && loop.contains(user);
  };
  if (none_of(phi.uses(), isHidden))
    return false;
  auto *hidden = new FreezeInst(&phi, "hidden", loop.getHeader()->getFirstNonPHIIt());
  hidden->setMetadata(hiddenMark, MDNode::get(phi.getContext(), {}));
  phi.replaceUsesWithIf(hidden, [&](Use &use) { return use.getUser() != hidden && isHidden(use); });
  return true;
}

} // namespace

PreservedAnalyses UnrollSmallLoops::run(Function &f, FunctionAnalysisManager &am) {
  auto &se = am.getResult<ScalarEvolutionAnalysis>(f);
  SmallVector<std::pair<Loop *, unsigned>> chosen;
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    if (std::optional<unsigned> copies = chooseUnrollCount(*loop, se))
      chosen.push_back({loop, *copies});
  for (auto [loop, copies] : chosen) {
    bool mayShare = copies == thresholds::maxUnrollCount || copies == copiesOfLargeLoop;
    bool shares = mayShare &&
                  count_if(chosen, [copies](auto &choice) { return choice.second == copies; }) > 1;
    setUnrollCount(*loop, shares ? copies / 2 : copies);
  }
  return PreservedAnalyses::all();
}

PreservedAnalyses UnrollComputations::run(Function &f, FunctionAnalysisManager &am) {
  auto &se = am.getResult<ScalarEvolutionAnalysis>(f);
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder())
    if (isShortLoopWithoutMemoryAccess(*loop, se))
      addUnrollHints(*loop, makeMetadata(f.getContext(), "llvm.loop.unroll.full"));
  return PreservedAnalyses::all();
}

PreservedAnalyses HideInductionVariables::run(Function &f, FunctionAnalysisManager &am) {
  auto &se = am.getResult<ScalarEvolutionAnalysis>(f);
  bool changed = false;
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder()) {
    if (!loop->isInnermost() || !findOptionMDForLoop(loop, countHint) || !loop->getLoopLatch())
      continue;
    for (PHINode &phi : loop->getHeader()->phis())
      if (se.isSCEVable(phi.getType()) && isa<SCEVAddRecExpr>(se.getSCEV(&phi)))
        changed |= hideFromUsers(phi, *loop);
  }
  return changed ? PreservedAnalyses::allInSet<CFGAnalyses>() : PreservedAnalyses::all();
}

PreservedAnalyses ShowInductionVariables::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f)))
    if (isa<FreezeInst>(i) && i.hasMetadata(hiddenMark)) {
      i.replaceAllUsesWith(i.getOperand(0));
      i.eraseFromParent();
      changed = true;
    }
  return changed ? PreservedAnalyses::allInSet<CFGAnalyses>() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
