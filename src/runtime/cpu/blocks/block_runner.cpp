#include "runtime/cpu/blocks/block_runner.h"

#include "runtime/cpu/check/checked_launch.h"
#include "runtime/cpu/code/print_line.h"
#include "support/os/guarded_run.h"
#include "support/os/interrupt_signal.h"
#include "support/os/machine.h"
#include "support/os/threads.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <thread>

namespace heddle::cpu {

namespace {

/// Stack kept free below a recursive function for its callees (libm, the trap).
constexpr size_t stackMargin = size_t(128) << 10;
/// Stack use of a kernel without deep recursion or large arrays.
constexpr size_t ordinaryStack = size_t(256) << 10;

/// The number of rounds of yielding threads before other blocks run.
constexpr unsigned maxYieldRounds = 32;
/// Limits the threads per call, so that a stopped launch ends soon. Rows of most matrices have fewer threads.
constexpr uint64_t maxThreadsPerCall = uint64_t(1) << 17;

void copyExtents(const Dim3 &d, uint32_t (&to)[3]) {
  to[0] = d.x;
  to[1] = d.y;
  to[2] = d.z;
}

std::string formatLineOfSite(const simt::SiteInfo &site) {
  return "line " + std::to_string(site.line);
}

/// True if warps at these two barriers release each other, as on a GPU: PTX counts arrivals per barrier number, but
/// barriers with a reduction must not mix with others (PTX ISA 9.0, "bar, barrier").
bool canReleaseEachOther(const Kernel &kernel, uint32_t site, uint32_t other) {
  const auto &sites = kernel.sites();
  return site < sites.size() && other < sites.size() && !sites[site].message.empty() &&
         sites[site].message == sites[other].message;
}

} // namespace

simt::SiteInfo siteAt(const Kernel &kernel, uint32_t index) {
  const auto &sites = kernel.sites();
  return index < sites.size()
             ? sites[index]
             : simt::SiteInfo{.kind = "KernelRuntimeError", .message = "kernel stopped"};
}

uint64_t steadyNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

BlockRunner::BlockRunner() {
  os::keepFaultHandler();
  moveToCallingThread();
  context_.runtime = this;
  constexpr uint32_t threads = LaunchLimits().maxThreadsPerBlock;
  waiting_.reserve(threads);
  yielding_.reserve(threads);
  warps_.reserve(threads / warpSize);
  frames_.reserve(threads);
  shared_ = static_cast<char *>(std::aligned_alloc(64, sharedBytes));
  if (!shared_)
    throw std::bad_alloc();
  context_.shared = shared_;
}

void BlockRunner::moveToCallingThread(os::CodeThread *reserved) {
  context_.stackLimit = os::currentStack().low + stackMargin;
  thread_ = &os::currentCodeThread(reserved);
}

BlockRunner *BlockRunner::ofThisThreadIfIdle() {
  thread_local std::unique_ptr<BlockRunner> runner;
  if (!runner)
    try {
      runner = std::make_unique<BlockRunner>();
    } catch (const std::bad_alloc &) {
    }
  return runner && !runner->run_ ? runner.get() : nullptr;
}

BlockRunner::~BlockRunner() { std::free(shared_); }

bool BlockRunner::isLocalMemory(const void *address) const {
  char here;
  const auto *byte = static_cast<const char *>(address);
  return (byte > &here && byte < os::currentStack().high) || arena_.contains(address);
}

bool BlockRunner::stackHasRoom() const {
  char here;
  return &here - context_.stackLimit >= ptrdiff_t(ordinaryStack);
}

template <class Result, class Work>
Result BlockRunner::runCatchingStops(KernelRun &run, Result failed, Work work) noexcept {
  os::DefaultFloatEnvironment floats;
  os::FaultExitScope faults(faultExit_);
  Result result;
  run_ = &run;
  interruptPending_.store(false, std::memory_order_relaxed);
  thread_->enter();
  if (setjmp(escape_) == 0) {
    result = work();
  } else {
    result = failed;
    if (stop_ != Stop::Interrupt)
      run.failWith([&] { return makeStopError(run); });
  }
  thread_->leave();
  run_ = nullptr;
  return result;
}

uint64_t BlockRunner::run(KernelRun &run, uint64_t begin, uint64_t end,
                          uint64_t deadline) noexcept {
  initContextForBlocks(run, begin);
  return runCatchingStops(run, end, [&] { return runBlocks(run, begin, end, deadline); });
}

void BlockRunner::initContextForBlocks(KernelRun &run, uint64_t begin) {
  const LaunchShape &shape = run.shape;
  const Dim3 &grid = shape.grid, &block = shape.block;
  uint64_t plane = uint64_t(grid.x) * grid.y;
  bool alongY = run.entry.runs == BlockRuns::AlongY;
  uint32_t row = alongY ? grid.y : grid.x;
  context_.block[alongY] = uint32_t(begin % row);
  context_.block[!alongY] = uint32_t(begin % plane / row);
  context_.block[2] = uint32_t(begin / plane);
  context_.blocks = 1;
  copyExtents(block, context_.blockDim);
  copyExtents(grid, context_.gridDim);
  context_.dynamicShared = shape.dynamicSharedBytes;
  stop_ = Stop::None;
}

uint64_t BlockRunner::runBlocks(KernelRun &run, uint64_t begin, uint64_t end, uint64_t deadline) {
  const KernelEntry &entry = run.entry;
  unsigned first = entry.runs == BlockRuns::AlongY;
  uint64_t mostTogether = maxThreadsPerCall / run.shape.block.count();
  for (uint64_t i = begin; i < end; i += context_.blocks) {
    leaveIfStopped();
    if (run.stop.load(std::memory_order_relaxed))
      return i;
    if (deadline && i != begin && steadyNanoseconds() > deadline)
      return i;
    if (entry.runs != BlockRuns::No) {
      uint64_t inRow = context_.gridDim[first] - context_.block[first];
      context_.blocks = uint32_t(std::min({inRow, end - i, mostTogether}));
    }
    if (run.filtered)
      run.filtered->clearSharedCells();
    if (entry.block) {
      arena_.reset();
      entry.block(&context_, run.arguments);
    } else {
      startThreads(run);
      runUntilWaitingForBlocks(run);
    }
    advanceBlock(first);
  }
  return end;
}

void BlockRunner::advanceBlock(unsigned first) {
  uint32_t *block = context_.block;
  if ((block[first] += context_.blocks) < context_.gridDim[first])
    return;
  block[first] = 0;
  if (++block[!first] < context_.gridDim[!first])
    return;
  block[!first] = 0;
  ++block[2];
}

bool BlockRunner::startUntilWaitingForBlocks(KernelRun &run, uint64_t block) noexcept {
  initContextForBlocks(run, block);
  return runCatchingStops(run, false, [&] {
    startThreads(run);
    return runUntilWaitingForBlocks(run);
  });
}

bool BlockRunner::resumeUntilWaitingForBlocks(KernelRun &run) noexcept {
  return runCatchingStops(run, false, [&] {
    if (!hasYieldingThreads()) {
      context_.gridBarrier = 0;
      resumeThreads(run);
    }
    return runUntilWaitingForBlocks(run);
  });
}

void BlockRunner::startThreads(const KernelRun &run) {
  arena_.reset();
  waiting_.clear();
  context_.barrierTrue = context_.barrierArrived = context_.gridBarrier = 0;
  warps_.clear();
  operationsWithoutOthers_ = 0;
  hasNamedBarriers_ = false;
  if (run.entry.warps)
    return startWarps(run);
  const KernelEntry &entry = run.entry;
  const uint32_t *block = context_.blockDim;
  const uint32_t whole[3] = {block[0] * block[1] * block[2], 1, 1};
  const uint32_t *dim = entry.linear ? whole : block;
  for (uint32_t z = 0; z < dim[2]; ++z)
    for (uint32_t y = 0; y < dim[1]; ++y)
      for (uint32_t x = 0; x < dim[0]; x += entry.width) {
        void *frame = entry.thread(&context_, run.arguments, x, y, z);
        if (frame && resumeFunctionOf(frame))
          waiting_.push_back({frame, context_.barrierSite, (z * dim[1] + y) * dim[0] + x});
      }
}

uint32_t BlockRunner::threadsInCoroutine(const KernelEntry &entry, uint32_t thread) const {
  const uint32_t *dim = context_.blockDim;
  uint32_t row = entry.linear ? dim[0] * dim[1] * dim[2] : dim[0];
  return std::min(entry.width, row - thread % row);
}

bool BlockRunner::runUntilWaitingForBlocks(const KernelRun &run) {
  // Barriers do not reset the count, because a loop that waits for another block may contain them.
  unsigned rounds = 0;
  while (!waiting_.empty()) {
    if (run.stop.load(std::memory_order_relaxed))
      jumpOutOfBlock(Stop::Interrupt);
    leaveIfStopped();
    bool resumed = hasNamedBarriers_ && resumeReleasedWarps();
    if (hasYieldingThreads()) {
      if (++rounds > maxYieldRounds)
        return true;
      resumeThreadsAt(run, yieldSite);
      if (reportIfDeadlocked(run))
        return false;
      continue;
    }
    if (resumed)
      continue;
    BarrierRelease release = checkMeetingAndDecideRelease(run);
    if (release.isAbandoned)
      return false;
    if (release.onlySite) {
      publishAndResetBarrierCounts();
      resumeThreadsAt(run, *release.onlySite);
      continue;
    }
    if (context_.gridBarrier)
      return true;
    resumeThreads(run);
  }
  return false;
}

BarrierRelease BlockRunner::checkMeetingAndDecideRelease(const KernelRun &run) {
  if (run.checked)
    return callWithCheckedLaunch([&](CheckedLaunch &checked) {
      return checked.checkBarrierAndDecideRelease(context_, waiting_,
                                                  hasNamedBarriers_ ? &barriers_ : nullptr);
    });
  if (std::optional<size_t> warp = findWarpAtNamedBarrier()) {
    stoppedWarp_ = *warp;
    jumpOutOfBlock(Stop::NamedBarrier);
  }
  if (findDivergentThread(run) != waiting_.end())
    jumpOutOfBlock(Stop::Divergence);
  return {};
}

bool BlockRunner::reportIfDeadlocked(const KernelRun &run) {
  return run.checked && callWithCheckedLaunch([&](CheckedLaunch &checked) {
           return checked.endIterationAndReportDeadlock(context_, waiting_);
         });
}

void BlockRunner::publishAndResetBarrierCounts() {
  context_.barrierTrueResult = context_.barrierTrue;
  context_.barrierArrivedResult = context_.barrierArrived;
  context_.barrierTrue = context_.barrierArrived = 0;
}

void BlockRunner::resumeThreads(const KernelRun &run) {
  publishAndResetBarrierCounts();
  if (!warps_.empty())
    return resumeWarps();
  waiting_.resize(run.entry.resume(&context_, waiting_.data(), waiting_.size()));
}

bool BlockRunner::hasYieldingThreads() const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [](const Waiting &w) { return w.site == yieldSite; });
}

