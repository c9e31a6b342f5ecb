// The values of a launch from C++, checked against the kernel's parameters.
#pragma once

#include "api/access.h"
#include "program/loaded_program.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <span>
#include <vector>

namespace heddle::v1::detail {

/// Adds a slot to `slots` for each scalar that the kernel takes, and what the pointers' memory belongs to to `owners`.
/// Throws CompileError (Type, Value) that names the parameter when a value is not of its type.
void readArguments(const cudacpp::KernelInfo &kernel, const Device &device,
                   std::span<const Argument> arguments, llvm::SmallVectorImpl<uint64_t> &slots,
                   std::vector<std::shared_ptr<void>> &owners);

} // namespace heddle::v1::detail
