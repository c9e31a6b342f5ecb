// LLVM's pass and analysis managers, set up as a whole.
#pragma once

#include "llvm/Passes/PassBuilder.h"

namespace llvm {
class TargetMachine;
}

namespace heddle {

/// Runs pipelines over modules, for one target. Analyses are kept from one run() to the next.
class PassRunner {
public:
  /// Passes that ask nothing of the target run without one.
  explicit PassRunner(llvm::TargetMachine *target = nullptr);

  /// For registering passes by name and parsing pipelines, before the first run().
  llvm::PassBuilder &builder() { return builder_; }
  /// For observing passes, before the first run().
  llvm::PassInstrumentationCallbacks &callbacks() { return callbacks_; }

  void run(llvm::Module &module, llvm::ModulePassManager &passes);

private:
  llvm::PassInstrumentationCallbacks callbacks_;
  llvm::PassBuilder builder_;
  // Destroyed in reverse order: each manager's proxies refer to the ones before it.
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
};

} // namespace heddle
