// Counts the requests that the accesses of warps send to memory.
#pragma once

#include "runtime/cpu/check/lints/launch_sample.h"

#include <span>
#include <vector>

namespace heddle::cpu {

/// Statistics of a site's requests. A request is an access that lanes of a warp execute together.
struct RequestStatistics {
  uint32_t site = 0;
  simt::AccessKind kind = simt::AccessKind::Read;
  bool isShared = false;
  uint64_t base = 0; ///< of the array
  uint64_t requests = 0;
  uint64_t units =
      0; ///< sectors of 32 bytes in global memory, passes through banks in shared memory
  uint64_t needed = 0; ///< units that would suffice for these bytes

  void add(const RequestStatistics &other);
};

/// Counts the requests by site and kind.
std::vector<RequestStatistics> countRequests(std::span<const LaunchSample::SampledAccess> accesses);

} // namespace heddle::cpu