void BlockRunner::resumeThreadsAt(const KernelRun &run, uint32_t site) {
  if (!warps_.empty())
    return resumeLanesAt(site);
  yielding_.clear();
  std::erase_if(waiting_, [&](const Waiting &w) {
    if (w.site == site)
      yielding_.push_back(w);
    return w.site == site;
  });
  yielding_.resize(run.entry.resume(&context_, yielding_.data(), yielding_.size()));
  waiting_.insert(waiting_.end(), yielding_.begin(), yielding_.end());
  std::sort(waiting_.begin(), waiting_.end(),
            [](const Waiting &a, const Waiting &b) { return a.thread < b.thread; });
}

std::vector<Waiting>::const_iterator BlockRunner::findDivergentThread(const KernelRun &run) const {
  auto mustNot = [&](const Waiting &before, const Waiting &w) {
    if (before.site == w.site)
      return false;
    uint32_t last = before.thread + threadsInCoroutine(run.entry, before.thread) - 1;
    return last / warpSize == w.thread / warpSize ||
           !canReleaseEachOther(run.kernel, before.site, w.site);
  };
  auto found = std::adjacent_find(waiting_.begin(), waiting_.end(), mustNot);
  return found == waiting_.end() ? found : std::next(found);
}

uint32_t BlockRunner::countThreadsAt(const KernelRun &run, uint32_t site, uint32_t begin,
                                     uint32_t end) const {
  uint32_t count = 0;
  for (const Waiting &w : waiting_)
    if (w.site == site) {
      uint32_t last = std::min(end, w.thread + threadsInCoroutine(run.entry, w.thread));
      uint32_t first = std::max(begin, w.thread);
      count += last > first ? last - first : 0;
    }
  return count;
}

