// Owns and connects LLVM's pass and analysis managers.
#pragma once

#include "llvm/Passes/PassBuilder.h"

namespace llvm {
class TargetMachine;
}

namespace heddle {

/// Runs pass pipelines on modules for one target. Keeps analyses between calls of run().
class PassRunner {
public:
  /// `target` may be null if no pass needs it.
  explicit PassRunner(llvm::TargetMachine *target = nullptr);

  /// Registers passes by name and parses pipelines; use before the first run().
  llvm::PassBuilder &builder() { return builder_; }
  /// Registers callbacks that observe passes; use before the first run().
  llvm::PassInstrumentationCallbacks &callbacks() { return callbacks_; }

  /// Registers further analyses; use before the first run().
  llvm::FunctionAnalysisManager &functions() { return functions_; }

  void run(llvm::Module &module, llvm::ModulePassManager &passes);

private:
  llvm::PassInstrumentationCallbacks callbacks_;
  llvm::PassBuilder builder_;
  // Destroyed in reverse order: each manager's proxies refer to the managers before it.
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
};

} // namespace heddle
