#include "runtime/cpu/check/lints/idle_lanes.h"

#include "backend/cpu/abi/block_context.h"

#include <set>
#include <utility>

namespace heddle::cpu {

DivergenceStatistics countIdleLanes(LaunchSample &sample) {
  std::vector<LaunchSample::Execution> executions = sample.takeExecutions();
  DivergenceStatistics statistics;
  std::set<std::pair<uint32_t, uint32_t>> warps;
  for (const LaunchSample::Execution &e : executions)
    warps.insert({e.moment.block, e.thread / warpSize});
  statistics.warps = warps.size();
  for (size_t begin = 0, end; begin < executions.size(); begin = end) {
    uint64_t together = 1, threads = 1;
    for (end = begin + 1;
         end < executions.size() && executions[end].moment == executions[begin].moment; ++end) {
      uint16_t thread = executions[end].thread, last = executions[end - 1].thread;
      threads += thread != last;
      together += thread / warpSize != last / warpSize;
    }
    uint32_t site = executions[begin].site;
    const simt::SampledBlock &block = sample.sampledBlock(site);
    statistics.executed += together * block.cost;
    if (!block.branch)
      continue;
    IdleLanes &branch = statistics.branches[block.branch];
    branch.site = site;
    branch.executed += together * block.cost;
    branch.needed += (threads + warpSize - 1) / warpSize * block.cost;
    branch.byThreads += threads * block.cost;
  }
  return statistics;
}

} // namespace heddle::cpu
