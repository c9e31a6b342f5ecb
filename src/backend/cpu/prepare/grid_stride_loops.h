// Matches grid-stride loops.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::cpu {

/// A loop over a range whose stride is the grid size.
struct GridStrideLoop {
  llvm::Loop *loop;
  llvm::PHINode *phi;           ///< i, or the iteration number
  llvm::Instruction *next;      ///< the phi's next value
  llvm::Value *index;           ///< i
  llvm::Value *first, *step;    ///< the first value of i, and its increment
  llvm::Instruction *condition; ///< exit condition
  bool continuesIf;             ///< the loop continues if the condition has this value
  llvm::Value *end;             ///< exclusive upper bound of i
  bool isSigned;                ///< signed comparison
};

/// Matches a loop over `i` or over the iteration number. May rewrite addresses in the loop to use i.
std::optional<GridStrideLoop> matchGridStrideLoop(llvm::Loop &loop);

} // namespace heddle::cpu