void BlockRunner::jumpOutOfBlock(Stop why) {
  stop_ = why;
  longjmp(escape_, 1);
}

void *BlockRunner::allocateFrame(uint64_t bytes, uint64_t alignment) {
  void *frame = arena_.allocate(bytes, alignment);
  leaveIfStopped();
  if (frame)
    return frame;
  frameBytes_ = bytes;
  jumpOutOfBlock(Stop::FrameOutOfMemory);
}

void BlockRunner::trap(uint32_t site, int64_t index, int64_t extent) {
  trapSite_ = site;
  trapIndex_ = index;
  trapExtent_ = extent;
  jumpOutOfBlock(Stop::Trap);
}

void BlockRunner::leaveByFault(void *runner, int signal, const void *address) {
  auto &mine = *static_cast<BlockRunner *>(runner);
  mine.faultSignal_ = signal;
  mine.faultAddress_ = address;
  mine.jumpOutOfBlock(signal ? Stop::Fault : Stop::Interrupt);
}

bool BlockRunner::checkInterruptOrDefer(void *runner, bool inCode) {
  auto &mine = *static_cast<BlockRunner *>(runner);
  KernelRun *run = mine.run_;
  if (!inCode || !run) {
    mine.interruptPending_ = true;
    return false;
  }
  // The main thread calls the interrupt check, as waits do. It may run the embedder's code at any point of a kernel.
  if (!run->stop && os::isMainThread() && callInterruptCheck()) {
    run->interrupt();
    mine.interrupted_ = true;
  }
  return run->stop;
}

