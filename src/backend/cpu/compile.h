// Compiles SIMT modules to host machine code.
#pragma once

#include "backend/cpu/abi/thread_groups.h"
#include "simt/check/filter/filter_plan.h"
#include "simt/compile_options.h"
#include "simt/launch_facts.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
}

namespace heddle::cpu {

/// The rules for grouping threads on this host; `options.width` overrides the number of lanes. Throws CompileError
/// (Value) like createHostTargetMachine().
GroupRules makeGroupRules(const CompileOptions &options);

/// Lowers all operations of `module` (README.md lists the passes) and optimizes. The result is host IR that calls only
/// libm, SLEEF and the functions in `runtimeSymbols`. Lowers the optimization level of `target` if the code is too
/// large for the default. Throws CompileError (Unsupported, Lowering) if this back end cannot run the code.
void lowerAndOptimize(llvm::Module &module, llvm::TargetMachine &target,
                      const CompileOptions &options);

struct CompiledObject {
  std::unique_ptr<llvm::MemoryBuffer> file;
  std::vector<std::string> remarks; ///< how each kernel's threads run, with the reason
};

/// Reduces the module to the code of `kernel`. Module variables become declarations: another object defines them.
void extractKernel(llvm::Module &module, llvm::StringRef kernel);

/// Inlines device functions and adds the race filter to the module's only kernel, if the filter can cover it. The module
/// must then be compiled with Checks::Filter, for launches with these facts.
simt::FilterPlan addRaceFilter(llvm::Module &module, const simt::LaunchFacts &facts);

/// Runs `lowerAndOptimize` and emits an object file that exports `<kernel>.entry` (a KernelEntry) for each kernel and
/// `<variable>.data` for each module variable.
CompiledObject compileToObject(llvm::Module &module, const CompileOptions &options);

/// Runs `lowerAndOptimize` and returns the assembly text.
std::string compileToAssembly(llvm::Module &module, const CompileOptions &options);

/// Runs `lowerAndOptimize` and returns the LLVM IR text.
std::string compileToLlvmIr(llvm::Module &module, const CompileOptions &options);

} // namespace heddle::cpu
