// Counts lanes that are idle because the threads of a warp take different branches.
#pragma once

#include "runtime/cpu/check/lints/launch_sample.h"

#include <map>

namespace heddle::cpu {

/// Counts of the instructions in a divergent branch or loop, without those in divergent branches and loops inside it.
struct IdleLanes {
  uint32_t site = 0;      ///< of a basic block in it
  uint64_t executed = 0;  ///< by warps
  uint64_t needed = 0;    ///< executed by warps, if the block's active threads were neighbors
  uint64_t byThreads = 0; ///< executed by threads
};

struct DivergenceStatistics {
  uint64_t warps = 0;                     ///< warps in the sample
  uint64_t executed = 0;                  ///< instructions of the kernel, by warps
  std::map<uint32_t, IdleLanes> branches; ///< by SampledBlock::branch
};

DivergenceStatistics countIdleLanes(LaunchSample &sample);

} // namespace heddle::cpu
