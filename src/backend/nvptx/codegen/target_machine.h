// LLVM target machines for NVIDIA GPUs.
#pragma once

#include "backend/nvptx/compile.h"

#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace heddle::nvptx {

/// Creates a target machine for one compilation, which takes a tenth of a millisecond. Throws CompileError (Value) if
/// LLVM does not know the architecture or the PTX ISA does not support it.
std::unique_ptr<llvm::TargetMachine> targetMachine(const Target &target, bool optimize);

} // namespace heddle::nvptx
