// Launches whose blocks wait for each other.
#pragma once

#include "runtime/cpu/blocks/kernel_run.h"

namespace heddle::cpu {

/// Blocks that a cooperative launch may have. Each holds its shared memory and its threads' frames from the beginning
/// to the end.
inline constexpr uint64_t maxCooperativeBlocks = 1024;

/// Runs all blocks on the calling thread, one after the other, from one barrier of the grid to the next: no block waits
/// for one that has not begun, however few processors there are.
void runTogether(KernelRun &run) noexcept;

} // namespace heddle::cpu
