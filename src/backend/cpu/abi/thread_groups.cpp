#include "backend/cpu/abi/thread_groups.h"

#include "backend/cpu/abi/block_context.h"
#include "simt/thresholds.h"

#include <algorithm>
#include <bit>

namespace heddle::cpu {

namespace {

/// Maximum grid extent along y and z (CUDA C++ Programming Guide, technical specifications).
constexpr unsigned maxBlocksAlongYZ = 65535;

uint64_t threadsPerBlock(const LaunchExtents &launch) {
  return uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
}

/// Global x indices, including those of lanes without a thread, must not wrap around.
ThreadGroups makeRowGroups(const LaunchExtents &launch, unsigned width) {
  if (launch.gridThreadsX > INT32_MAX)
    return {};
  return {.width = width, .partial = launch.block[0] % width != 0};
}

ThreadGroups makeLinearGroups(const LaunchExtents &launch, unsigned width) {
  return {.width = width, .linear = true, .partial = threadsPerBlock(launch) % width != 0};
}

bool hasTooFewThreads(const LaunchExtents &launch, GroupRules rules) {
  return rules.lanes == 1 ||
         (!rules.always && threadsPerBlock(launch) < thresholds::minLanesPerGroup);
}

/// The launch as seen by a kernel with that thread order.
LaunchExtents reorderLaunchExtents(const LaunchExtents &launch, simt::ThreadOrder order) {
  if (order == simt::ThreadOrder::AlongX)
    return launch;
  LaunchExtents launched{.block = simt::launchExtents(launch.block, order)};
  launched.gridThreadsX = uint64_t(launched.block[0]) * maxBlocksAlongYZ;
  return launched;
}

} // namespace

unsigned ThreadGroups::groupingKindIndex() const {
  if (width == 1)
    return 0;
  unsigned size = unsigned(std::countr_zero(width)) - 2; // of 4, 8, 16, 32
  return 1 + (size << 2 | unsigned(linear) << 1 | unsigned(partial));
}

ThreadGroups chooseRowGroups(const LaunchExtents &launch, GroupRules rules) {
  if (hasTooFewThreads(launch, rules))
    return {};
  uint32_t row = launch.block[0];
  // Shorter rows leave most lanes without a thread, so that groups span rows.
  unsigned minThreads =
      rules.always ? rules.lanes : std::max(rules.lanes / 4 + 1, thresholds::minLanesPerGroup);
  if (row < minThreads && threadsPerBlock(launch) != row)
    return makeLinearGroups(launch, rules.lanes);
  bool half = !rules.always && rules.lanes > thresholds::minLanesPerGroup && row <= rules.lanes / 2;
  return makeRowGroups(launch, half ? rules.lanes / 2 : rules.lanes);
}

ThreadGroups chooseWideRowGroups(const LaunchExtents &launch, GroupRules rules) {
  ThreadGroups rows = chooseRowGroups(launch, rules);
  unsigned wide = 2 * rules.lanes;
  bool fits =
      !rules.always && rows.width == rules.lanes && !rows.linear && launch.block[0] % wide == 0;
  return fits ? makeRowGroups(launch, wide) : rows;
}

ThreadGroups chooseWarpGroups(const LaunchExtents &launch, GroupRules rules) {
  if (hasTooFewThreads(launch, rules))
    return {};
  uint32_t row = launch.block[0];
  bool rows = row % warpSize == 0 || threadsPerBlock(launch) == row;
  return rows ? makeRowGroups(launch, warpSize) : makeLinearGroups(launch, warpSize);
}

GroupChoices chooseGroupsOfEachKind(const LaunchExtents &launch, simt::ThreadOrder order,
                                    GroupRules rules) {
  LaunchExtents launched = reorderLaunchExtents(launch, order);
  return {chooseRowGroups(launched, rules), chooseWideRowGroups(launched, rules),
          chooseWarpGroups(launched, rules)};
}

} // namespace heddle::cpu
