// The report that `parallel_diagnostics` prints: the outcome for each prange loop and array expression of a function.
#pragma once

#include "frontend/python/ssa/ir.h"

#include <string>
#include <vector>

namespace heddle::python {

struct ParallelNote {
  unsigned line;
  std::string text;
  bool isDetail; ///< about an expression fused into another
};

/// The notes in line order.
std::vector<ParallelNote> parallelReport(const TypedFunction &f);

} // namespace heddle::python
