// The lanes that are idle because the threads of a warp take different branches.
#pragma once

#include "runtime/cpu/check/lints/launch_sample.h"

#include <map>

namespace heddle::cpu {

/// The instructions inside of a divergent branch or loop, without those inside of inner ones.
struct IdleLanes {
  uint32_t site = 0;     ///< of a basic block in it
  uint64_t executed = 0; ///< by warps
  uint64_t needed = 0;   ///< if the block's active threads were neighbors
  uint64_t byThreads = 0;
};

struct DivergenceStatistics {
  uint64_t warps = 0;                     ///< sampled
  uint64_t executed = 0;                  ///< instructions of the kernel, by warps
  std::map<uint32_t, IdleLanes> branches; ///< by SampledBlock::branch
};

DivergenceStatistics countIdleLanes(LaunchSample &sample);

} // namespace heddle::cpu
