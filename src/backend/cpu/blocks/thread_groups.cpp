#include "backend/cpu/blocks/thread_groups.h"

#include "backend/cpu/blocks/block_context.h"

#include <algorithm>
#include <bit>

namespace heddle::cpu {

namespace {

/// Of a grid along y or z (CUDA C++ Programming Guide, technical specifications).
constexpr unsigned mostBlocksAlongYZ = 65535;
/// Shorter rows leave most of 16 lanes without a thread: groups go over several of them.
constexpr unsigned shortestRow = 5;
/// Fewer lanes are no group.
constexpr unsigned fewestLanes = 4;
/// Fewer threads than this are no faster together.
constexpr unsigned fewestThreads = 4;
/// That fill a register: more are a cache line.
constexpr unsigned mostLanesToDouble = 8;

uint64_t threadsOf(const LaunchExtents &launch) {
  return uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
}

/// What neighbours along x have for a number in the grid, also lanes that have no thread, must not wrap around.
ThreadGroups alongX(const LaunchExtents &launch, unsigned width) {
  if (launch.gridThreadsX > INT32_MAX)
    return {};
  return {.width = width, .partial = launch.block[0] % width != 0};
}

ThreadGroups inOrder(const LaunchExtents &launch, unsigned width) {
  return {.width = width, .linear = true, .partial = threadsOf(launch) % width != 0};
}

bool tooFew(const LaunchExtents &launch, GroupRules rules) {
  return rules.lanes == 1 || (!rules.always && threadsOf(launch) < fewestThreads);
}

/// The launch as a kernel with that order of threads sees it.
LaunchExtents launchedExtents(const LaunchExtents &launch, simt::ThreadOrder order) {
  if (order == simt::ThreadOrder::AlongX)
    return launch;
  LaunchExtents launched{.block = simt::launchExtents(launch.block, order)};
  launched.gridThreadsX = uint64_t(launched.block[0]) * mostBlocksAlongYZ;
  return launched;
}

} // namespace

unsigned ThreadGroups::index() const {
  if (width == 1)
    return 0;
  unsigned size = unsigned(std::countr_zero(width)) - 2; // of 4, 8, 16, 32
  return 1 + (size << 2 | unsigned(linear) << 1 | unsigned(partial));
}

ThreadGroups groupsByRows(const LaunchExtents &launch, GroupRules rules) {
  if (tooFew(launch, rules))
    return {};
  uint32_t row = launch.block[0];
  unsigned least =
      rules.always ? rules.lanes : std::min(shortestRow, std::max(rules.lanes / 2, fewestLanes));
  if (row < least && threadsOf(launch) != row)
    return inOrder(launch, rules.lanes);
  bool half = !rules.always && rules.lanes > fewestLanes && row <= rules.lanes / 2;
  return alongX(launch, half ? rules.lanes / 2 : rules.lanes);
}

ThreadGroups groupsByWideRows(const LaunchExtents &launch, GroupRules rules) {
  ThreadGroups rows = groupsByRows(launch, rules);
  unsigned wide = 2 * rules.lanes;
  bool fits = !rules.always && rules.lanes <= mostLanesToDouble && rows.width == rules.lanes &&
              !rows.linear && launch.block[0] % wide == 0;
  return fits ? alongX(launch, wide) : rows;
}

ThreadGroups groupsByWarps(const LaunchExtents &launch, GroupRules rules) {
  if (tooFew(launch, rules))
    return {};
  uint32_t row = launch.block[0];
  bool rows = row % warpSize == 0 || threadsOf(launch) == row;
  return rows ? alongX(launch, warpSize) : inOrder(launch, warpSize);
}

GroupChoices groupChoices(const LaunchExtents &launch, simt::ThreadOrder order, GroupRules rules) {
  LaunchExtents launched = launchedExtents(launch, order);
  return {groupsByRows(launched, rules), groupsByWideRows(launched, rules),
          groupsByWarps(launched, rules)};
}

} // namespace heddle::cpu
