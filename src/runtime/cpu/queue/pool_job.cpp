#include "runtime/cpu/queue/pool_job.h"

#include "runtime/cpu/blocks/cooperative_run.h"
#include "runtime/cpu/buffer.h"
#include "runtime/cpu/code/module.h"
#include "runtime/cpu/queue/scheduler.h"
#include "simt/analysis/effect_order.h"

#include <algorithm>
#include <cstring>

namespace heddle::cpu {

namespace {

/// Limit on the workers of a kernel whose blocks wait for each other; more than any pool has.
constexpr uint64_t mostTakers = 1024;
/// The size of a copy's pieces.
constexpr size_t pieceBytes = size_t(1) << 20;

/// Runs all blocks of a kernel whose blocks wait for each other, or that one worker runs.
void runWhole(KernelRun &run, BlockRunner &runner, std::atomic<uint64_t> &next) noexcept {
  if (run.entry.cooperative)
    runCooperative(run);
  else if (run.entry.yields)
    runInterleaved(run, next);
  else
    runner.run(run, 0, run.shape.grid.count());
}

class KernelJob final : public PoolJob {
public:
  KernelJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream, Commands &given)
      : PoolJob(scheduler, stream, given, countItems(given.front()), rowLength(given.front())),
        run_(*command.kernel, *command.entry, command.shape, command.arguments.data()) {}

  void run(BlockRunner &runner, uint64_t begin, uint64_t end) noexcept override {
    uint64_t start = steadyNanoseconds();
    if (run_.entry.waitsForBlocks())
      runWhole(run_, runner, next_);
    else
      runner.run(run_, begin, end);
    run_.busyNanoseconds += steadyNanoseconds() - start;
    if (run_.stop)
      stop();
  }

  void cancel() override {
    run_.cancel();
    stop();
  }

  uint64_t expectedNanoseconds() const override {
    uint64_t threads = command.shape.grid.count() * command.shape.block.count();
    bool known = !run_.entry.needsDeepStack && !run_.entry.waitsForBlocks();
    return known ? command.kernel->estimatedNanoseconds(threads).value_or(~uint64_t(0))
                 : ~uint64_t(0);
  }

  std::shared_ptr<const KernelError> takeError() override {
    uint64_t blocks = command.shape.grid.count() - command.firstBlock;
    if (!run_.stop)
      command.kernel->recordTime(run_.busyNanoseconds, blocks * command.shape.block.count());
    return run_.error();
  }

private:
  /// The number of blocks; for blocks that wait for each other, the number of workers.
  static uint64_t countItems(const Command &command) {
    uint64_t blocks = command.shape.grid.count();
    const KernelEntry &entry = *command.entry;
    return entry.cooperative ? 1 : entry.yields ? std::min<uint64_t>(blocks, mostTakers) : blocks;
  }

  /// The number of consecutive blocks that access the same rows of memory.
  static uint64_t rowLength(const Command &command) {
    const Dim3 &grid = command.shape.grid;
    BlockRuns runs = command.entry->runs;
    return runs == BlockRuns::No ? 1 : runs == BlockRuns::AlongY ? grid.y : grid.x;
  }

  KernelRun run_;
  std::atomic<uint64_t> next_{0}; ///< next block of an interleaved run
};

/// Runs a checked launch on one worker: with the race filter, and with exact checks if the filter cannot cover the
/// launch or has stopped it.
class CheckedKernelJob final : public PoolJob {
public:
  CheckedKernelJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream,
                   Commands &given)
      : PoolJob(scheduler, stream, given, /*items=*/1) {}

  void run(BlockRunner &runner, uint64_t, uint64_t) noexcept override {
    bool passes = passesFilter(runner);
    if (!passes || simt::isSelfCheckEnabled())
      runExactly(runner);
    if (passes && command.checked->hasFindings())
      error_ = makeMissError();
    if (isCancelled())
      stop();
  }

  void cancel() override {
    std::lock_guard lock(mutex_);
    cancelled_ = true;
    if (running_)
      running_->cancel();
    stop();
  }

  std::shared_ptr<const KernelError> takeError() override {
    command.checked->publish();
    return error_;
  }

private:
  bool isCancelled() {
    std::lock_guard lock(mutex_);
    return cancelled_;
  }

  /// Returns true if the launch has run, and has no mistake.
  bool passesFilter(BlockRunner &runner) noexcept {
    try {
      const LaunchNote &note = command.checked->note();
      const CpuKernel::FilterForm *form = command.kernel->findOrCompileFilterForm(command.shape);
      if (!form)
        return false;
      std::optional<uint64_t> tracked =
          FilteredLaunch::findTrackedArguments(form->plan, note, command.arguments);
      if (!tracked)
        return false;
      if (*tracked)
        form = command.kernel->findOrCompileFilterForm(command.shape, *tracked);
      std::unique_ptr<FilteredLaunch> filtered =
          FilteredLaunch::prepare(form->plan, note, command.shape, command.arguments);
      return filtered && passesFilter(runner, *form, *filtered, *tracked);
    } catch (const std::exception &) { // CompileError, std::bad_alloc
      return false;
    }
  }

