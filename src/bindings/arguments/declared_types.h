// How the types of a call's arguments fit those of a signature that the user wrote.
#pragma once

#include "frontend/python/types/launch_facts.h"

#include "llvm/ADT/ArrayRef.h"

#include <compare>
#include <string>
#include <vector>

namespace heddle {

/// Whether `from` may be passed to code declared for `to`.
/// isOnly: no other is declared. It takes int32 arrays for uint32 arrays, too, and records whose dtype does not say that
/// they are aligned: numba does not look at all.
bool accepts(python::Type from, python::Type to, bool isOnly = false);

/// How many arguments need a conversion, by what it may lose; the best signature has the least.
struct Conversions {
  unsigned unsafe = 0;    ///< a value may change: int64 to float32
  unsigned safe = 0;      ///< to another kind of number, as int32 to float64, or another layout
  unsigned promoted = 0;  ///< to more bits
  unsigned fractions = 0; ///< that are lost: floats to integers
  auto operator<=>(const Conversions &) const = default;
};

/// What numba counts (core/typeconv/rules.py).
Conversions conversions(llvm::ArrayRef<python::KernelArgument> from,
                        llvm::ArrayRef<python::KernelArgument> to);

/// "(int64, array(float32, 1d, C))".
std::string listOf(const std::vector<python::Type> &types);

} // namespace heddle
