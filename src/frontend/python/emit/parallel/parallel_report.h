// What became of the loops over prange and the expressions of whole arrays of a function: what `parallel_diagnostics` prints.
#pragma once

#include "frontend/python/ssa/ir.h"

#include <string>
#include <vector>

namespace heddle::python {

struct ParallelNote {
  unsigned line;
  std::string text;
  bool isDetail; ///< of an expression that became part of another
};

/// In the order of the lines.
std::vector<ParallelNote> parallelReport(const TypedFunction &f);

} // namespace heddle::python
