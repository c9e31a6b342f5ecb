#include "simt/analysis/shared_accesses.h"

#include "simt/analysis/sync_points.h"
#include "simt/ir/ops.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// The variable that a shared memory access refers to; null for other instructions.
const Value *sharedObject(const Instruction &i) {
  const Value *pointer = getLoadStorePointerOperand(&i);
  // Volatile accesses use generic addresses.
  const Value *object = pointer ? getUnderlyingObject(pointer) : nullptr;
  bool isShared = object && (object->getType()->getPointerAddressSpace() == Shared ||
                             calledOp(object) == Op::DynamicShared);
  return isShared ? object : nullptr;
}

} // namespace

bool accessesShared(const Instruction &i) { return sharedObject(i); }

SmallVector<SharedAccess, 0> sharedAccesses(Function &f, const WarpAddresses &addresses) {
  SmallVector<SharedAccess, 0> all;
  for (Instruction &i : instructions(f))
    if (const Value *object = sharedObject(i)) {
      Value *pointer = getLoadStorePointerOperand(&i)->stripPointerCasts();
      const SCEV *address = addresses.of(*pointer);
      all.push_back({&i, object, address, addresses.strideOf(*pointer)});
    }
  return all;
}

ReachableWithoutBarrier::ReachableWithoutBarrier(const Instruction &i,
                                                 ArrayRef<Instruction *> stops) {
  SmallVector<const BasicBlock *, 8> worklist;
  auto walk = [&](BasicBlock::const_iterator from, const BasicBlock &block) {
    for (const Instruction &next : make_range(from, block.end())) {
      reachesBarrier |= isSyncPoint(next);
      if (isSyncPoint(next) || is_contained(stops, &next))
        return;
      if (getLoadStorePointerOperand(&next))
        accesses.insert(&next);
    }
    append_range(worklist, successors(&block));
  };
  walk(std::next(i.getIterator()), *i.getParent());
  while (!worklist.empty()) {
    const BasicBlock *block = worklist.pop_back_val();
    if (blocks.insert(block).second)
      walk(block->begin(), *block);
  }
}

} // namespace heddle::simt
