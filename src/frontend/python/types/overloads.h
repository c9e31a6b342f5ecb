// numba's choice among the signatures of one function: the one whose parameters the arguments convert to most safely.
#pragma once

#include "frontend/python/types/types.h"

#include "llvm/ADT/ArrayRef.h"

namespace heddle::python {

/// The types of a signature's parameters.
using ParameterTypes = llvm::ArrayRef<Type>;

/// Which of `signatures` numba takes for numbers of these types: first the fewest conversions that may lose something, then
/// the fewest to another kind of number, then the fewest to a wider one; the first of equal ones (numba's typeconv).
/// Nothing where no signature takes them.
std::optional<size_t> bestSignature(llvm::ArrayRef<Type> arguments,
                                    llvm::ArrayRef<ParameterTypes> signatures);

/// The same for functions whose parameters all have one type: that type; unknown where there is none.
Type bestCommonType(llvm::ArrayRef<Type> arguments, llvm::ArrayRef<Type> candidates);

} // namespace heddle::python
