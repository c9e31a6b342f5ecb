// The code of functions that a kernel calls and Python only declares.
#pragma once

#include "frontend/python/infer/function_instances.h"
#include "frontend/python/syntax/foreign_code.h"

#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace heddle::python {

/// Where declared functions are looked for.
struct LinkedCode {
  unsigned architecture = 75;      ///< 10 * compute capability of the device
  std::vector<ForeignCode *> code; ///< besides what the declarations name
};

/// The name by which a module calls a declared function. No function of Python's has it.
std::string importedName(const FunctionSource &declared);

/// How many parameters of C++ a declared parameter is: an array is five, and two for each axis.
unsigned passedCount(Type type);

/// Where the declared functions are looked for that `module`, made of `instances`, calls: compiled now, where they are not
/// yet.
std::vector<const ForeignLibrary *>
librariesFor(const llvm::Module &module, FunctionInstances &instances, const LinkedCode &linked);

/// Puts the code of each of these functions into the module. Throws CompileError (Typing) at the declaration when no
/// library has the function, or has it with other parameters.
void linkDeclared(llvm::Module &module, FunctionInstances &instances,
                  const std::vector<const ForeignLibrary *> &libraries);

} // namespace heddle::python
