// Loops over groups of rounds, in front of a loop that runs the rounds that are left.
#pragma once

#include "host/outer_loops/independent_rounds.h"
#include "host/outer_loops/lane_function.h"

namespace heddle::host {

/// Groups of `width` rounds, each of which a call of `lanes` runs.
struct RoundGroups {
  unsigned width;
  LaneFunction lanes;
};

/// Puts loops over groups in front of a loop, in the order given: wide ones first. The calls are inlined.
///
///     before                   after
///       entry:                   entry:
///         br %loop                 br (what `independence` demands), %groups, %loop
///                                groups:
///                                  call lanes(%number, ...)
///                                  br (nobody raises, and another group is left), %groups, %loop
///                                loop:   ; from the first round on that no group has run, if there is one
///
/// Where one of a group's rounds raises, the loop runs that group's rounds one by one. Keeps no analysis.
void addGroupLoops(const RoundsLoop &rounds, const Independence &independence,
                   llvm::ArrayRef<RoundGroups> groups, llvm::ScalarEvolution &evolution);

} // namespace heddle::host
