// Runs blocks of a kernel, one after the other, on the thread that owns the runner.
#pragma once

#include "runtime/cpu/blocks/frame_arena.h"
#include "runtime/cpu/blocks/kernel_run.h"
#include "runtime/cpu/blocks/warp.h"
#include "support/os/code_faults.h"
#include "support/os/code_interrupts.h"

#include <csetjmp>
#include <utility>
#include <vector>

namespace heddle::cpu {

/// Shared memory, coroutine frames and stack bounds of one worker, and the loop over blocks.
///
/// A kernel without barriers is one call a block. With barriers each thread is a coroutine:
///
///     start every thread, in order           each runs to its first barrier or to its end
///     while threads wait:
///       all at the same barrier, or whole warps at barriers of one kind?  else error
///       publish the barrier's counts
///       resume every waiting thread, in order
///
/// Where threads yield, those go on in turns before a barrier is looked at. When they have yielded often, the block is
/// left as it is: they may wait for other blocks.
///
/// A thread that has returned is not in the next round, so it holds nobody up. Where the kernel has warp operations, "run
/// to the first barrier" is done by warps: all 32 threads, and again those whose warp operation is complete, until every
/// lane of the warp has returned or waits at a barrier of the block.
///
/// A trap, a fault of the generated code, or an interrupt leaves the block by longjmp: no frame between run() and generated
/// code may hold an object with a destructor. An interrupt comes as a signal. Where the thread is in generated code then,
/// which holds no lock, it leaves at once, else when it next passes stopHere().
class BlockRunner {
public:
  /// Belongs to the calling thread. Takes all the memory that any block needs, but for coroutine frames. Throws
  /// std::bad_alloc.
  BlockRunner();
  ~BlockRunner();
  /// Makes it the calling thread's, which allocates nothing with a reserved entry.
  void adopt(os::CodeThread *reserved = nullptr);
  /// The calling thread's runner, for a thread that is no worker of the pool; null when there is no memory for one, and
  /// in the handler of a signal that arrived in a block.
  static BlockRunner *ofThisThread();
  BlockRunner(const BlockRunner &) = delete;
  BlockRunner &operator=(const BlockRunner &) = delete;

  /// Runs the blocks from `begin` until `end` (linear indices, x fastest, or y where the kernel runs along it), until the
  /// run is stopped, or until the steady clock passes `deadlineNanoseconds` (0: none). Returns the first block that it did
  /// not run.
  uint64_t run(KernelRun &run, uint64_t begin, uint64_t end,
               uint64_t deadlineNanoseconds = 0) noexcept;

  /// Starts a block that may wait for others, and later goes on with it: until its threads wait again (true) or until
  /// every thread of the block has returned or the run has failed (false).
  bool start(KernelRun &run, uint64_t block) noexcept;
  bool resume(KernelRun &run) noexcept;
  /// Of a block that waits: whether it does at a barrier of the grid. Else for memory to be written.
  bool waitsForGrid() const { return context_.gridBarrier && !yields(); }

  /// Whether the interrupt check has stopped a run here since the last call.
  bool takeInterrupt() { return std::exchange(interrupted_, false); }

  /// Whether the thread's stack has room for a kernel that is not known to need little.
  bool stackHasRoom() const;
  /// Gives back memory that a large block took.
  void trim() { arena_.trim(); }

  // What generated code reaches through BlockContext::runtime.
  void *allocateFrame(uint64_t bytes, uint64_t alignment);
  [[noreturn]] void trap(uint32_t site, int64_t index, int64_t extent);
  [[noreturn]] void stackOverflow();
  [[noreturn]] void printOutOfMemory();
  /// Leaves the block where the run is to stop: for functions that generated code calls, before they return to it.
  void stopHere();

private:
  enum class Stop {
    None,
    Trap,
    Fault,
    StackOverflow,
    FrameOutOfMemory,
    PrintOutOfMemory,
    Interrupt,
    Divergence,
    WarpDivergence,
    NotInMask
  };

