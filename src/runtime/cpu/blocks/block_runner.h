// Runs a kernel's blocks one after another on one thread.
#pragma once

#include "runtime/cpu/blocks/frame_arena.h"
#include "runtime/cpu/blocks/kernel_run.h"
#include "runtime/cpu/blocks/named_barriers.h"
#include "runtime/cpu/blocks/warp.h"
#include "support/os/code_faults.h"
#include "support/os/code_interrupts.h"

#include <csetjmp>
#include <utility>
#include <vector>

namespace heddle::cpu {

/// One worker's block loop, with its shared memory, coroutine frames and stack bounds.
///
/// A kernel without barriers is one call per block. With barriers each thread is a coroutine:
///
///     start every thread, in order           each runs to its first barrier or to its end
///     while threads wait:
///       all at the same barrier, or whole warps at barriers of one kind?  else error, or a finding in checked runs
///       publish the barrier's counts
///       resume every waiting thread, in order
///
/// Threads that yield are resumed in turns before barriers are checked. After many yields the block is suspended,
/// because its threads may wait for other blocks.
///
/// A thread that has returned no longer takes part, so no other thread waits for it. In kernels with warp operations,
/// warps run to the first barrier as a unit: first all 32 threads, then repeatedly the threads whose warp operation is
/// complete, until every lane of the warp has returned or waits at a block barrier. Kernels with named barriers run in
/// the same way, except that a warp is resumed when its own barrier is complete.
///
/// A trap, a fault in generated code, or an interrupt leaves the block with longjmp. Frames between run() and generated
/// code must therefore hold no objects with destructors. An interrupt arrives as a signal. A thread in generated code,
/// which holds no locks, leaves at once; other threads leave at the next leaveIfStopped().
class BlockRunner {
public:
  /// Creates a runner for the calling thread. Allocates all memory that blocks need, except coroutine frames. Throws
  /// std::bad_alloc.
  BlockRunner();
  ~BlockRunner();
  /// Moves the runner to the calling thread. Allocates nothing if `reserved` is given.
  void moveToCallingThread(os::CodeThread *reserved = nullptr);
  /// The runner of the calling thread, for threads outside the pool. Null if memory is exhausted, or if the runner is
  /// inside a block (in a signal handler).
  static BlockRunner *ofThisThreadIfIdle();
  BlockRunner(const BlockRunner &) = delete;
  BlockRunner &operator=(const BlockRunner &) = delete;

  /// Runs the blocks [begin, end) and returns the first block that did not run; `end` after an error. Indices are
  /// linear, with x fastest, or y for kernels with BlockRuns::AlongY. Stops early if the run is stopped or when the
  /// steady clock passes `deadlineNanoseconds` (0: no deadline).
  uint64_t run(KernelRun &run, uint64_t begin, uint64_t end,
               uint64_t deadlineNanoseconds = 0) noexcept;

  /// Starts a block that may wait for other blocks; resumeUntilWaitingForBlocks() continues it. Both return true when
  /// the block's threads wait again, and false when all threads have returned or the run has failed.
  bool startUntilWaitingForBlocks(KernelRun &run, uint64_t block) noexcept;
  bool resumeUntilWaitingForBlocks(KernelRun &run) noexcept;
  /// True if the suspended block waits at a grid barrier, false if it waits for memory to be written.
  bool waitsForGrid() const { return context_.gridBarrier && !hasYieldingThreads(); }

  /// Returns true if the interrupt check has stopped a run on this runner since the last call.
  bool takeWasInterrupted() { return std::exchange(interrupted_, false); }

  /// True if the thread's stack has room for a kernel with unknown stack use.
  bool stackHasRoom() const;
  /// True for an address in local memory of the block's threads.
  bool isLocalMemory(const void *address) const;
  /// Frees memory that a large block allocated.
  void trim() { arena_.trim(); }

  /// The size of shared memory: fits the largest static and dynamic parts of a launch, and the gap between them.
  static constexpr size_t sharedBytes = size_t(256) << 10;

