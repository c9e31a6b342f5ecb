#pragma once

#include "llvm/IR/Module.h"

namespace heddle::cudacpp {

/// Makes the globals of `m` those of SIMT IR: `extern __shared__` arrays without a size become the launch's shared
/// memory; constants, strings among them, go to address space 4; variables of the device stay, under their names, for
/// the host to reach.
/// Throws CompileError (Unsupported) for what a kernel cannot have, such as tables of virtual functions.
void makeModuleVariables(llvm::Module &m);

} // namespace heddle::cudacpp
