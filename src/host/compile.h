// Compiles a function's LLVM IR to host machine code.
#pragma once

#include "simt/compile_options.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace heddle::host {

/// Compiles `module` to an object file that defines `entrySymbol`, the function that `module` exports. The module may
/// contain plain LLVM IR, and SIMT operations for math, traps and prints. Throws CompileError (Lowering) if LLVM cannot
/// compile it.
std::unique_ptr<llvm::MemoryBuffer> compileToObject(llvm::Module &module,
                                                    const CompileOptions &options);

/// Compiles the module of an entry point for C, which needs no lowering.
std::unique_ptr<llvm::MemoryBuffer> compileEntryToObject(llvm::Module &module);

/// Like compileToObject(), but returns assembly text.
std::string compileToAssembly(llvm::Module &module, const CompileOptions &options);

/// Returns the LLVM IR for code generation, as text.
std::string compileToLlvmIr(llvm::Module &module, const CompileOptions &options);

/// The symbol of the entry point, an Entry of host/call.h.
inline constexpr const char *entrySymbol = "heddle_entry";

} // namespace heddle::host
