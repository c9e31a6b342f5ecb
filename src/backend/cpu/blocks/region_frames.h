#pragma once

#include "backend/cpu/blocks/regions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Alignment.h"

namespace heddle::cpu {

/// What each group of threads keeps from region to region, and where in its frame.
class RegionFrames {
public:
  RegionFrames(llvm::Function &kernel, const Regions &regions);

  bool has(const llvm::Instruction &v) const { return places_.contains(&v); }
  /// In bytes behind the frame's begin.
  uint64_t placeOf(const llvm::Instruction &v) const { return places_.lookup(&v); }
  /// Of the byte that says whether the thread has returned.
  uint64_t endedPlace() const { return endedPlace_; }
  /// Of one frame; 0: there are none.
  uint64_t bytes() const { return bytes_; }
  llvm::Align alignment() const { return alignment_; }

private:
  uint64_t reserve(uint64_t bytes, llvm::Align alignment);

  llvm::DenseMap<const llvm::Instruction *, uint64_t> places_;
  uint64_t bytes_ = 0;
  uint64_t endedPlace_ = 0;
  llvm::Align alignment_{8};
};

} // namespace heddle::cpu
