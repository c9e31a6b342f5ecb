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

/// Runs blocks whose threads may wait for memory that threads of other blocks write: a block that waits is left for the
/// next one. Several workers do that with one run; each takes the block that `next` counts, until there are none, and
/// stays until the blocks that it began have ended.
void runInTurns(KernelRun &run, std::atomic<uint64_t> &next) noexcept;

} // namespace heddle::cpu
