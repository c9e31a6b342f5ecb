// The interface between generated code and the CPU runtime: the state of the block that a worker runs, and the entry
// table of a compiled kernel. Generated code accesses fields by byte offset, so their order is an ABI: change
// `abiVersion` with it.
#pragma once

#include "simt/ir/ops.h"
#include "simt/thread_order.h"

#include <cstddef>
#include <cstdint>

namespace heddle::cpu {

inline constexpr uint32_t abiVersion = 15;

/// Stands for a yield where a barrier's site is expected: the thread may be resumed at any time.
inline constexpr uint32_t yieldSite = ~0u;

/// The operands of the warp operation or named barrier at which a thread waits.
struct WarpArrival {
  simt::Op operation = simt::Op::Barrier; ///< Barrier: the thread waits for the block or the grid
  uint32_t bits; ///< width of operand and result: 32 or 64; 0 if not overloaded
  uint32_t mask; ///< participating lanes
  uint32_t lane; ///< shuffle: lane or distance; named barrier: its number
  uint32_t
      width; ///< shuffle: lanes per segment; named barrier: its threads, 0 for all of the block
  uint32_t reserved;
  uint64_t value; ///< sign-extended; a predicate is 0 or 1
};

/// An invalid mask detected by a vectorized warp, packed into the index operand of a trap at the warp operation's site.
/// The trap's extent is the mask.
struct WarpMaskError {
  static constexpr uint32_t ownMask = 255; ///< value of `other`: the lane is not in its own mask
  uint32_t lane, other;
  bool atBarrier;     ///< `other` waits at a block barrier instead of a warp operation
  uint32_t otherSite; ///< the site where `other` waits

  static constexpr unsigned otherBit = 8, barrierBit = 16, otherSiteBit = 32;
  static WarpMaskError of(uint64_t index) {
    return {uint32_t(index & 255), uint32_t(index >> otherBit & 255),
            (index >> barrierBit & 1) != 0, uint32_t(index >> otherSiteBit)};
  }
};

/// A worker's view of the block that it runs. `runtime` is opaque to generated code.
struct BlockContext {
  uint32_t block[3];      ///< simt.ctaid
  uint32_t blockDim[3];   ///< simt.ntid
  uint32_t gridDim[3];    ///< simt.nctaid
  uint32_t barrierSite;   ///< set by a thread before it suspends at a barrier, or yieldSite
  char *shared;           ///< static, then dynamic (16-byte aligned) shared memory; 64-byte aligned
  uint64_t dynamicShared; ///< bytes of dynamic shared memory
  uint32_t barrierTrue;   ///< threads that arrived with a true predicate
  uint32_t barrierArrived;       ///< threads that arrived with a predicate
  uint32_t barrierTrueResult;    ///< barrierTrue of the barrier just passed
  uint32_t barrierArrivedResult; ///< barrierArrived of the barrier just passed
  char *stackLimit;         ///< a recursive function traps if its stack grows below this address
  uint32_t thread[3];       ///< simt.tid of the running thread, set before a possible trap
  uint32_t gridBarrier;     ///< set by a thread before it suspends at a grid barrier
  uint32_t blocks;          ///< blocks per call, see KernelEntry::runs: consecutive from `block` on
  uint32_t stoppedBlock[3]; ///< simt.ctaid of the trapping thread, set before the trap
  uint32_t threadIsLinear;  ///< 1 if thread[0] is a linear index, between recordThread and the trap
  void *runtime;
  WarpArrival warp; ///< set by a thread before it suspends at a warp operation or a named barrier
  uint64_t warpResult; ///< result of that operation for the running thread
};

/// Runs all threads of a block (or of several, see BlockContext::blocks). For kernels without coroutines.
using BlockFunction = void (*)(BlockContext *, const uint64_t *arguments);
/// Starts a thread as a coroutine, which runs to its first barrier or warp operation, or to its end. Returns its frame,
/// whose first word is null if the thread has returned. In kernels with warp operations that word is the resume
/// function.
using ThreadFunction = void *(*)(BlockContext *, const uint64_t *arguments, uint32_t x, uint32_t y,
                                 uint32_t z);

/// A thread that waits at a barrier or for a memory write.
struct Waiting {
  void *frame;
  uint32_t site;   ///< site of the barrier, or yieldSite
  uint32_t thread; ///< linear index in the block
};
/// Resumes `count` >= 1 threads one after another; each runs to its next barrier or to its end. Threads that wait again
/// are moved to the front, in order, with their sites. Returns the number of these threads.
using ResumeFunction = uint64_t (*)(BlockContext *, Waiting *threads, uint64_t count);

inline constexpr unsigned warpSize = 32;

/// The blocks that a variant of a kernel can run.
enum class Grouped : uint32_t {
  No,         ///< all blocks: the only variant
  ByRows,     ///< blocks for which chooseRowGroups returns the same groups
  ByWarps,    ///< blocks for which chooseWarpGroups returns the same groups
  ByWideRows, ///< blocks of one shape for which chooseWideRowGroups returns the same groups
};

/// Selects whether one call runs several consecutive blocks, interleaved by rows of threads.
enum class BlockRuns : uint32_t {
  No,     ///< one block per call
  AlongX, ///< consecutive along the grid's x
  AlongY  ///< consecutive along y: threads along y are neighbors in memory (simt::ThreadOrder)
};

/// A compiled kernel's entry, exported from its object as `<kernel>.entry`. Either `block` or `thread` is set.
struct KernelEntry {
  uint32_t version;           ///< abiVersion
  uint32_t staticSharedBytes; ///< size of all static shared variables, at BlockContext::shared
  uint32_t localBytes;        ///< stack size of a thread's local arrays
  uint32_t needsDeepStack;    ///< 1 if recursive or with large local arrays: needs a worker's stack
  uint32_t cooperative;       ///< 1 if it has grid barriers: all its blocks must run concurrently
  uint32_t yields;            ///< 1 if its threads may spin on memory, also across blocks
  uint32_t warps;             ///< 1 if its threads wait at warp operations or named barriers
  uint32_t width;  ///< threads per group (ThreadGroups); other members call a group a "thread"
  uint32_t linear; ///< 1 if a group's x is the linear index of its first thread, y and z are 0
  Grouped grouped;
  simt::ThreadOrder order; ///< selects the launched extents (simt::launchExtents)
  BlockRuns runs;
  uint32_t blockDim[3]; ///< launched extents, if it runs blocks of one shape; else 0
  BlockFunction block;
  ThreadFunction thread;
  ResumeFunction resume; ///< resumes `thread`'s coroutines; null if `warps`

