// Inserts probes that record the steps of each thread, for `heddle trace`.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Makes a thread record each step that it executes: the instructions of a source line in a basic block.
///
///     before                                  after
///       loop:                                   loop:
///         %i = phi i32 ...                        %i = phi i32 ...
///                                                 call i1 @simt.check.block(5)
///         %v = load ...        ; line 7           %v = load ...        ; line 7
///         call @simt.barrier   ; line 8           call i1 @simt.check.block(6)
///                                                 call @simt.barrier   ; line 8
///
/// Sites 5 and 6 have the kind "step"; their arguments are a TracedStep. The message is "barrier" for a step that waits
/// for all threads of the block, "warp" for one with a warp operation, else empty. A barrier is a step of its own. Every
/// loop header has a probe, without a line if the header has no instruction of the source.
///
/// Needs: SIMT IR from a front end, device functions inlined. Leaves SIMT IR.
struct InsertTraceProbes : llvm::PassInfoMixin<InsertTraceProbes> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::simt
