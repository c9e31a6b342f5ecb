// Registers passes by name for textual pipelines, which heddle-opt and tests run.
#pragma once

#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace heddle {

/// Registers passes with the pipeline parser of `builder`. A folder's passes.def has one row per pass:
///
///     MODULE_PASS("name", expression that creates the pass)
///     FUNCTION_PASS("name", expression that creates the pass)
///
/// and registerPasses() in that folder expands the rows:
///
///     #define MODULE_PASS(NAME, CREATE) names.addModulePass(NAME, [=] { return CREATE; });
///     #define FUNCTION_PASS(NAME, CREATE) names.addFunctionPass(NAME, [=] { return CREATE; });
class PassNames {
public:
  explicit PassNames(llvm::PassBuilder &builder) : builder_(builder) {}

  template <typename Make> void addModulePass(llvm::StringRef name, Make make) {
    addPipeline(name, [make](llvm::ModulePassManager &passes) { passes.addPass(make()); });
  }
  /// Registers a function pass for both module and function pipelines.
  template <typename Make> void addFunctionPass(llvm::StringRef name, Make make) {
    addPipeline(name, [make](llvm::ModulePassManager &passes) {
      passes.addPass(llvm::createModuleToFunctionPassAdaptor(make()));
    });
    builder_.registerPipelineParsingCallback(
        [name, make](llvm::StringRef wanted, llvm::FunctionPassManager &passes, auto) {
          if (wanted == name)
            passes.addPass(make());
          return wanted == name;
        });
  }
  /// Registers the name of a pipeline. `add` appends the pipeline's passes.
  template <typename Add> void addPipeline(llvm::StringRef name, Add add) {
    builder_.registerPipelineParsingCallback(
        [name, add](llvm::StringRef wanted, llvm::ModulePassManager &passes, auto) {
          if (wanted == name)
            add(passes);
          return wanted == name;
        });
  }

private:
  llvm::PassBuilder &builder_;
};

} // namespace heddle
