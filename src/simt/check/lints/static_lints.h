// The lints of `heddle check` that need no launch.
#pragma once

#include "simt/ir/sites.h"

#include "llvm/IR/Module.h"

#include <vector>

namespace heddle::simt {

/// A place that a lint reports.
struct StaticLint {
  enum Kind {
    Float64,   ///< arithmetic in float64 with float32 values, integers and constants
    LocalArray ///< a local array that cannot be in registers
  };
  Kind kind;
  /// Float64 operations, each on a different line; or an access to the local array, with its name as the message.
  std::vector<SiteInfo> places;
  uint64_t bytes = 0;   ///< of a local array
  bool isWrite = false; ///< the access stores to the array
};

/// Finds the lints of a module's kernels. Optimizes the module as a compiler for GPUs would, so that narrowed
/// arithmetic and arrays in registers are left out.
///
/// Needs: SIMT IR from a front end.
std::vector<StaticLint> findStaticLints(llvm::Module &m);

} // namespace heddle::simt