void BlockRunner::leaveIfStopped() {
  if (!interruptPending_.load(std::memory_order_relaxed))
    return;
  interruptPending_ = false;
  if (checkInterruptOrDefer(this, /*inCode=*/true))
    jumpOutOfBlock(Stop::Interrupt);
}

void BlockRunner::leaveOnStackOverflow() { jumpOutOfBlock(Stop::StackOverflow); }

void BlockRunner::leaveOnPrintWithoutMemory() { jumpOutOfBlock(Stop::PrintOutOfMemory); }

std::shared_ptr<const KernelError> BlockRunner::makeStopError(const KernelRun &run) const {
  const std::string &name = run.kernel.name();
  switch (stop_) {
  case Stop::Fault:
    return makeFaultError(run);
  case Stop::Divergence:
    return makeDivergenceError(run);
  case Stop::WarpDivergence:
    return makeWarpDivergenceError(run);
  case Stop::NotInMask:
    return makeLaneNotInMaskError(run);
  case Stop::NamedBarrier:
    return makeNamedBarrierError(run);
  case Stop::NamedBarrierMisuse:
    return makeNamedBarrierMisuseError(run);
  case Stop::StackOverflow: {
    simt::SiteInfo site{.kind = "RecursionError", .function = name};
    return std::make_shared<KernelError>(name, site, "a recursion in the kernel ran out of stack",
                                         context_.thread, context_.block);
  }
  case Stop::FrameOutOfMemory: {
    simt::SiteInfo site{.kind = "MemoryError", .function = name};
    uint64_t threads = run.shape.block.count();
    // If the block is one function, all its threads' frames exist at once.
    uint64_t each = frameBytes_ / (run.entry.block ? threads : run.entry.width);
    std::string message = "no memory for the local variables of a block's " +
                          std::to_string(threads) + " threads, " + std::to_string(each) +
                          " bytes each; " + std::to_string(os::usableMemory().available) +
                          " bytes are free";
    return std::make_shared<KernelError>(name, site, message, context_.thread, context_.block);
  }
  case Stop::CheckOutOfMemory: {
    simt::SiteInfo site{.kind = "MemoryError", .function = name};
    std::string message = "no memory to record the accesses of the checked launch; " +
                          std::to_string(os::usableMemory().available) +
                          " bytes are free\n  hint: check the program with smaller arrays";
    return std::make_shared<KernelError>(name, site, message, context_.thread, context_.block);
  }
  case Stop::PrintOutOfMemory: {
    simt::SiteInfo site{.kind = "MemoryError", .function = name};
    return std::make_shared<KernelError>(name, site, "no memory for the output of the kernel",
                                         context_.thread, context_.block);
  }
  case Stop::Trap:
  case Stop::Interrupt:
  case Stop::None:
    break;
  }
  simt::SiteInfo site = siteAt(run.kernel, trapSite_);
  if (site.kind == "barrier")
    return makeWarpMaskTrapError(run);
  std::string message = formatTrapMessage(site, trapIndex_, trapExtent_, run.arguments);
  // Exchanging the axes again restores the program's order.
  auto [x, y, z] = simt::launchExtents({context_.thread[0], context_.thread[1], context_.thread[2]},
                                       run.entry.order);
  const uint32_t thread[3] = {x, y, z};
  return std::make_shared<KernelError>(name, site, message, thread, context_.stoppedBlock);
}

