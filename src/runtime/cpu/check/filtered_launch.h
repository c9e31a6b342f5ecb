// A launch of a kernel's filter form: the form with a race filter.
#pragma once

#include "runtime/cpu/check/checked_launch.h"
#include "simt/check/filter/filter_plan.h"
#include "simt/launch_facts.h"

#include <memory>
#include <span>
#include <vector>

namespace heddle::cpu {

/// Memory that filtered launches use one after another. Block numbers grow from launch to launch, so that cells need
/// not be cleared.
class FilterMemory {
public:
  /// Returns `count` cells of 8 bytes for a launch of `blocks` blocks. The block numbers stored in them are below
  /// firstBlock(). Throws std::bad_alloc.
  uint64_t *reserveCells(size_t count, uint64_t blocks);
  /// The number of the launch's first block.
  uint64_t firstBlock() const { return firstBlock_; }
  /// Returns room for copies of arrays.
  char *reserveCopies(size_t bytes);

private:
  struct Free {
    void operator()(uint64_t *cells) const { std::free(cells); }
  };
  std::unique_ptr<uint64_t[], Free> cells_;
  size_t cellCapacity_ = 0;
  uint64_t firstBlock_ = 0, nextBlock_ = 1;
  std::unique_ptr<char[]> copies_;
  size_t copyCapacity_ = 0;
};

/// Memory that a filtered launch accesses through an argument.
struct FilteredArray {
  unsigned argument = 0; ///< index of the pointer
  uint64_t low = 0, high = 0;
  bool isRead = false, isWritten = false; ///< an atomic does both
};

/// Holds a launch's arguments, cells, and a copy of the memory that must be restored if the launch is repeated with
/// exact checks.
class FilteredLaunch {
public:
  /// Finds the arguments with undefined bytes. The launch must track writes to them
  /// (simt::LaunchFacts::trackedArguments). Returns nullopt if the kernel may read undefined bytes.
  static std::optional<uint64_t> findTrackedArguments(const simt::FilterPlan &plan,
                                                      const LaunchNote &note,
                                                      std::span<const uint64_t> arguments);
  /// Returns null if the launch needs the exact checks: it accesses memory of unknown extent, or its arrays overlap or
  /// are misaligned. The plan must outlive the launch. Throws std::bad_alloc.
  static std::unique_ptr<FilteredLaunch> prepareIfPossible(const simt::FilterPlan &plan,
                                                           const LaunchNote &note,
                                                           const LaunchShape &shape,
                                                           std::span<const uint64_t> arguments);
  ~FilteredLaunch();

  const uint64_t *arguments() const { return arguments_.data(); }
  std::vector<FilteredArray> listArrays() const;
  /// Clears the cells of shared memory.
  void clearSharedCells();
  /// Restores the arguments' memory to its state before the launch.
  void restoreMemory();
  /// Marks as defined the bytes of tracked arguments that the launch has written.
  void markWrittenBytesDefined(uint64_t trackedArguments) const;

private:
  struct Range {
    uint64_t low = 0, high = 0;
    uint64_t bytes() const { return high - low; }
  };
  struct Copy {
    char *memory, *copy;
    size_t bytes;
  };

  explicit FilteredLaunch(const simt::FilterPlan &plan) : plan_(plan) {}
  static std::optional<Range> addressRangeOf(const simt::FilteredObject &object,
                                             const LaunchNote &note,
                                             std::span<const uint64_t> arguments);
  bool findDisjointRanges(const LaunchNote &note, std::span<const uint64_t> arguments);
  void allocateCellsAndCopies(const LaunchShape &shape);
  void copyUnwatchedMemory();
  /// Calls `visit(first, end)` with each run of cells of an object that the launch has written.
  template <class Visit> void forEachWrittenRun(size_t object, Visit visit) const;

  const simt::FilterPlan &plan_;
  std::vector<uint64_t> arguments_;
  std::vector<Range> ranges_; ///< by object; empty ones for shared memory
  std::vector<const uint64_t *>
      writeCells_; ///< by object; null without cells, and for shared memory
  std::vector<const char *>
      saved_; ///< by object: old values of the written cells; null if they are not needed
  char *copiesStart_ = nullptr; ///< room for copies of memory without cells
  std::vector<Copy> copies_;
  std::vector<uint32_t> sharedCells_;
  std::unique_ptr<FilterMemory> memory_;
};

} // namespace heddle::cpu
