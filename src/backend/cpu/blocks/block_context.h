// What generated code and the CPU runtime share: the state of the block that a worker runs, and the table through
// which a compiled kernel is entered. Generated code reads the fields by byte offset, so their order is an ABI:
// change `abiVersion` with it.
#pragma once

#include "simt/ir/ops.h"
#include "simt/thread_order.h"

#include <cstddef>
#include <cstdint>

namespace heddle::cpu {

inline constexpr uint32_t abiVersion = 13;

/// In the place of a barrier's site: the thread waits for memory to be written, and may go on at any time.
inline constexpr uint32_t yieldSite = ~0u;

/// A thread's operands of a warp operation, where it waits at one.
struct WarpArrival {
  simt::Op operation = simt::Op::Barrier; ///< a barrier: it waits for the block or the grid
  uint32_t bits;  ///< of the operand and the result: 32 or 64; 0 where the operation has one form
  uint32_t mask;  ///< the lanes that take part
  uint32_t lane;  ///< of a shuffle: a lane or a distance
  uint32_t width; ///< of a shuffle: lanes in a piece
  uint32_t reserved;
  uint64_t value; ///< sign-extended; a predicate is 0 or 1
};

/// What a lane of a warp that runs as vectors says of its mask in the index of a trap at an operation's site; the extent is
/// the mask.
struct WarpStop {
  static constexpr uint32_t ownMask = 255; ///< in place of `other`: the lane is not in its own mask
  uint32_t lane, other;
  bool
      atBarrier; ///< whether `other` waits at a barrier of the block, or at an operation of the warp
  uint32_t elsewhere; ///< that one's site

  static constexpr unsigned otherBit = 8, barrierBit = 16, elsewhereBit = 32;
  static WarpStop of(uint64_t index) {
    return {uint32_t(index & 255), uint32_t(index >> otherBit & 255),
            (index >> barrierBit & 1) != 0, uint32_t(index >> elsewhereBit)};
  }
};

/// One worker's view of the block it runs. `runtime` is the runtime's own state; generated code only passes it back.
struct BlockContext {
  uint32_t block[3];    ///< simt.ctaid
  uint32_t blockDim[3]; ///< simt.ntid
  uint32_t gridDim[3];  ///< simt.nctaid
  uint32_t barrierSite; ///< written by a thread before it suspends at a barrier, or yieldSite
  char *
      shared; ///< static shared memory, then (16-byte aligned) dynamic shared memory; 64-byte aligned
  uint64_t dynamicShared;        ///< bytes of dynamic shared memory
  uint32_t barrierTrue;          ///< added to by threads that arrive with a true predicate
  uint32_t barrierArrived;       ///< threads that arrived with a predicate
  uint32_t barrierTrueResult;    ///< barrierTrue of the barrier just passed
  uint32_t barrierArrivedResult; ///< barrierArrived of the barrier just passed
  char *stackLimit;     ///< a recursive function that finds its stack below this address traps
  uint32_t thread[3];   ///< simt.tid of the thread that runs now: set where a trap may need it
  uint32_t gridBarrier; ///< set by a thread before it suspends at a barrier of the whole grid
  uint32_t
      blocks; ///< that a call runs where KernelEntry::runs says so: from `block` on, along its axis
  uint32_t stoppedBlock[3]; ///< simt.ctaid of the thread that traps: set before it does
  uint32_t
      numbered; ///< 1 where thread[0] is a number in the block: set by noteThread until the thread traps
  void *runtime;
  WarpArrival warp;    ///< written by a thread before it suspends at a warp operation
  uint64_t warpResult; ///< what the thread that runs now is given by that operation
};

/// Runs all threads of a block one after the other. For kernels without barriers.
using BlockFunction = void (*)(BlockContext *, const uint64_t *arguments);
/// Starts one thread as a coroutine; it runs to its first barrier or warp operation, or to its end. Returns its frame, whose first word is
/// null when the thread has returned. Of a kernel with warp operations that word is the function that resumes it.
using ThreadFunction = void *(*)(BlockContext *, const uint64_t *arguments, uint32_t x, uint32_t y,
                                 uint32_t z);

/// A thread that waits at a barrier, or for memory.
struct Waiting {
  void *frame;
  uint32_t site;   ///< of the barrier, or yieldSite
  uint32_t thread; ///< its number in the block
};
/// Resumes `count` threads, one at least, one after the other; each runs to its next barrier or to its end. Those that
/// wait again come to the front, in order, with their sites. Returns how many they are.
using ResumeFunction = uint64_t (*)(BlockContext *, Waiting *threads, uint64_t count);

inline constexpr unsigned warpSize = 32;

/// The blocks that a form of a kernel runs.
enum class Grouped : uint32_t {
  No,         ///< all: there is no other form
  ByRows,     ///< those of which groupsByRows makes the same groups
  ByWarps,    ///< those of which groupsByWarps does
  ByWideRows, ///< those of one shape, of which groupsByWideRows does
};

/// Whether one call runs several consecutive blocks, all of them row of threads by row of threads.
enum class BlockRuns : uint32_t {
  No,     ///< one block a call
  AlongX, ///< consecutive along the grid's x
  AlongY  ///< along y: threads along y are neighbours in memory (simt::ThreadOrder)
};

/// A compiled kernel's entry, exported from its object as `<kernel>.entry`. Exactly one of `block` and `thread` is set.
struct KernelEntry {
  uint32_t version; ///< abiVersion
  uint32_t
      staticSharedBytes; ///< of all shared variables, laid out from offset 0 of BlockContext::shared
  uint32_t localBytes;   ///< stack that one thread's local arrays take
  uint32_t
      needsDeepStack; ///< 1 when the kernel recurses or has large local arrays: run on a worker's own stack
  uint32_t
      cooperative; ///< 1 when it has barriers of the whole grid: all its blocks must be under way at once
  uint32_t yields; ///< 1 when its threads may wait for others in loops, of other blocks, too
  uint32_t warps;  ///< 1 when its threads meet at warp operations
  uint32_t
      width; ///< threads that run together, as ThreadGroups describes: a "thread" is such a group
  uint32_t
      linear; ///< 1 when a group's x is the number in the block of its first thread, y and z are 0
  Grouped grouped;
  simt::ThreadOrder order; ///< which block to launch (simt::launched)
  BlockRuns runs;
  uint32_t blockDim[3]; ///< of the only blocks that it runs, as launched; 0 where it runs any
  BlockFunction block;
  ThreadFunction thread;
  ResumeFunction resume; ///< of `thread`'s coroutines; null where they meet at warp operations

