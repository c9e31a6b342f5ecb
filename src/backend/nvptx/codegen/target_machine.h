// LLVM target machines for NVIDIA GPUs.
#pragma once

#include "backend/nvptx/compile.h"

#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace heddle::nvptx {

/// The target for a module: an exact one if it has instructions of warpgroups, a newer PTX ISA if it has atomics of 16
/// bytes or inline PTX that older ones lack.
Target specializeTarget(Target target, const llvm::Module &module);

/// Creates a target machine for one compilation; creation takes 0.1 ms. Throws CompileError (Value) if Heddle does not
/// support the architecture or the PTX ISA version, or if the version does not support the architecture.
std::unique_ptr<llvm::TargetMachine> makeTargetMachine(const Target &target, bool optimize);

} // namespace heddle::nvptx
