// LLVM's view of an NVIDIA GPU.
#pragma once

#include "backend/nvptx/compile.h"

#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace heddle::nvptx {

/// A target machine for `target`. One per compilation: making one takes a tenth of a millisecond.
/// Throws CompileError (Value) for an architecture that LLVM does not know or a PTX ISA that lacks it.
std::unique_ptr<llvm::TargetMachine> targetMachine(const Target &target, bool optimize);

} // namespace heddle::nvptx
