// A kernel's parameters and the values of a launch, whichever language the values come from.
#pragma once

#include "frontend/cuda/compiled_program.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>

namespace heddle::program {

/// "kernel add: parameter 3 (c) is 'float *': " and the message. `number` counts from 0.
std::string aboutParameter(const std::string &kernel, size_t number,
                           const cudacpp::Parameter &parameter, const std::string &message);

/// What to say of a launch with another number of arguments than there are parameters.
std::string wrongCount(const std::string &kernel, size_t parameters, size_t given);

/// Whether an integer is a value of an integer type. `bits` is its two's complement.
bool integerFits(const cudacpp::ValueType &type, uint64_t bits, bool isNegative);

/// Adds the slots of a structure that lies in memory.
void addStructure(const cudacpp::Parameter &parameter, const void *data,
                  llvm::SmallVectorImpl<uint64_t> &slots);

} // namespace heddle::program
