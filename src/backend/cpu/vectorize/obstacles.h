// Reasons why threads run one at a time instead of as vectors, as sentences for remarks.
#pragma once

#include "backend/cpu/vectorize/lanes/shapes.h"
#include "simt/analysis/divergence.h"

#include <optional>
#include <string>

namespace heddle::cpu {

/// The reason, with the line, why vectorization would not pay; nullopt if it may. Large kernels take long to compile,
/// and in trial division loops most lanes exit in the first iterations.
std::optional<std::string> whyNotProfitable(llvm::Function &kernel);

/// The reason, with the line, why the threads must run one at a time; nullopt if they can run as vectors.
///
///   - All threads that have not returned must reach a barrier together. Therefore a divergent branch contains no
///     barrier before its join, or one of its sides reaches no barrier and no warp operation.
///   - Lanes at a warp operation wait for the lanes in their mask. Therefore a divergent branch has warp operations
///     only on one side; lanes on the other side could be in the mask.
///   - Lanes that exit a loop wait for those that stay. No lane may stay until another lane does something after the
///     loop. Therefore a loop with a divergent exit uses no result of an atomic.
///   - No thread yields, because a yielding thread waits for another thread's write.
std::optional<std::string> whyNotVectorizable(llvm::Function &kernel, unsigned width,
                                              simt::DivergenceAnalyses &analyses);

/// Describes, with the line, that an instruction has no vector form.
std::string describeMissingVectorForm(const llvm::Instruction &i);

/// The reason, with the line, why gathers would make vectors slower; nullopt if vectors may pay. In these loops, lanes
/// mostly access unrelated addresses, and they exit in different iterations (rows of a sparse matrix, neighbors in a
/// graph) or also store to such addresses (a filter along the rows of an image). Gathers then take longer than a
/// thread's own loads, which are contiguous. With barriers, vectors always pay.
std::optional<std::string> whyGathersDominate(llvm::Function &kernel, const llvm::LoopInfo &loops,
                                              const LaneShapes &shapes);

} // namespace heddle::cpu
