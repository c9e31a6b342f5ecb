// Finds launches that cannot fill a GPU.
#pragma once

#include "runtime/device.h"

#include <optional>
#include <vector>

namespace heddle::cpu {

/// The reason why a launch leaves multiprocessors partly empty.
enum class OccupancyLimit {
  SmallBlocks,  ///< numbers: the block's threads
  PartialWarps, ///< numbers: the block's threads, and those of its warps
  SharedMemory  ///< numbers: bytes of shared memory per block, and the threads of a multiprocessor
};

struct LowOccupancy {
  OccupancyLimit limit;
  std::vector<uint64_t> numbers;
};

/// Returns nullopt for launches too small to fill a GPU. sharedBytes: static and dynamic shared memory of a block.
std::optional<LowOccupancy> findLowOccupancy(const LaunchShape &shape, uint64_t sharedBytes);

} // namespace heddle::cpu