  /// Returns true if a block may wait for other blocks, so that it cannot run to completion alone.
  bool waitsForBlocks() const { return cooperative || yields; }
};

/// Functions that generated code calls. Defined in runtime/cpu; the loader resolves them by address. They do not throw.
struct RuntimeEntryPoints {
  /// Allocates memory for coroutine frames of the running block; freed when the block ends.
  void *(*allocateFrame)(BlockContext *, uint64_t bytes, uint64_t alignment);
  /// Stops the running block with the site's error, for the thread in the context. Does not return.
  void (*trap)(BlockContext *, uint32_t site, int64_t index, int64_t extent);
  /// Like trap, for the given thread and block; x is the linear index if `linear`.
  void (*trapThread)(BlockContext *, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by,
                     uint32_t bz, uint32_t linear, uint32_t site, int64_t index, int64_t extent);
  /// Records the thread and block of lane 0 for the next checkLanes(); arguments as above.
  void (*recordThread)(BlockContext *, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by,
                       uint32_t bz, uint32_t linear);
  /// Stops the running block with the site's error if the index of one of `lanes` (a bit mask) is not in [low, high).
  /// The index of a lane is first + lane * stride.
  void (*checkLanes)(BlockContext *, uint32_t site, int64_t first, int64_t stride, int64_t low,
                     int64_t high, uint64_t lanes);
  /// Like checkLanes, for the index ranges of simt.check.index; a lane's range starts at first + lane * firstStride.
  void (*checkLanesOfRanges)(BlockContext *, uint32_t site, int64_t first, int64_t firstStride,
                             int64_t last, int64_t lastStride, int64_t step, int64_t low,
                             int64_t high, uint64_t lanes);
  /// Stops the running block after a recursion has exhausted the stack. Does not return.
  void (*stackOverflow)(BlockContext *);
  void (*nanosleep)(BlockContext *, uint32_t nanoseconds);
  /// Prints `values`, 8 bytes each, with the format of simt.print. Stops the running block if memory runs out.
  void (*print)(BlockContext *, const char *format, const void *values);
  // The operations simt.check.*, for the context's thread and block.
  uint32_t (*checkAccess)(BlockContext *, uint32_t site, const void *address, const void *base,
                          uint64_t bytes, uint32_t access, uint64_t value);
  void (*checkSync)(BlockContext *, uint32_t kind, uint32_t operand);
  void (*checkReport)(BlockContext *, uint32_t site, int64_t index, int64_t extent);
  void (*checkForget)(BlockContext *, const void *address, uint64_t bytes);
  uint64_t (*checkLoad)(BlockContext *, uint32_t site, const void *address, const void *base,
                        uint64_t bytes);
  void (*checkStore)(BlockContext *, const void *address, uint64_t bytes, uint64_t definedness);
  void (*checkCopy)(BlockContext *, const void *to, const void *from, uint64_t bytes);
  void (*checkUse)(BlockContext *, uint32_t site, uint64_t definedness);
  uint32_t (*checkBlock)(BlockContext *, uint32_t site);
};
const RuntimeEntryPoints &runtimeEntryPoints();

} // namespace heddle::cpu
