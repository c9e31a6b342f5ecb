// Checks of launch arguments against a kernel's parameters, shared by the Python and C++ interfaces.
#pragma once

#include "frontend/cuda/compiled_program.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>

namespace heddle::program {

/// Formats "kernel add: parameter 3 (c) is 'float *': " and the message. `number` counts from 0.
std::string formatParameterMessage(const std::string &kernel, size_t number,
                                   const cudacpp::Parameter &parameter, const std::string &message);

/// The message for a launch with the wrong number of arguments.
std::string wrongArgumentCountMessage(const std::string &kernel, size_t parameters, size_t given);

/// True if the integer, in two's complement, is representable in the type.
bool isRepresentableInteger(const cudacpp::ValueType &type, uint64_t bits, bool isNegative);

/// Appends the slots of a structure in memory.
void appendStructureSlots(const cudacpp::Parameter &parameter, const void *data,
                          llvm::SmallVectorImpl<uint64_t> &slots);

} // namespace heddle::program
