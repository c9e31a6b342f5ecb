// Checks the arguments of a launch from C++ against the kernel's parameters.
#pragma once

#include "api/access.h"
#include "program/loaded_program.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <span>
#include <vector>

namespace heddle::v1::detail {

/// Appends the launch's argument slots to `slots`, and the owners of the memory that pointer arguments address to
/// `owners`. If an argument does not match its type, throws a CompileError (Type or Value) that names the parameter.
void appendArgumentSlots(const cudacpp::KernelInfo &kernel, const Device &device,
                         std::span<const Argument> arguments,
                         llvm::SmallVectorImpl<uint64_t> &slots,
                         std::vector<std::shared_ptr<void>> &owners);

} // namespace heddle::v1::detail
