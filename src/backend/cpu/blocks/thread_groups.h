// How the threads of a block are put into groups that run together as vectors.
#pragma once

#include "simt/compile_options.h"
#include "simt/thread_order.h"

namespace heddle::cpu {

/// What one form of a kernel's code takes for granted of the blocks that it runs.
struct ThreadGroups {
  unsigned width = 1; ///< threads that run together
  bool linear =
      false; ///< in the order in which CUDA numbers a block's threads; else neighbours along x
  bool partial = false; ///< the last group of a row (linear: of the block) may have fewer

  bool operator==(const ThreadGroups &) const = default;
  /// Different for different groups, less than `kinds`.
  unsigned index() const;
  static constexpr unsigned kinds = 17;
};

/// Which groups a kernel gets.
struct GroupRules {
  unsigned lanes = 1;  ///< that fill a register; 1: there are no groups
  bool always = false; ///< as many in every group, however small the block
};

/// For a kernel without warp operations: along x where rows are long enough that most lanes have a thread.
ThreadGroups groupsByRows(const LaunchExtents &launch, GroupRules rules);
/// The same with twice as many lanes, where rows have whole groups of them and a register has few: for kernels whose loops
/// go from row to row of memory, of which lanes then read whole cache lines.
ThreadGroups groupsByWideRows(const LaunchExtents &launch, GroupRules rules);
/// For a kernel with warp operations: a group is a warp.
ThreadGroups groupsByWarps(const LaunchExtents &launch, GroupRules rules);

/// One of them.
struct GroupChoices {
  ThreadGroups rows, wideRows, warps;
};

/// What a kernel with that order of threads may get for a launch.
GroupChoices groupChoices(const LaunchExtents &launch, simt::ThreadOrder order, GroupRules rules);

} // namespace heddle::cpu