  /// Calls `work` on the run's blocks; what it returns, or `failed` where a jump has left it.
  template <class Result, class Work>
  Result guard(KernelRun &run, Result failed, Work work) noexcept;
  void enter(KernelRun &run, uint64_t begin);
  uint64_t runBlocks(KernelRun &run, uint64_t begin, uint64_t end, uint64_t deadline);
  /// How many threads the coroutine is whose first thread has that number.
  uint32_t threadsTogether(const KernelEntry &entry, uint32_t thread) const;
  void startThreads(const KernelRun &run);
  void resumeThreads(const KernelRun &run);
  /// Whether threads wait for memory to be written.
  bool yields() const;
  void resumeYielding(const KernelRun &run);
  // The same by warps (block_runner_warps.cpp).
  void startWarps(const KernelRun &run);
  void resumeWarps();
  void resumeYieldingLanes();
  /// Resumes lanes of warps_[warp] until none waits at a warp operation.
  void settle(size_t warp);
  void resumeLanes(size_t warp, LaneMask lanes);
  void noteLane(size_t warp, unsigned lane);
  /// From barrier to barrier; whether the threads wait for other blocks (else all have returned).
  bool passBarriers(const KernelRun &run);
  /// first: the axis along which blocks follow one another.
  void nextBlock(unsigned first);
  /// The first thread that must not wait where it does, after the one before it; the end where all may go on.
  std::vector<Waiting>::const_iterator firstAstray(const KernelRun &run) const;
  /// How many of the threads from `begin` until `end` wait at the site.
  uint32_t threadsAt(const KernelRun &run, uint32_t site, uint32_t begin, uint32_t end) const;
  [[noreturn]] void leave(Stop why);
  static void leaveByFault(void *runner, int signal, const void *address);
  static bool isToLeave(void *runner, bool inCode);
  std::shared_ptr<const KernelError> describeStop(const KernelRun &run) const;
  std::shared_ptr<const KernelError> describeFault(const KernelRun &run) const;
  std::shared_ptr<const KernelError> describeDivergence(const KernelRun &run) const;
  std::shared_ptr<const KernelError> describeWarpDivergence(const KernelRun &run) const;
  std::shared_ptr<const KernelError> describeLaneNotInMask(const KernelRun &run) const;
  /// The same of a warp that runs as vectors: of what a trap at the operation's site tells.
  std::shared_ptr<const KernelError> describeWarpStop(const KernelRun &run) const;
  std::string whereLaneWaits(const KernelRun &run, unsigned lane) const;
  std::shared_ptr<const KernelError> errorAt(const KernelRun &run, uint32_t thread,
                                             const simt::SiteInfo &site,
                                             const std::string &message) const;
  std::shared_ptr<const KernelError> warpError(const KernelRun &run, unsigned lane,
                                               const std::string &message) const;

  BlockContext context_{};
  FrameArena arena_;
  std::vector<Waiting> waiting_;  ///< at barriers of the block, or for memory
  std::vector<Waiting> yielding_; ///< while they are resumed
  std::vector<Warp> warps_;       ///< of a kernel with warp operations; else empty
  std::vector<void *> frames_;    ///< of the warps' lanes, 32 each
  size_t stoppedWarp_ = 0;
  unsigned stoppedLane_ = 0;
  char *shared_ = nullptr;

  jmp_buf escape_;
  Stop stop_ = Stop::None;
  uint32_t trapSite_ = 0;
  int64_t trapIndex_ = 0;
  int64_t trapExtent_ = 0;
  uint64_t frameBytes_ = 0;
  KernelRun *run_ = nullptr;       ///< while blocks of it run
  std::atomic<bool> asked_{false}; ///< to stop, in the middle of a function of the runtime
  bool interrupted_ = false;
  os::CodeThread *thread_ = nullptr;
  const os::FaultExit faultExit_{leaveByFault, this, isToLeave};
  int faultSignal_ = 0;
  const void *faultAddress_ = nullptr;
};

/// Null when the coroutine of `frame` has returned; what resumes it, of a kernel with warp operations.
using ResumeOne = void (*)(void *frame);
inline ResumeOne resumeOf(void *frame) { return *static_cast<ResumeOne *>(frame); }

/// The kernel's site of that index.
simt::SiteInfo siteAt(const Kernel &kernel, uint32_t index);

/// Nanoseconds of the steady clock.
uint64_t now();

} // namespace heddle::cpu
