// Makes compiled loops respond to Ctrl-C.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::host {

/// Makes loops poll the flag of host/interrupts.h in each iteration.
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
/// A loop with a simple counter polls once per many iterations (loop_pieces.h).
///
/// Nested innermost loops with a bounded trip count do not poll, because the enclosing loops do. Exceptions are loops
/// at depth two in which each iteration waits for a float of the previous one.
///
/// Needs: to run last, so that it prevents no optimization.
struct PollInterrupts : llvm::PassInfoMixin<PollInterrupts> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::host
