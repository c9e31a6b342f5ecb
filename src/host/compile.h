// From a function's LLVM IR to machine code of this host.
#pragma once

#include "simt/compile_options.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace heddle::host {

/// An object file that defines the function that `module` exports as `entrySymbol`. What the module may hold is plain
/// LLVM IR and SIMT IR's operations for math, traps and prints. Throws CompileError (Lowering) for what LLVM cannot
/// compile.
std::unique_ptr<llvm::MemoryBuffer> compileToObject(llvm::Module &module,
                                                    const CompileOptions &options);

/// An object file of a module that needs no lowering: an entry for C.
std::unique_ptr<llvm::MemoryBuffer> compileEntryToObject(llvm::Module &module);

/// The same as compileToObject(), as assembly text.
std::string compileToAssembly(llvm::Module &module, const CompileOptions &options);

/// What the code generator would be given, as text.
std::string compileToLlvmIr(llvm::Module &module, const CompileOptions &options);

/// The function that compiled code is entered by: an Entry of host/call.h.
inline constexpr const char *entrySymbol = "heddle_entry";

} // namespace heddle::host