  bool passesFilter(BlockRunner &runner, const CpuKernel::FilterForm &form,
                    FilteredLaunch &filtered, uint64_t tracked) {
    KernelRun run(*command.kernel, *form.entry, command.shape, filtered.arguments(),
                  /*checked=*/nullptr, &filtered);
    runUncancelled(run, runner);
    bool passes = !run.stop || isCancelled();
    if (!passes || simt::isSelfCheckEnabled())
      filtered.restore();
    else if (tracked)
      filtered.defineWrittenBytes(tracked);
    return passes;
  }

  std::shared_ptr<const KernelError> makeMissError() const {
    const uint32_t nobody[3] = {};
    const std::string &name = command.kernel->name();
    return std::make_shared<KernelError>(
        name, simt::SiteInfo{.kind = "SystemError", .function = name},
        "the race filter let a launch of " + name + " pass that has findings", nobody, nobody);
  }

  void runExactly(BlockRunner &runner) noexcept {
    try {
      const CpuKernel::ExactForm &form = command.kernel->getOrCompileExactForm();
      KernelRun run(*command.kernel, *form.entry, command.shape, command.arguments.data(),
                    command.checked.get());
      command.checked->begin(run, form.sites);
      runUncancelled(run, runner);
      command.checked->end();
      error_ = run.error();
    } catch (const std::exception &) { // CompileError, std::bad_alloc
      error_ = outOfMemoryError();
    }
  }

  void runUncancelled(KernelRun &run, BlockRunner &runner) noexcept {
    {
      std::lock_guard lock(mutex_);
      if (cancelled_)
        return run.cancel();
      running_ = &run;
    }
    std::atomic<uint64_t> next{0};
    runWhole(run, runner, next);
    std::lock_guard lock(mutex_);
    running_ = nullptr;
    cancelled_ |= run.cancelled();
  }

  std::mutex mutex_;
  KernelRun *running_ = nullptr;
  bool cancelled_ = false;
  std::shared_ptr<const KernelError> error_;
};

class CopyJob final : public PoolJob {
public:
  CopyJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream, Commands &given,
          size_t piece)
      : PoolJob(scheduler, stream, given, countPieces(given.front().bytes, piece)), piece_(piece) {}

  void run(BlockRunner &, uint64_t begin, uint64_t end) noexcept override {
    if (begin == 0)
      defineTarget(command);
    copyOrFill(command, begin * piece_, std::min<size_t>(end * piece_, command.bytes));
  }

  uint64_t expectedNanoseconds() const override {
    return command.bytes; // a low estimate of one byte per nanosecond
  }

private:
  static uint64_t countPieces(size_t bytes, size_t piece) {
    return std::max<uint64_t>(1, (bytes + piece - 1) / piece);
  }

  size_t piece_;
};

bool rangesOverlap(const Command &c) { return c.from < c.to + c.bytes && c.to < c.from + c.bytes; }

} // namespace

void PoolJob::onFinished() noexcept {
  scheduler_.onJobFinished(*this);
  delete this;
}

PoolJob *makeJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream,
                 Commands &given) {
  const Command &command = given.front();
  if (command.checked)
    return new CheckedKernelJob(scheduler, stream, given);
  if (command.kind == CommandKind::Kernel)
    return new KernelJob(scheduler, stream, given);
  // An overlapping copy in pieces would overwrite bytes that other pieces have yet to read.
  bool whole = command.kind == CommandKind::Copy && rangesOverlap(command);
  size_t piece = whole ? std::max<size_t>(1, command.bytes) : pieceBytes;
  return new CopyJob(scheduler, stream, given, piece);
}

void defineTarget(const Command &command) noexcept {
  CpuAllocations *buffers = CpuAllocations::ofProcess();
  auto to = reinterpret_cast<uint64_t>(command.to), from = reinterpret_cast<uint64_t>(command.from);
  try {
    if (buffers && command.kind == CommandKind::Copy)
      buffers->copyDefinedness(to, from, command.bytes);
    else if (buffers)
      buffers->define(to, command.bytes);
  } catch (const std::bad_alloc &) {
    // Memory for the bits is short: the check reports too little or too much.
  }
}

void copyOrFill(const Command &command, size_t begin, size_t end) {
  if (begin >= end)
    return;
  if (command.kind == CommandKind::Copy)
    std::memmove(command.to + begin, command.from + begin, end - begin);
  else
    std::memset(command.to + begin, command.value, end - begin);
}

} // namespace heddle::cpu
