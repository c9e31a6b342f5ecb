// Matches the argument types of a call against signatures that the user declared.
#pragma once

#include "frontend/python/types/launch_facts.h"

#include "llvm/ADT/ArrayRef.h"

#include <compare>
#include <string>
#include <vector>

namespace heddle {

/// True if `from` may be passed to code declared for `to`. `isOnly`: the function has no other signature. As in numba,
/// the signature then also accepts int32 arrays for uint32 arrays, and records whose dtype is not marked as aligned.
bool isAcceptedForDeclaredType(python::Type from, python::Type to, bool isOnly = false);

/// Counts of conversions by kind. The best signature has the smallest counts, compared in this order.
struct Conversions {
  unsigned unsafe = 0;   ///< the value may change: int64 to float32
  unsigned safe = 0;     ///< to another kind of number, such as int32 to float64, or another layout
  unsigned promoted = 0; ///< to more bits
  unsigned fractions = 0; ///< floats to integers, which drops fractions
  auto operator<=>(const Conversions &) const = default;
};

/// Counts conversions as numba does (core/typeconv/rules.py).
Conversions countConversions(llvm::ArrayRef<python::KernelArgument> from,
                             llvm::ArrayRef<python::KernelArgument> to);

/// Formats a list of types: "(int64, array(float32, 1d, C))".
std::string formatTypes(const std::vector<python::Type> &types);

} // namespace heddle
