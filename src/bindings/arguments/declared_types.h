// How the types of a call's arguments fit those of a signature that the user wrote.
#pragma once

#include "frontend/python/types/launch_facts.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace heddle {

/// Whether `from` may be passed to code declared for `to`.
/// isOnly: no other is declared. It takes int32 arrays for uint32 arrays, too, and records whose dtype does not say that
/// they are aligned: numba does not look at all.
bool accepts(python::Type from, python::Type to, bool isOnly = false);

/// How many arguments need a conversion; the best signature has the fewest.
unsigned conversions(llvm::ArrayRef<python::KernelArgument> from,
                     llvm::ArrayRef<python::KernelArgument> to);

/// "(int64, array(float32, 1d, C))".
std::string listOf(const std::vector<python::Type> &types);

} // namespace heddle
