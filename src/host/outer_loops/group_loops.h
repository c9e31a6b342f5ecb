// Adds loops over groups of iterations before a loop, which then runs the remaining iterations.
#pragma once

#include "host/outer_loops/lane_function.h"
#include "simt/analysis/independent_iterations.h"

namespace heddle::host {

/// Groups of `width` iterations, each run by a call of `lanes`.
struct IterationGroups {
  unsigned width;
  LaneFunction lanes;
};

/// Inserts loops over groups before a loop, in the given order: wide ones first. The calls are inlined.
///
///     before                   after
///       entry:                   entry:
///         br %loop                 br (checks of `independence`), %groups, %loop
///                                groups:
///                                  call lanes(%number, ...)
///                                  br (no lane raises, and another group is left), %groups, %loop
///                                loop:   ; runs the remaining iterations, if any
///
/// If an iteration of a group would raise, the loop runs the group's iterations one by one. Invalidates all analyses.
void addGroupLoops(const OutlinableLoop &outlined, const simt::Independence &independence,
                   llvm::ArrayRef<IterationGroups> groups, llvm::ScalarEvolution &evolution);

} // namespace heddle::host