  // Called by generated code through BlockContext::runtime.
  void *allocateFrame(uint64_t bytes, uint64_t alignment);
  [[noreturn]] void trap(uint32_t site, int64_t index, int64_t extent);
  [[noreturn]] void leaveOnStackOverflow();
  [[noreturn]] void leaveOnPrintWithoutMemory();
  /// Calls `work` with the checked launch and returns its result. Stops the running block if memory runs out.
  template <class Work> auto callWithCheckedLaunch(Work work) {
    try {
      return work(*run_->checked);
    } catch (const std::bad_alloc &) {
    }
    jumpOutOfBlock(Stop::CheckOutOfMemory);
  }
  /// Leaves the block if the run is stopped. Runtime functions call this before they return to generated code.
  void leaveIfStopped();

private:
  enum class Stop {
    None,
    Trap,
    Fault,
    StackOverflow,
    FrameOutOfMemory,
    PrintOutOfMemory,
    CheckOutOfMemory,
    Interrupt,
    Divergence,
    WarpDivergence,
    NotInMask,
    NamedBarrier,
    NamedBarrierMisuse
  };

  /// Calls `work` and returns its result. If jumpOutOfBlock() ends `work`, records the error in `run` and returns
  /// `failed`.
  template <class Result, class Work>
  Result runCatchingStops(KernelRun &run, Result failed, Work work) noexcept;
  void initContextForBlocks(KernelRun &run, uint64_t begin);
  uint64_t runBlocks(KernelRun &run, uint64_t begin, uint64_t end, uint64_t deadline);
  /// The number of threads in the coroutine whose first thread is `thread`.
  uint32_t threadsInCoroutine(const KernelEntry &entry, uint32_t thread) const;
  void startThreads(const KernelRun &run);
  void resumeThreads(const KernelRun &run);
  /// Stops the block if threads wait at different barriers. In a checked run, reports them instead.
  BarrierRelease checkMeetingAndDecideRelease(const KernelRun &run);
  /// True if the block's threads wait for each other in loops. Only checked runs detect and report this.
  bool reportIfDeadlocked(const KernelRun &run);
  /// Publishes the counts of the barriers at which threads wait.
  void publishAndResetBarrierCounts();
  /// True if threads wait for other threads to write memory.
  bool hasYieldingThreads() const;
  /// Resumes only the threads that wait at the site.
  void resumeThreadsAt(const KernelRun &run, uint32_t site);
  // For kernels with warp operations, whose lanes run one warp at a time (block_runner_warps.cpp).
  void startWarps(const KernelRun &run);
  void resumeWarps();
  void resumeLanesAt(uint32_t site);
  /// Resumes lanes of warps_[warp] until all of them wait at barriers, and adds them to waiting_.
  void resumeWarpUntilBarrier(size_t warp);
  /// Resumes lanes of warps_[warp] until no lane waits at a warp operation.
  void completeWarpOperations(size_t warp);
  void resumeLanes(size_t warp, LaneMask lanes);
  void recordLaneStop(size_t warp, unsigned lane);
  /// Stops the block because lanes wait for lanes that cannot arrive. A checked run is not stopped: it reports the
  /// wait, completes an operation without the missing lanes, and returns the lanes that can continue.
  LaneMask completeWithoutMissingLanes(size_t warp);
  // For kernels with named barriers (block_runner_named_barriers.cpp).
  /// Counts the arrival of warps_[warp] if all its lanes wait at one named barrier. Returns true if they go on at once.
  bool arriveAtNamedBarrier(size_t warp);
  /// Resumes the warps whose named barrier is complete. Returns false if there are none.
  bool resumeReleasedWarps();
  /// A warp with lanes at named barriers; nullopt if there is none.
  std::optional<size_t> findWarpAtNamedBarrier() const;
  /// Runs from barrier to barrier. Returns true if threads wait for other blocks, false if all have returned.
  bool runUntilWaitingForBlocks(const KernelRun &run);
  /// Advances to the next block; `first` is the axis that varies fastest.
  void advanceBlock(unsigned first);
  /// The first waiting thread whose barrier does not match that of the waiting thread before it; end() if all match.
  std::vector<Waiting>::const_iterator findDivergentThread(const KernelRun &run) const;
  /// The number of threads in [begin, end) that wait at `site`.
  uint32_t countThreadsAt(const KernelRun &run, uint32_t site, uint32_t begin, uint32_t end) const;
  [[noreturn]] void jumpOutOfBlock(Stop why);
  static void leaveByFault(void *runner, int signal, const void *address);
  static bool checkInterruptOrDefer(void *runner, bool inCode);
  std::shared_ptr<const KernelError> makeStopError(const KernelRun &run) const;
  std::shared_ptr<const KernelError> makeFaultError(const KernelRun &run) const;
  std::shared_ptr<const KernelError> makeDivergenceError(const KernelRun &run) const;
  std::shared_ptr<const KernelError> makeWarpDivergenceError(const KernelRun &run) const;
  std::shared_ptr<const KernelError> makeLaneNotInMaskError(const KernelRun &run) const;
  /// Decodes the trap of a warp that runs as vectors into an error: a warp operation has a wrong mask.
  std::shared_ptr<const KernelError> makeWarpMaskTrapError(const KernelRun &run) const;
  std::shared_ptr<const KernelError> makeNamedBarrierError(const KernelRun &run) const;
  std::shared_ptr<const KernelError> makeNamedBarrierMisuseError(const KernelRun &run) const;
  std::string describeMisuse(const WarpArrival &arrival) const;
  /// Describes where a warp waits that does not wait at barrier `number`.
  std::string describeWaitElsewhere(const KernelRun &run, uint32_t number) const;
  std::string describeLaneWait(const KernelRun &run, size_t ofWarp, unsigned lane) const;
  std::shared_ptr<const KernelError> makeErrorAt(const KernelRun &run, uint32_t thread,
                                                 const simt::SiteInfo &site,
                                                 const std::string &message) const;
  std::shared_ptr<const KernelError> makeWarpError(const KernelRun &run, unsigned lane,
                                                   const std::string &message) const;

