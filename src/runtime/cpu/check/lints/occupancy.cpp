#include "runtime/cpu/check/lints/occupancy.h"

#include "backend/cpu/abi/block_context.h"
#include "runtime/cpu/check/lints/thresholds.h"

namespace heddle::cpu {

std::optional<LowOccupancy> findLowOccupancy(const LaunchShape &shape, uint64_t sharedBytes) {
  using namespace lints;
  uint64_t threads = shape.block.count(), lanes = (threads + warpSize - 1) / warpSize * warpSize;
  if (shape.grid.count() * threads < multiprocessors * threadsPerMultiprocessor)
    return std::nullopt;
  if (threads < minThreadsPerBlock)
    return LowOccupancy{OccupancyLimit::SmallBlocks, {threads}};
  if (double(lanes - threads) > maxEmptyLaneShare * double(lanes))
    return LowOccupancy{OccupancyLimit::PartialWarps, {threads, lanes}};
  uint64_t blocks = sharedBytesPerMultiprocessor / (sharedBytes + reservedSharedBytesPerBlock);
  if (blocks * threads < minResidentThreads)
    return LowOccupancy{OccupancyLimit::SharedMemory, {sharedBytes, blocks * threads}};
  return std::nullopt;
}

} // namespace heddle::cpu
