#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Lowers traps, lane checks, fences, clocks and sleeps to runtime calls and host instructions.
///
///     before                                   after
///       call void @simt.trap.index(7, %i, %n)    call void @heddle_cpu_trap_thread(%context, thread, block, 7, %i, %n)
///       call void @heddle.lanes.stop(7, ...)     call void @heddle_cpu_note_thread(%context, thread, block)
///                                                call void @heddle_cpu_check_lanes(%context, 7, ...)
///       call void @simt.fence.block()            fence syncscope("singlethread") seq_cst
///       call void @simt.fence.device()           fence seq_cst
///       call void @simt.nanosleep(i32 %n)        call void @heddle_cpu_nanosleep(ptr %context, i32 %n)
///
/// A block runs on one OS thread, so a block fence only has to restrain the compiler.
/// Needs: bind-context has run.
struct LowerTraps : llvm::PassInfoMixin<LowerTraps> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }
};

} // namespace heddle::cpu
