// Makes loops end on Ctrl-C.
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
/// Nested innermost loops with a bounded trip count do not poll, because the enclosing loops do. An exception are loops
/// at depth two whose iterations each wait for a float of the previous iteration.
///
/// Needs: run after all optimizations, so that it prevents none.
struct PollInterrupts : llvm::PassInfoMixin<PollInterrupts> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::host
