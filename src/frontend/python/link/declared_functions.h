// Links the code of functions that kernels call and Python only declares.
#pragma once

#include "frontend/python/infer/function_instances.h"
#include "frontend/python/syntax/foreign_code.h"

#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace heddle::python {

/// The places to search for declared functions.
struct LinkedCode {
  unsigned architecture = 75;      ///< 10 * compute capability of the device
  std::vector<ForeignCode *> code; ///< in addition to the code that declarations name
};

/// The name by which a module calls a declared function. It is distinct from all Python function names.
std::string importedSymbolName(const FunctionSource &declared);

/// The number of C++ parameters of a declared parameter: an array has five, plus two per axis.
unsigned countPassedParameters(Type type);

/// The libraries that define the declared functions called by `module`, which was made from `instances`. Compiles them
/// if necessary.
std::vector<const ForeignLibrary *>
librariesFor(const llvm::Module &module, FunctionInstances &instances, const LinkedCode &linked);

/// Links the code of these functions into the module. Throws CompileError (Typing) at the declaration if no library
/// defines the function, or defines it with other parameters.
void linkDeclared(llvm::Module &module, FunctionInstances &instances,
                  const std::vector<const ForeignLibrary *> &libraries);

} // namespace heddle::python
