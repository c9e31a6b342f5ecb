// The thresholds of lints: docs/check.md lists them.
#pragma once

#include <cstdint>

namespace heddle::cpu::lints {

// Uncoalesced accesses. Accesses to fields of two-element structures, to rows that do not start at a sector boundary,
// and by only a few lanes stay below these thresholds.
inline constexpr double minSectorsPerRequest = 12; ///< on average
inline constexpr double minSectorRatio = 3; ///< of the sectors touched to those that would suffice
/// The sectors that a site wastes, as a share of the sectors of all sites. A smaller share hardly affects the kernel's
/// time.
inline constexpr double minSectorShare = 0.1;

/// Actual passes through the banks, relative to the number that would suffice. A stride of two elements stays below
/// this threshold.
inline constexpr double minBankRatio = 3;
/// The passes that a site wastes, as a share of the passes and requests of all sites.
inline constexpr double minBankShare = 0.1;

/// Warps that execute a block of code, relative to the number that would suffice for its threads: at most half of the
/// lanes are active.
inline constexpr double minWarpRatio = 2;
/// The instructions that idle lanes waste, as a share of all instructions of the kernel.
inline constexpr double minIdleShare = 0.25;
/// Instructions per warp that idle lanes waste. Short branches, such as one lane's store of the warp's result, waste
/// less.
inline constexpr double minIdleInstructions = 32;

// A multiprocessor and a GPU of compute capability 9.0 (CUDA C++ Programming Guide, table of technical specifications;
// H100 has 132 multiprocessors).
inline constexpr uint64_t multiprocessors = 132;
inline constexpr uint64_t threadsPerMultiprocessor = 2048;
inline constexpr uint64_t sharedBytesPerMultiprocessor = 228 * 1024;
inline constexpr uint64_t reservedSharedBytesPerBlock = 1024;
/// Fewer threads per block do not fill a multiprocessor, which has at most 32 blocks.
inline constexpr uint64_t minThreadsPerBlock = 64;
/// Lanes without a thread, as a share of the lanes of a block's warps. The last warp of a large block hardly matters.
inline constexpr double maxEmptyLaneShare = 0.1;
/// Threads of a multiprocessor; fewer do not hide the latency of memory.
inline constexpr uint64_t minResidentThreads = threadsPerMultiprocessor / 4;

} // namespace heddle::cpu::lints
