// Findings of checked launches.
#pragma once

#include "runtime/cpu/check/launch_note.h"
#include "runtime/device.h"
#include "simt/check/checked_access.h"
#include "simt/ir/sites.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cpu {

using Index3 = std::array<uint32_t, 3>;
inline Index3 toIndex(const Dim3 &d) { return {d.x, d.y, d.z}; }
/// Splits a linear index into an index along each axis.
inline Index3 unravel(uint32_t linear, const Dim3 &extents) {
  return {linear % extents.x, linear / extents.x % extents.y, linear / extents.x / extents.y};
}

enum class FindingKind {
  Race,
  Bounds,
  Misaligned,
  Uninitialized,
  Barrier,
  Warp,
  Division,
  Leak,
  Lint
};
enum class FindingSpace { None, Global, Shared, Local, Constant };

/// The operation of a thread at a place in a finding. Begins with the members of simt::AccessKind.
enum class FoundOp {
  Read,
  Write,
  Atomic,
  Wait,     ///< at a barrier
  Call,     ///< of a warp operation
  Divide,   ///< by zero
  Allocate, ///< memory of the device heap
  Free,     ///< such memory
  Compute,  ///< in float64
  Branch
};
constexpr FoundOp toFoundOp(simt::AccessKind kind) { return FoundOp(kind); }

/// The reason why two accesses race. If accesses at the same two positions race for several reasons, the last reason in
/// this list is reported.
enum class RaceCause {
  None,      ///< the finding is not a race
  Compare,   ///< a read whose value is only compared by a compare-and-swap
  SameValue, ///< both store the value that the memory already has
  Warp,      ///< lanes of one warp, without a barrier in between
  Barrier,   ///< threads of one block, without a barrier in between
  Blocks,    ///< threads of different blocks
  Fence, ///< both hold a lock, but one of them lacks a fence after taking it or before releasing it
  Atomic,  ///< an atomic and an ordinary access
  Scope,   ///< atomics of different blocks whose scope is the block
  Copy,    ///< an asynchronous copy is in flight
  Streams, ///< operations of different streams
};

/// A stream operation that takes part in a race between streams.
struct FoundOperation {
  enum class Kind { Launch, Copy, Fill } kind;
  std::string stream;  ///< "stream 1", "the default stream"
  std::string kernel;  ///< of a launch
  ProgramText program; ///< of the kernel
  Index3 grid{}, block{};
  std::string file; ///< of the caller; empty if unknown
  unsigned line = 0;
};

struct FoundAccess {
  FoundOp op;
  simt::SiteInfo at;
  std::optional<Index3> thread,
      block; ///< of a kernel; empty for lints, which are about many threads
  std::optional<FoundOperation> operation; ///< of a race between streams
};

struct Finding {
  FindingKind kind;
  FindingSpace space = FindingSpace::None;
  RaceCause cause = RaceCause::None;
  std::vector<FoundAccess>
      accesses; ///< two for a race, the earlier one first; one or two for other kinds
  std::optional<FoundAccess> loaded; ///< the load of a value that another line uses
  std::string array;                 ///< parameter or variable; empty if unknown
  std::vector<int64_t> element;      ///< index along the array's axes; empty if unknown
  std::string message;         ///< explains the finding; empty for races and misaligned accesses
  std::string lint;            ///< its name; empty for other kinds
  std::vector<double> numbers; ///< measured by the lint
  std::string kernel;
  ProgramText program;    ///< of the kernel
  Index3 grid, block;     ///< extents of the launch
  std::string launchFile; ///< of the launch's caller; empty if unknown
  unsigned launchLine = 0;
  uint64_t count = 1; ///< occurrences

  bool isNote() const {
    return kind == FindingKind::Lint || cause == RaceCause::SameValue ||
           cause == RaceCause::Compare;
  }
};

/// Adds findings to the process's list. Counts a finding if the list has one of the same kind, positions, array and
/// kernel.
void addFindings(std::vector<Finding> findings);
/// Removes and returns all findings, in the order of their first occurrence. Omits uses of undefined memory that result
/// from races between streams.
std::vector<Finding> takeFindings();

} // namespace heddle::cpu