std::shared_ptr<const KernelError> BlockRunner::makeFaultError(const KernelRun &run) const {
  simt::SiteInfo site{.kind = "KernelRuntimeError", .function = run.kernel.name()};
  std::string message;
  if (os::isAccessFault(faultSignal_) && faultAddress_ == os::unreportedAddress) {
    message =
        "the kernel accessed a vector, such as a float4, at an address that is not a multiple "
        "of its size, or memory at an impossible address\n  hint: pass arrays and offsets that "
        "are aligned as the pointer's type; 'heddle check' names the line";
  } else if (os::isAccessFault(faultSignal_)) {
    char address[32];
    std::snprintf(address, sizeof address, "%p", faultAddress_);
    message =
        "the kernel accessed memory at " + std::string(address) +
        ", which is not mapped: an index is outside its array or outside the " +
        std::to_string(run.shape.dynamicSharedBytes) +
        " bytes of dynamic shared memory of this launch, or a pointer without known bounds is "
        "wrong\n  hint: unless HEDDLE_BOUNDS=0 is set, kernels check indices and name the line";
  } else {
    message = "the processor rejected an instruction of the kernel (signal " +
              std::to_string(faultSignal_) + ")";
  }
  // The thread is unknown, and so is the block if several run in one call.
  constexpr uint32_t unknown[3] = {unknownIndex, unknownIndex, unknownIndex};
  return std::make_shared<KernelError>(run.kernel.name(), site, message, unknown,
                                       context_.blocks == 1 ? context_.block : unknown);
}

std::shared_ptr<const KernelError> BlockRunner::makeDivergenceError(const KernelRun &run) const {
  auto astray = findDivergentThread(run);
  auto lineAt = [&](uint32_t site) { return siteAt(run.kernel, site).line; };
  uint32_t here = std::prev(astray)->site, there = astray->site;
  if (lineAt(there) < lineAt(here))
    std::swap(here, there);
  bool meets = canReleaseEachOther(run.kernel, here, there);
  uint32_t warp = astray->thread / warpSize;
  uint32_t begin = meets ? warp * warpSize : 0;
  uint32_t end = meets ? begin + warpSize : uint32_t(run.shape.block.count());
  uint32_t waiting = countThreadsAt(run, here, begin, end),
           other = countThreadsAt(run, there, begin, end);
  simt::SiteInfo site = siteAt(run.kernel, here);
  site.kind = "KernelRuntimeError";
  const uint32_t *b = context_.block;
  std::string block = "block (" + std::to_string(b[0]) + ", " + std::to_string(b[1]) + ", " +
                      std::to_string(b[2]) + ")";
  std::string message =
      "barrier at " + formatLineOfSite(site) + " is not reached by every thread of " +
      (meets ? "warp " + std::to_string(warp) + " of " : "") + block + ": " +
      std::to_string(waiting) + (waiting == 1 ? " thread waits" : " threads wait") +
      " there while " + std::to_string(other) + (other == 1 ? " waits" : " wait") +
      " at the barrier at " + formatLineOfSite(siteAt(run.kernel, there)) +
      (meets ? "" : ", which is of another kind");
  auto first = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting &w) {
    return w.site == here && w.thread + threadsInCoroutine(run.entry, w.thread) > begin;
  });
  return makeErrorAt(run, std::max(first->thread, begin), site, message);
}

