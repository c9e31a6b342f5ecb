// Whether a kernel's threads run in groups, as vectors, or one at a time; and why.
#pragma once

#include "backend/cpu/vectorize/lanes/shapes.h"
#include "simt/analysis/divergence.h"
#include "simt/compile_options.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::cpu {

/// Nothing when the kernel may gain, else why it does not, with the line: a large kernel takes long to compile; of a loop that
/// tries divisors most lanes are done in the first rounds.
std::optional<std::string> whyNotWorthwhile(llvm::Function &kernel);

/// Whether the kernel does little but read and write memory, once a thread. The largest registers gain nothing then, and
/// each of their accesses may cross cache lines.
bool mostlyMoves(const llvm::Function &kernel);

/// Where loops of the kernel do little but walk through rows of memory, neighbours beside each other, as in a product of
/// matrices: `sum += a[y * n + k] * b[k * n + x]`: the bytes of the largest element that they read. Lanes that fill one
/// register read half a cache line of each row, and the threads of the next y read the same rows again.
std::optional<int64_t> bytesReadRowByRow(llvm::Function &kernel);
/// Of an element that twice the lanes may read: larger ones fill registers and cache lines as they are.
inline constexpr int64_t mostBytesOfWideRows = 4;

/// Why the kernel's threads have to run one at a time, with the line that forces it; nothing when they need not.
///
///   - Threads that have not returned must come to a barrier together: a divergent branch has none before its sides meet
///     again, or one of its sides leads to no barrier and no warp operation.
///   - Lanes that come to a warp operation wait for those that they name. So a divergent branch has warp operations on one
///     of its sides only: those on the other could be what they wait for.
///   - Lanes that leave a loop wait for those that stay. So no lane may stay until another does something after the
///     loop: a loop with a divergent way out uses no result of an atomic.
///   - No thread yields: it waits in a loop for what another one writes.
std::optional<std::string> whyOneAtATime(llvm::Function &kernel, unsigned width,
                                         simt::DivergenceAnalyses &analyses);

/// Why a kernel with this instruction, which has no form for vectors, runs one thread at a time; with the line.
std::string whyNoVectors(const llvm::Instruction &i);

/// Why vectors would lose, with the line; nothing where they may gain. A loop does little but fetch from places of each
/// lane's own, and lanes leave it in rounds of their own (rows of a sparse matrix, neighbours in a graph) or write to such
/// places, too (a filter along the rows of a picture): gathers take longer than a thread's own loads, which follow one
/// another in memory. With barriers, vectors gain in any case.
std::optional<std::string> whyGathersDominate(const llvm::Function &kernel,
                                              const llvm::LoopInfo &loops,
                                              const LaneShapes &shapes);

} // namespace heddle::cpu
