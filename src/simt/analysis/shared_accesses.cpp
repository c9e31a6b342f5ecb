#include "simt/analysis/shared_accesses.h"

#include "simt/analysis/sync_points.h"

#include "llvm/IR/CFG.h"

namespace heddle::simt {

using namespace llvm;

SmallVector<SharedAccess, 0> collectSharedAccesses(const Accesses &accesses) {
  SmallVector<SharedAccess, 0> all;
  for (const Access &access : accesses.all())
    if (access.isShared()) // volatile accesses use generic addresses
      all.push_back({access, accesses.forms(View::Estimate).of(access.address())});
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