std::shared_ptr<const KernelError> BlockRunner::makeErrorAt(const KernelRun &run, uint32_t thread,
                                                            const simt::SiteInfo &site,
                                                            const std::string &message) const {
  const uint32_t *dim = context_.blockDim;
  // Exchanging the axes again restores the program's order.
  auto [x, y, z] = simt::launchExtents(
      {thread % dim[0], thread / dim[0] % dim[1], thread / dim[0] / dim[1]}, run.entry.order);
  const uint32_t index[3] = {x, y, z};
  return std::make_shared<KernelError>(run.kernel.name(), site, message, index, context_.block);
}

namespace {

BlockRunner &runnerOfContext(BlockContext *context) {
  return *static_cast<BlockRunner *>(context->runtime);
}

/// The first of first, first + step, ... that is not in [low, high); one of them must be outside.
int64_t firstIndexOutsideRange(int64_t first, int64_t step, int64_t low, int64_t high) {
  if (first < low || first >= high || step == 0)
    return first;
  return step > 0 ? first + (high - 1 - first) / step * step + step
                  : first - (first - low) / -step * -step + step;
}

void storeThreadIndices(BlockContext *c, uint32_t x, uint32_t y, uint32_t z, uint32_t bx,
                        uint32_t by, uint32_t bz, uint32_t linear) {
  std::copy_n(std::array{x, y, z}.data(), 3, c->thread);
  std::copy_n(std::array{bx, by, bz}.data(), 3, c->stoppedBlock);
  c->threadIsLinear = linear;
}

[[noreturn]] void trapLane(BlockContext *c, uint32_t lane, uint32_t site, int64_t index,
                           int64_t extent) {
  const uint32_t *dim = c->blockDim, x = c->thread[0] + lane;
  c->thread[0] = x;
  if (c->threadIsLinear)
    std::copy_n(std::array{x % dim[0], x / dim[0] % dim[1], x / dim[0] / dim[1]}.data(), 3,
                c->thread);
  runnerOfContext(c).trap(site, index, extent);
}

void trapThread(BlockContext *c, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by,
                uint32_t bz, uint32_t linear, uint32_t site, int64_t index, int64_t extent) {
  storeThreadIndices(c, x, y, z, bx, by, bz, linear);
  trapLane(c, 0, site, index, extent);
}

void checkIndexRangesOfLanes(BlockContext *c, uint32_t site, int64_t first, int64_t firstStride,
                             int64_t last, int64_t lastStride, int64_t step, int64_t low,
                             int64_t high, uint64_t lanes) {
  auto isOutside = [&](int64_t index) { return index < low || index >= high; };
  for (uint32_t lane = 0; lanes >> lane; ++lane) {
    int64_t own = first + lane * firstStride, ownLast = last + lane * lastStride;
    bool isEmpty = step != 0 && (ownLast == int64_t(uint64_t(own) - uint64_t(step)) ||
                                 (step > 0 ? ownLast < own : ownLast > own));
    if ((lanes >> lane & 1) && !isEmpty && (isOutside(own) || isOutside(ownLast)))
      trapLane(c, lane, site, firstIndexOutsideRange(own, step, low, high), high);
  }
}

void checkIndicesOfLanes(BlockContext *c, uint32_t site, int64_t first, int64_t stride, int64_t low,
                         int64_t high, uint64_t lanes) {
  checkIndexRangesOfLanes(c, site, first, stride, first, stride, 0, low, high, lanes);
}

/// Linux may delay a wake-up by this much (prctl(2), PR_SET_TIMERSLACK).
constexpr uint32_t timerSlack = 50000;

void sleepFor(uint32_t nanoseconds) {
  // CUDA sleeps between zero and twice the requested time, at most 1 ms (PTX ISA, nanosleep).
  if (nanoseconds < timerSlack)
    return std::this_thread::yield();
  timespec time{0, long(std::min<uint32_t>(nanoseconds, 1000000))};
  nanosleep(&time, nullptr);
}

} // namespace

