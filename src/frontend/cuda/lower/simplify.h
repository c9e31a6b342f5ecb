#pragma once

#include "frontend/cuda/options.h"

#include "llvm/IR/Module.h"

namespace heddle::cudacpp {

/// From the IR that Clang generates, its kernels already those of SIMT IR, to SIMT IR: functions inlined, variables in
/// registers, address spaces known where they can be. Throws CompileError (Unsupported) for what SIMT IR cannot say,
/// with the place in the source.
void simplify(llvm::Module &m, const Options &options);

} // namespace heddle::cudacpp
