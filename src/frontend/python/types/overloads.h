// numba's overload resolution: the signature that the arguments convert to most safely.
#pragma once

#include "frontend/python/types/types.h"

#include "llvm/ADT/ArrayRef.h"

namespace heddle::python {

/// The parameter types of a signature.
using ParameterTypes = llvm::ArrayRef<Type>;

/// The index of the signature that numba selects for numbers of these types: it minimizes lossy conversions, then
/// conversions to another kind of number, then conversions to a wider one, and prefers the first of equal candidates
/// (numba's typeconv). Nothing if no signature matches.
std::optional<size_t> bestSignature(llvm::ArrayRef<Type> arguments,
                                    llvm::ArrayRef<ParameterTypes> signatures);

/// Selects among signatures whose parameters all have one type, a candidate. Returns that type, or an unknown type if
/// none matches.
Type bestCommonType(llvm::ArrayRef<Type> arguments, llvm::ArrayRef<Type> candidates);

} // namespace heddle::python