  BlockContext context_{};
  FrameArena arena_;
  std::vector<Waiting> waiting_;  ///< threads at block barriers or waiting for memory
  std::vector<Waiting> yielding_; ///< threads of waiting_ that are resumed before others
  std::vector<Warp> warps_;       ///< for kernels with warp operations, else empty
  std::vector<void *> frames_;    ///< frames of the warps' lanes, 32 per warp
  NamedBarriers barriers_;        ///< of the warps
  bool hasNamedBarriers_ = false; ///< a thread of this block has reached one
  BarrierMisuse misuse_ = BarrierMisuse::None;
  uint32_t operationsWithoutOthers_ = 0; ///< of this block, see completeWithoutMissingLanes()
  size_t stoppedWarp_ = 0;
  unsigned stoppedLane_ = 0;
  char *shared_ = nullptr;

  jmp_buf escape_;
  Stop stop_ = Stop::None;
  uint32_t trapSite_ = 0;
  int64_t trapIndex_ = 0;
  int64_t trapExtent_ = 0;
  uint64_t frameBytes_ = 0;
  KernelRun *run_ = nullptr; ///< set while blocks of the run execute
  std::atomic<bool> interruptPending_{
      false}; ///< an interrupt arrived while a runtime function was running
  bool interrupted_ = false;
  os::CodeThread *thread_ = nullptr;
  const os::FaultExit faultExit_{leaveByFault, this, checkInterruptOrDefer};
  int faultSignal_ = 0;
  const void *faultAddress_ = nullptr;
};

/// The function that resumes the coroutine; null once the coroutine has returned. For kernels with warp operations.
using ResumeOne = void (*)(void *frame);
inline ResumeOne resumeFunctionOf(void *frame) { return *static_cast<ResumeOne *>(frame); }

/// The kernel's site with index `index`.
simt::SiteInfo siteAt(const Kernel &kernel, uint32_t index);

/// The steady clock in nanoseconds.
uint64_t steadyNanoseconds();

} // namespace heddle::cpu
