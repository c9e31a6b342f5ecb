// The bytes of an allocation in device memory to which nothing has been written.
#pragma once

#include "runtime/cpu/check/undefined_bytes.h"

#include <atomic>

namespace heddle::cpu {

/// The definedness of an allocation, across launches: two flags while all bytes are alike, else one bit per byte.
///
/// Checked launches and copies keep it exactly. A launch that is not checked may write anything, so it makes all
/// allocations defined. Not thread-safe.
class AllocationDefinedness {
public:
  /// isTracked: nobody has written the bytes, and host code will not do so unnoticed. Other memory stays defined.
  AllocationDefinedness(uint64_t start, uint64_t bytes, bool isTracked);

  void define(uint64_t address, uint64_t bytes);
  void forget(uint64_t address, uint64_t bytes);
  /// Appends the undefined ranges in [address, address + bytes), which is inside the allocation.
  void appendUndefined(uint64_t address, uint64_t bytes,
                       std::vector<UndefinedBytes::Range> &ranges);

private:
  enum class State { Defined, Undefined, Mixed };
  /// Becomes defined if there was an unchecked launch.
  void update();

  uint64_t start_, bytes_;
  bool isTracked_;
  State state_;
  uint64_t launches_; ///< unchecked launches so far
  UndefinedBytes undefined_;
};

/// The number of launches that were not checked.
inline std::atomic<uint64_t> uncheckedLaunches{0};

} // namespace heddle::cpu
