#include "backend/cpu/blocks/block_runs.h"

#include "backend/cpu/abi/plan.h"
#include "backend/cpu/abi/runtime_symbols.h"
#include "backend/cpu/abi/thread_context.h"
#include "simt/passes/order_threads.h"
#include "simt/thresholds.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// The context offset that a load reads; nullopt for other uses of the context.
std::optional<uint64_t> contextOffsetOfLoad(const User &user, const Value &context) {
  if (isa<LoadInst>(user))
    return 0;
  const auto *address = dyn_cast<GetElementPtrInst>(&user);
  APInt offset(64, 0);
  if (!address || address->getPointerOperand() != &context ||
      !address->accumulateConstantOffset(address->getDataLayout(), offset) ||
      !all_of(address->users(), [](const User *reader) { return isa<LoadInst>(reader); }))
    return std::nullopt;
  return offset.getZExtValue();
}

/// Returns true for a call that does not return, and for stores before one.
bool isPartOfTrap(const Instruction &i) {
  auto stops = [](const Instruction &other) {
    const auto *call = dyn_cast<CallBase>(&other);
    return call &&
           (call->doesNotReturn() || isTrapOrCheckFunction(call->getCalledOperand()->getName()));
  };
  return stops(i) || (isa<StoreInst>(i) && any_of(*i.getParent(), stops));
}

/// Returns true if a use of the context only serves traps.
bool isUsedOnlyByTraps(const User &user) {
  auto isOf = [](const User *u) { return isPartOfTrap(*cast<Instruction>(u)); };
  return isOf(&user) || (isa<GetElementPtrInst>(user) && all_of(user.users(), isOf));
}

/// Returns true if the kernel uses nothing of the context except thread and block indices.
bool usesOnlyIndicesOfContext(const Function &kernel) {
  const Argument &context = *kernel.getArg(ContextArgument);
  return all_of(context.users(), [&](const User *user) {
    if (isUsedOnlyByTraps(*user))
      return true;
    std::optional<uint64_t> offset = contextOffsetOfLoad(*user, context);
    return offset && *offset < offsetof(BlockContext, barrierSite);
  });
}

/// Returns true if the instruction accesses memory that blocks may share only by plain loads and stores.
bool allowsInterleaving(const Instruction &i) {
  if (const auto *call = dyn_cast<CallBase>(&i))
    return isa<IntrinsicInst>(i) || call->doesNotAccessMemory() || isPartOfTrap(i);
  if (const auto *load = dyn_cast<LoadInst>(&i))
    return load->isUnordered();
  if (const auto *store = dyn_cast<StoreInst>(&i))
    return store->isUnordered();
  return !i.isAtomic() && !i.isVolatile();
}

bool hasLongLoop(Function &kernel) {
  DominatorTree dominators(kernel);
  LoopInfo loops(dominators);
  if (loops.empty())
    return false;
  TargetLibraryInfoImpl libraries(kernel.getParent()->getTargetTriple());
  TargetLibraryInfo library(libraries);
  AssumptionCache assumptions(kernel);
  ScalarEvolution evolution(kernel, library, assumptions, dominators, loops);
  return any_of(loops.getLoopsInPreorder(), [&](const Loop *loop) {
    unsigned tripCount = evolution.getSmallConstantMaxTripCount(loop);
    return !tripCount || tripCount > thresholds::maxShortTripCount;
  });
}

} // namespace

BlockRuns chooseBlockInterleaving(Function &kernel) {
  bool can =
      !planOf(kernel).accessesColumns && usesOnlyIndicesOfContext(kernel) &&
      all_of(instructions(kernel), [](const Instruction &i) { return allowsInterleaving(i); }) &&
      !hasLongLoop(kernel);
  simt::ThreadOrder order = simt::threadOrderOf(kernel);
  if (!can || order == simt::ThreadOrder::AlongZ)
    return BlockRuns::No;
  return order == simt::ThreadOrder::AlongY ? BlockRuns::AlongY : BlockRuns::AlongX;
}

unsigned gridAxisOf(BlockRuns runs) { return runs == BlockRuns::AlongY ? 1 : 0; }

bool readsBlockIndex(const Instruction &i, const Value &context, unsigned axis) {
  const auto *load = dyn_cast<LoadInst>(&i);
  if (!load)
    return false;
  APInt offset(64, 0);
  const Value *from = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      load->getDataLayout(), offset, /*AllowNonInbounds=*/true);
  return from == &context && offset == offsetof(BlockContext, block) + 4 * axis;
}

} // namespace heddle::cpu
