// Loops that end when Ctrl-C is pressed.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Has loops look at the flag of host/interrupts.h in each round.
///
///     before                     after
///       latch:                     latch:
///         br %header                 %set = load atomic i8, ptr @heddle_host_interrupt_flag
///                                    br (%set != 0), %answer, %go
///                                  answer:
///                                    call void @heddle_host_answer_interrupt()
///                                    br %go
///                                  go:
///                                    br %header
///
/// A loop that only counts looks once in many rounds (loop_pieces.h).
/// Innermost loops of a bounded number of rounds that are in other loops do not look, as those do, unless they are in one
/// loop only and each round waits for a float of the round before.
/// Needs: nothing is optimized after it, so that it hinders no optimization.
struct PollInterrupts : llvm::PassInfoMixin<PollInterrupts> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::host
