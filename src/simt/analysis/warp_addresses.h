// Compares the shared memory addresses of a warp's lanes.
#pragma once

#include "simt/analysis/thread_strides.h"

#include "llvm/Analysis/ScalarEvolution.h"

namespace heddle::simt {

/// Writes addresses as sums of terms, so that addresses of one object can be subtracted. Assumes small nonnegative
/// indices: extension distributes over sums, and `i < 0 ? i + n : i` equals `i`. Suitable for ordering decisions within
/// a warp, not for proofs.
class WarpAddresses {
public:
  /// alongX: the function's strides.
  WarpAddresses(const ThreadStrides &alongX, llvm::ScalarEvolution &evolution)
      : alongX_(alongX), evolution_(evolution) {}

  const llvm::SCEV *of(llvm::Value &pointer) const;
  /// The difference of a value between consecutive lanes along x; nullopt if not constant.
  std::optional<int64_t> strideOf(const llvm::Value &v) const { return alongX_.of(v); }
  /// Returns `second - first`; null if unknown.
  const llvm::SCEV *distance(const llvm::SCEV &first, const llvm::SCEV &second) const;
  /// Returns true if lanes that differ only along x have the same value.
  bool isUniformAlongX(const llvm::SCEV &value) const;

private:
  const ThreadStrides &alongX_;
  llvm::ScalarEvolution &evolution_;
};

} // namespace heddle::simt
