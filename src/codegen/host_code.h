// Generates code for the host processor, from kernels and from host functions.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace heddle::cpu {

/// A function that prepares a module for the code generator. It may lower the optimization level of the target.
using Lowering = llvm::function_ref<void(llvm::TargetMachine &)>;

/// Runs `lower` and returns the module as an object file. `optimize` selects CodeGenOptLevel::Default, otherwise Less.
/// Throws CompileError (Lowering) if LLVM reports an error, as do the next two functions.
std::unique_ptr<llvm::MemoryBuffer> generateHostObject(llvm::Module &module, bool optimize,
                                                       Lowering lower);

/// Runs `lower` and returns the module as assembly text.
std::string generateHostAssembly(llvm::Module &module, bool optimize, Lowering lower);

/// Runs `lower` and returns the module, which is the code generator's input, as LLVM IR text.
std::string generateHostLlvmIr(llvm::Module &module, bool optimize, Lowering lower);

/// Sets the module's triple and data layout, and the processor and features of each defined function.
void setTarget(llvm::Module &module, llvm::TargetMachine &target);

} // namespace heddle::cpu
