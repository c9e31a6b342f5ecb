#pragma once

#include "frontend/cuda/options.h"

#include "llvm/IR/Module.h"

namespace heddle::cudacpp {

/// Converts Clang's IR to SIMT IR: inlines functions, promotes variables to registers, infers address spaces and runs
/// the other passes of this folder. The kernels must already have SIMT IR interfaces. Throws CompileError
/// (Unsupported), with the source location, for code that SIMT IR cannot express.
void lowerToSimt(llvm::Module &m, const Options &options);

} // namespace heddle::cudacpp
