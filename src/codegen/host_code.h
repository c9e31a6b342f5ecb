// Code for this host's processor: one driver for kernels and for host functions.
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

/// Prepares a module for the code generator. It may lower the optimization level of the target.
using Lowering = llvm::function_ref<void(llvm::TargetMachine &)>;

/// Runs `lower` and writes the module as an object file. These throw CompileError (Internal) if LLVM reports an error.
/// `optimize`: at LLVM's default level, else at the one that takes the least time.
std::unique_ptr<llvm::MemoryBuffer> hostObject(llvm::Module &module, bool optimize, Lowering lower);

/// The same as assembly text.
std::string hostAssembly(llvm::Module &module, bool optimize, Lowering lower);

/// Runs `lower` and writes the code generator's input as text.
std::string hostLlvmIr(llvm::Module &module, bool optimize, Lowering lower);

/// Sets the module's triple and data layout, and the processor of each function.
void setTarget(llvm::Module &module, llvm::TargetMachine &target);

} // namespace heddle::cpu
