// From a SIMT module to host machine code.
#pragma once

#include "backend/cpu/blocks/thread_groups.h"
#include "simt/compile_options.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
}

namespace heddle::cpu {

/// A target machine for this host's processor, or the one that $HEDDLE_CPU names, as the JIT uses it. One per thread that
/// compiles. Throws CompileError (Value) where the machine cannot run that one's code; so do the two below.
std::unique_ptr<llvm::TargetMachine> hostTargetMachine(bool optimize);

/// Host processor name and features: part of every cache key.
std::string hostDescription();

/// How this host puts threads into groups; options.width chooses.
GroupRules groupRules(const CompileOptions &options);

/// Lowers every operation of `module` (see README.md for the passes and their order) and optimises. What remains is
/// host IR that calls only libm, SLEEF and the functions named by `runtimeSymbols`.
/// Lowers the optimisation level of `target` where the code is too large for its usual one.
/// Throws CompileError (Unsupported, Lowering) for what this back end cannot run, before it changes anything.
void lower(llvm::Module &module, llvm::TargetMachine &target, const CompileOptions &options);

struct CompiledObject {
  std::unique_ptr<llvm::MemoryBuffer> file;
  std::vector<std::string> remarks; ///< how each kernel's threads run, and why
};

/// Leaves the code of `kernel` alone in the module. Its variables are declared: another object defines them.
void keepKernel(llvm::Module &module, llvm::StringRef kernel);

/// `lower`, then machine code: an object file that exports `<kernel>.entry` (a KernelEntry) for each kernel, and
/// `<variable>.data` for each module variable.
CompiledObject compileToObject(llvm::Module &module, const CompileOptions &options);

/// `lower`, then the assembly as text.
std::string compileToAssembly(llvm::Module &module, const CompileOptions &options);

/// `lower`, then what the code generator would be given, as text.
std::string compileToLlvmIr(llvm::Module &module, const CompileOptions &options);

} // namespace heddle::cpu