const RuntimeEntryPoints &runtimeEntryPoints() {
  static const RuntimeEntryPoints table{
      [](BlockContext *c, uint64_t bytes, uint64_t alignment) {
        return runnerOfContext(c).allocateFrame(bytes, alignment);
      },
      [](BlockContext *c, uint32_t site, int64_t index, int64_t extent) {
        runnerOfContext(c).trap(site, index, extent);
      },
      trapThread,
      storeThreadIndices,
      checkIndicesOfLanes,
      checkIndexRangesOfLanes,
      [](BlockContext *c) { runnerOfContext(c).leaveOnStackOverflow(); },
      [](BlockContext *c, uint32_t nanoseconds) {
        sleepFor(nanoseconds);
        runnerOfContext(c).leaveIfStopped();
      },
      [](BlockContext *c, const char *format, const void *values) {
        if (!printLine(format, values))
          runnerOfContext(c).leaveOnPrintWithoutMemory();
        runnerOfContext(c).leaveIfStopped();
      },
      [](BlockContext *c, uint32_t site, const void *address, const void *base, uint64_t bytes,
         uint32_t access, uint64_t value) {
        bool isValid = runnerOfContext(c).callWithCheckedLaunch([&](CheckedLaunch &checked) {
          simt::CheckedAccess decoded = simt::CheckedAccess::decode(access);
          if (decoded.memory == simt::AccessMemory::Device &&
              runnerOfContext(c).isLocalMemory(address)) { // by a pointer from memory
            decoded.memory = simt::AccessMemory::Local;
            decoded.isLocal = true;
          }
          return checked.checkAccess(*c, site, address, base, bytes, decoded, value);
        });
        runnerOfContext(c).leaveIfStopped();
        return uint32_t(isValid);
      },
      [](BlockContext *c, uint32_t kind, uint32_t operand) {
        runnerOfContext(c).callWithCheckedLaunch(
            [&](CheckedLaunch &checked) { checked.recordSync(*c, simt::SyncKind(kind), operand); });
        runnerOfContext(c).leaveIfStopped();
      },
      [](BlockContext *c, uint32_t site, int64_t index, int64_t extent) {
        runnerOfContext(c).callWithCheckedLaunch(
            [&](CheckedLaunch &checked) { checked.reportFailedCheck(*c, site, index, extent); });
        runnerOfContext(c).leaveIfStopped();
      },
      [](BlockContext *c, const void *address, uint64_t bytes) {
        runnerOfContext(c).callWithCheckedLaunch(
            [&](CheckedLaunch &checked) { checked.markUndefined(*c, address, bytes); });
        runnerOfContext(c).leaveIfStopped();
      },
      [](BlockContext *c, uint32_t site, const void *address, const void *base, uint64_t bytes) {
        uint64_t definedness =
            runnerOfContext(c).callWithCheckedLaunch([&](CheckedLaunch &checked) {
              return checked.loadDefinedness(*c, site, address, base, bytes);
            });
        runnerOfContext(c).leaveIfStopped();
        return definedness;
      },
      [](BlockContext *c, const void *address, uint64_t bytes, uint64_t definedness) {
        runnerOfContext(c).callWithCheckedLaunch([&](CheckedLaunch &checked) {
          checked.storeDefinedness(*c, address, bytes, definedness);
        });
        runnerOfContext(c).leaveIfStopped();
      },
      [](BlockContext *c, const void *to, const void *from, uint64_t bytes) {
        runnerOfContext(c).callWithCheckedLaunch(
            [&](CheckedLaunch &checked) { checked.copyDefinedness(*c, to, from, bytes); });
        runnerOfContext(c).leaveIfStopped();
      },
      [](BlockContext *c, uint32_t site, uint64_t definedness) {
        runnerOfContext(c).callWithCheckedLaunch(
            [&](CheckedLaunch &checked) { checked.recordUndefinedUse(*c, site, definedness); });
        runnerOfContext(c).leaveIfStopped();
      },
      [](BlockContext *c, uint32_t site) {
        bool goesOn = runnerOfContext(c).callWithCheckedLaunch(
            [&](CheckedLaunch &checked) { return checked.recordExecutedBlock(*c, site); });
        runnerOfContext(c).leaveIfStopped();
        return uint32_t(goesOn);
      },
  };
  return table;
}

} // namespace heddle::cpu
