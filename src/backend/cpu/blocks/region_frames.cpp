#include "backend/cpu/blocks/region_frames.h"

#include "backend/cpu/abi/thread_context.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace heddle::cpu {

using namespace llvm;

RegionFrames::RegionFrames(Function &kernel, const Regions &regions) {
  const DataLayout &layout = kernel.getDataLayout();
  bool severalRegions = regions.all.size() > 1;
  for (Instruction &i : instructions(kernel))
    if (auto *a = dyn_cast<AllocaInst>(&i); a && severalRegions && !a->hasMetadata(scratchMetadata))
      offsets_[a] = reserve(a->getAllocationSize(layout)->getFixedValue(), a->getAlign());
  for (const Region &region : regions.all)
    for (Instruction *v : region.liveIn)
      if (!regions.isUniform(*v) && !offsets_.contains(v))
        offsets_[v] =
            reserve(layout.getTypeStoreSize(v->getType()), layout.getABITypeAlign(v->getType()));
  if (regions.mayReturnEarly)
    endedOffset_ = reserve(1, Align(1));
  bytes_ = alignTo(bytes_, alignment_);
}

uint64_t RegionFrames::reserve(uint64_t bytes, Align alignment) {
  uint64_t offset = alignTo(bytes_, alignment);
  bytes_ = offset + bytes;
  alignment_ = std::max(alignment_, alignment);
  return offset;
}

} // namespace heddle::cpu
