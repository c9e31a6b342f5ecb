// Loops in pieces of many rounds each.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::host {

/// How a loop counts: its last branch leaves it when `counter` has come to `bound`.
struct CountedLoop {
  llvm::Loop *loop;
  llvm::PHINode *start; ///< what the counter is in the first round
  llvm::Value *counter; ///< `start`, or it plus `step`
  llvm::Value *bound;
  llvm::APInt step;
};

/// Nothing where a loop does not count like that, or calls a function: a round may take long.
std::optional<CountedLoop> countedLoop(llvm::Loop &loop, llvm::ScalarEvolution &evolution);

/// Puts a loop around one, such that the inner one ends after so many rounds or at its bound.
///
///     before                          after
///       header:                         piece:
///         ...                             %end = ...        ; `rounds` steps from here, at most %bound
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
/// Returns the branch at the end of `next`. Keeps no analysis.
llvm::Instruction *splitIntoPieces(const CountedLoop &counted, uint64_t rounds);

} // namespace heddle::host
