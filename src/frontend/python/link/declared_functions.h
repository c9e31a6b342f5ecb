// Links the code of functions that Python only declares.
#pragma once

#include "frontend/python/infer/function_instances.h"
#include "frontend/python/syntax/foreign_code.h"

#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace heddle::python {

/// The code that may define declared functions, and the architecture to compile it for.
struct LinkedCode {
  Architecture architecture;
  std::vector<ForeignCode *> code; ///< in addition to the code that declarations name
};

/// The symbol that modules use for a declared function. For a device function, no Python function has the same symbol.
std::string importedSymbolName(const FunctionSource &declared);

/// The number of C++ parameters for a declared parameter of this type: an array has five, plus two per axis.
unsigned countPassedParameters(Type type);

/// The libraries that may define the declared functions called by `module`, compiled if necessary; empty if it calls
/// none. `module` was made from `instances`.
std::vector<const ForeignLibrary *> compileLibrariesFor(const llvm::Module &module,
                                                        FunctionInstances &instances,
                                                        const LinkedCode &linked);

/// Links the code of the called declared functions from `libraries` into the module. Throws CompileError (Typing) at a
/// declaration if no library defines its function, or if the parameters differ.
void linkDeclared(llvm::Module &module, FunctionInstances &instances,
                  const std::vector<const ForeignLibrary *> &libraries);

} // namespace heddle::python
