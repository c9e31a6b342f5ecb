// Compares the addresses of a warp's lanes in shared memory.
#pragma once

#include "simt/analysis/thread_strides.h"

#include "llvm/Analysis/ScalarEvolution.h"

namespace heddle::simt {

/// Writes addresses as sums of terms, so that two of one object can be subtracted. It assumes that an index is small and not
/// negative: the extension of a sum is the sum of extensions, and `i < 0 ? i + n : i` is `i`. Good for decisions about order
/// within a warp; no proof.
class WarpAddresses {
public:
  WarpAddresses(const llvm::Function &f, llvm::ScalarEvolution &evolution)
      : evolution_(evolution), strides_(f, ThreadStrides::Neighbours::OfWarp) {}

  const llvm::SCEV *of(llvm::Value &pointer) const;
  /// Returns by how much a value grows from a lane to the next one along x; nothing where that is no constant.
  std::optional<int64_t> strideOf(const llvm::Value &v) const { return strides_.of(v)[0]; }
  std::optional<int64_t> strideOf(const llvm::SCEV &address) const;
  /// Returns the distance from the first address to the second; null where it is unknown.
  const llvm::SCEV *distance(const llvm::SCEV &first, const llvm::SCEV &second) const;
  /// Returns whether lanes that differ along x alone have the same value.
  bool isSameAlongX(const llvm::SCEV &value) const;

private:
  llvm::ScalarEvolution &evolution_;
  ThreadStrides strides_;
};

} // namespace heddle::simt
