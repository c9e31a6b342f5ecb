#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Inserts simt.yield at the back edges of spin loops (simt/analysis/spin_loops.h), so that other threads can run. A
/// worker runs the threads of its blocks one after another; without yields, a thread that waits for a later one would
/// wait forever. simt.nanosleep in these loops is removed, because the system's shortest sleep takes longer than resuming
/// all other threads once. It stays if the loop limits the number of polls, whose time it limits, too. Only kernels are
/// changed: functions that are not inlined cannot suspend.
///
/// Needs: mem2reg and instcombine have run.
struct YieldInSpinLoops : llvm::PassInfoMixin<YieldInSpinLoops> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
