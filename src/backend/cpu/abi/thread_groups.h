// Groups of a block's threads that run together as vectors.
#pragma once

#include "simt/compile_options.h"
#include "simt/thread_order.h"

namespace heddle::cpu {

inline constexpr unsigned cacheLineBytes = 64;

/// The grouping of a block's threads that one variant of a kernel's code assumes.
struct ThreadGroups {
  unsigned width = 1;   ///< threads per group
  bool linear = false;  ///< groups follow the linear thread index; else threads adjacent along x
  bool partial = false; ///< the last group of a row (linear: of the block) may be smaller

  bool operator==(const ThreadGroups &) const = default;
  /// An index below `kinds` that identifies this kind of grouping.
  unsigned groupingKindIndex() const;
  static constexpr unsigned kinds = 17;
};

/// Rules for choosing a kernel's groups.
struct GroupRules {
  unsigned lanes = 1;  ///< lanes that fill a register; 1: no groups
  bool always = false; ///< use full groups even for small blocks
};

/// For kernels without warp operations: groups along x if rows are long enough to occupy most lanes, else linear
/// groups.
ThreadGroups chooseRowGroups(const LaunchExtents &launch, GroupRules rules);
/// Like chooseRowGroups(), but with twice as many lanes if rows divide evenly. For kernels whose loops walk through
/// rows of memory: the lanes then read more of a cache line.
ThreadGroups chooseWideRowGroups(const LaunchExtents &launch, GroupRules rules);
/// For kernels with warp operations: a group is a warp.
ThreadGroups chooseWarpGroups(const LaunchExtents &launch, GroupRules rules);

/// The groups for one launch, one for each kind of grouping.
struct GroupChoices {
  ThreadGroups rows, wideRows, warps;
};

/// Chooses the groups of each kind for the launch of a kernel with that thread order.
GroupChoices chooseGroupsOfEachKind(const LaunchExtents &launch, simt::ThreadOrder order,
                                    GroupRules rules);

} // namespace heddle::cpu
