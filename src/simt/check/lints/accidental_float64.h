// Finds float64 arithmetic that the program probably does not need.
#pragma once

#include "simt/check/lints/static_lints.h"

namespace heddle::simt {

/// Appends one operation of each float64 expression whose inputs are all float32 values, integers and constants, and
/// whose results are all converted to float32 or to integers, or compared.
///
///     %d = fpext float %v to double
///     %p = fmul double %d, 1.000000e-01   ; reported
///     %r = fptrunc double %p to float
void addAccidentalFloat64Lints(llvm::Function &f, std::vector<StaticLint> &lints);

} // namespace heddle::simt