  /// Whether a block may wait for others, so that it cannot be run to its end by itself.
  bool waitsForBlocks() const { return cooperative || yields; }
};

/// What generated code calls (defined in runtime/cpu, resolved by address when an object is loaded). None throws.
struct RuntimeEntryPoints {
  /// Memory for a coroutine frame of the running block; freed all together when the block ends.
  void *(*allocateFrame)(BlockContext *, uint64_t bytes, uint64_t alignment);
  /// Stops the running block with the site's error, for the thread that the context has. Does not return.
  void (*trap)(BlockContext *, uint32_t site, int64_t index, int64_t extent);
  /// The same for this thread and block; x is the thread's number in the block where `linear`.
  void (*trapThread)(BlockContext *, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by,
                     uint32_t bz, uint32_t linear, uint32_t site, int64_t index, int64_t extent);
  /// Notes whom the next checks are of: lane 0's thread and block, as above.
  void (*noteThread)(BlockContext *, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by,
                     uint32_t bz, uint32_t linear);
  /// Stops the running block with the site's error if the index of one of `lanes`, as bits, is not in [low, high); else
  /// returns. A lane's index is first + lane * stride.
  void (*checkLanes)(BlockContext *, uint32_t site, int64_t first, int64_t stride, int64_t low,
                     int64_t high, uint64_t lanes);
  /// The same for the indices of simt.check.index, of which there may be several, from first + lane * firstStride on.
  void (*checkLanesOfRanges)(BlockContext *, uint32_t site, int64_t first, int64_t firstStride,
                             int64_t last, int64_t lastStride, int64_t step, int64_t low,
                             int64_t high, uint64_t lanes);
  /// Stops the running block: a recursion ran out of stack. Does not return.
  void (*stackOverflow)(BlockContext *);
  void (*nanosleep)(BlockContext *, uint32_t nanoseconds);
  /// Writes a line: simt.print's format, and the values that it takes, 8 bytes each. Stops the running block when there
  /// is no memory for it.
  void (*print)(BlockContext *, const char *format, const void *values);
};
const RuntimeEntryPoints &runtimeEntryPoints();

} // namespace heddle::cpu
