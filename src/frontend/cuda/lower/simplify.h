#pragma once

#include "frontend/cuda/options.h"

#include "llvm/IR/Module.h"

namespace heddle::cudacpp {

/// Converts Clang's IR to SIMT IR. The kernels must already have SIMT IR interfaces. Inlines functions, promotes
/// variables to registers,
/// and infers address spaces. Throws CompileError (Unsupported), with the source location, for code that SIMT IR cannot
/// express.
void simplify(llvm::Module &m, const Options &options);

} // namespace heddle::cudacpp
