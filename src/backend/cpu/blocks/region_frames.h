#pragma once

#include "backend/cpu/blocks/regions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Alignment.h"

namespace heddle::cpu {

/// The layout of a frame: the values and local arrays that each group of threads keeps across regions.
class RegionFrames {
public:
  RegionFrames(llvm::Function &kernel, const Regions &regions);

  bool has(const llvm::Instruction &v) const { return offsets_.contains(&v); }
  /// In bytes from the start of the frame.
  uint64_t offsetOf(const llvm::Instruction &v) const { return offsets_.lookup(&v); }
  /// Offset of the byte that is nonzero once the thread has returned.
  uint64_t endedOffset() const { return endedOffset_; }
  /// Size of a frame; 0 if there are no frames.
  uint64_t bytes() const { return bytes_; }
  llvm::Align alignment() const { return alignment_; }

private:
  uint64_t reserve(uint64_t bytes, llvm::Align alignment);

  llvm::DenseMap<const llvm::Instruction *, uint64_t> offsets_;
  uint64_t bytes_ = 0;
  uint64_t endedOffset_ = 0;
  llvm::Align alignment_{8};
};

} // namespace heddle::cpu
