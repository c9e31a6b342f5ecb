// Tracks which bytes of an allocation in device memory have been written.
#pragma once

#include "runtime/cpu/check/undefined_bytes.h"

#include <atomic>

namespace heddle::cpu {

/// Tracks which bytes of an allocation are defined, across launches. Stores a single state while all bytes have the
/// same one, else one bit per byte.
///
/// Checked launches and copies update it exactly. An unchecked launch may write anything, so all bytes of all
/// allocations count as defined after it. Not thread-safe.
class AllocationDefinedness {
public:
  /// isTracked: the bytes have not been written, and all writes of host code will be noticed. Otherwise, the bytes
  /// always count as defined.
  AllocationDefinedness(uint64_t start, uint64_t bytes, bool isTracked);

  bool isTracked() const { return isTracked_; }

  void markDefined(uint64_t address, uint64_t bytes);
  /// Makes the bytes undefined.
  void markUndefined(uint64_t address, uint64_t bytes);
  /// Appends the undefined ranges in [address, address + bytes), which is inside the allocation.
  void appendUndefined(uint64_t address, uint64_t bytes,
                       std::vector<UndefinedBytes::Range> &ranges);

private:
  enum class State { Defined, Undefined, Mixed };
  /// Makes all bytes defined if there was an unchecked launch since the last call.
  void resetAfterUncheckedLaunches();

  uint64_t start_, bytes_;
  bool isTracked_;
  State state_;
  uint64_t launches_; ///< unchecked launches before the last resetAfterUncheckedLaunches()
  UndefinedBytes undefined_;
};

/// The number of launches that were not checked.
inline std::atomic<uint64_t> uncheckedLaunches{0};

} // namespace heddle::cpu
