// Runs launches whose blocks wait for each other.
#pragma once

#include "runtime/cpu/blocks/kernel_run.h"

namespace heddle::cpu {

/// The largest grid of a cooperative launch. Every block keeps its shared memory and its threads' frames until the
/// launch ends.
inline constexpr uint64_t maxCooperativeBlocks = 1024;

/// Runs all blocks on the calling thread, one after the other, from one grid barrier to the next. All blocks start, so
/// none waits for a block that has not begun, even on a single processor.
void runCooperative(KernelRun &run) noexcept;

/// Runs blocks whose threads may spin on memory that other blocks write: a waiting block is suspended and the next one
/// runs. Several workers may share one run. Each worker takes block indices from `next` until none are left, and
/// returns when the blocks that it started have ended.
void runInterleaved(KernelRun &run, std::atomic<uint64_t> &next) noexcept;

} // namespace heddle::cpu
