#pragma once

#include "llvm/IR/Module.h"

namespace heddle::cudacpp {

/// Converts the globals of `m` to those of SIMT IR. An `extern __shared__` array without a size becomes the launch's
/// dynamic shared memory. Constants, including strings, move to address space 4. Device variables keep their names, so
/// that the host can reach them. Throws CompileError (Unsupported) for unsupported globals, such as virtual function
/// tables.
void lowerModuleVariables(llvm::Module &m);

} // namespace heddle::cudacpp
