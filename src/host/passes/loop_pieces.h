// Strip-mining: splits a loop into pieces of many iterations each.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::host {

/// A loop with a counter: its last branch exits when `counter` equals `bound`.
struct CountedLoop {
  llvm::Loop *loop;
  llvm::PHINode *start; ///< the counter in the first iteration
  llvm::Value *counter; ///< `start`, or `start + step`
  llvm::Value *bound;
  llvm::APInt step;
};

/// Returns nullopt if the loop is not innermost, has no counter of this form, or calls a function: an iteration may
/// then take long.
std::optional<CountedLoop> matchCountedLoop(llvm::Loop &loop, llvm::ScalarEvolution &evolution);

/// Wraps a loop in an outer loop. The inner loop ends after `iterations` iterations or at its bound.
///
///     before                          after
///       header:                         piece:
///         ...                             %end = ...        ; `iterations` steps from here, at most %bound
///         %done = icmp eq %i, %bound    header:
///         br %done, %exit, %header        ...
///                                         %over = icmp eq %i, %end
///                                         br %over, %between, %header
///                                       between:
///                                         %done = icmp eq %end, %bound
///                                         br %done, %exit, %next
///                                       next:
///                                         br %piece
///
/// Returns the branch at the end of `next`. Invalidates all analyses.
llvm::Instruction *splitLoopIntoPieces(const CountedLoop &counted, uint64_t iterations);

} // namespace heddle::host
