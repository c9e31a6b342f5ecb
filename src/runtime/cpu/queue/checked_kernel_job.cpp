#include "runtime/cpu/queue/checked_kernel_job.h"

#include "runtime/cpu/check/checked_launch.h"
#include "runtime/cpu/check/lints/lint_findings.h"
#include "runtime/cpu/check/streams/stream_history.h"
#include "runtime/cpu/queue/scheduler.h"
#include "runtime/cpu/trace/trace_request.h"
#include "simt/analysis/effect_order.h"

#include <new>
#include <utility>

namespace heddle::cpu {

namespace {

/// Runs a checked launch on one worker: with the race filter, and with exact checks if the filter cannot cover the
/// launch or has stopped it.
class CheckedKernelJob final : public PoolJob {
public:
  CheckedKernelJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream,
                   Commands &given)
      : PoolJob(scheduler, stream, given, /*items=*/1) {}

  void run(BlockRunner &runner, uint64_t, uint64_t) noexcept override {
    // Kernels that wait may wait for a launch in another stream. They run once.
    std::unique_lock lock(checkedMemoryMutex(), std::defer_lock);
    if (!command.entry->waitsForBlocks())
      lock.lock();
    if (LaunchTrace *trace = command.checked->trace())
      return runTraced(runner, *trace);
    ++checkedLaunchCount;
    lintRequest_ = command.checked->takeLintRequest();
    bool passes = tryRunWithRaceFilter(runner);
    if (!passes || simt::isSelfCheckEnabled())
      runWithFullChecks(runner);
    if (passes && command.checked->hasFindings())
      error_ = makeFilterMissError();
    if (isCancelled())
      stop();
    else if (accesses_ && accesses_->launch)
      compareWithOtherStreams(runner);
  }

  void cancel() override {
    std::lock_guard lock(mutex_);
    cancelled_ = true;
    if (running_)
      running_->cancel();
    stop();
  }

  std::shared_ptr<const KernelError> finishAndTakeError() override {
    command.checked->publishFindings();
    addFindings(std::move(lints_));
    return error_;
  }

private:
  bool isCancelled() {
    std::lock_guard lock(mutex_);
    return cancelled_;
  }

  /// Returns true if the launch has run, and has no mistake. If proofs with conditions cover the kernel, a launch that
  /// is stopped runs once more without them, and so do all later ones of the kernel.
  bool tryRunWithRaceFilter(BlockRunner &runner) noexcept {
    try {
      const LaunchNote &note = command.checked->note();
      const CpuKernel::FilterForm *form =
          command.kernel->findOrCompileRaceFilterForm(command.shape);
      if (!form)
        return false;
      std::optional<uint64_t> tracked =
          FilteredLaunch::findTrackedArguments(form->plan, note, command.arguments);
      if (!tracked)
        return false;
      if (*tracked)
        form = command.kernel->findOrCompileRaceFilterForm(command.shape, *tracked);
      if (tryRunWithRaceFilter(runner, *form, *tracked))
        return true;
      if (!form->plan.isUncertain)
        return false;
      command.kernel->dropProofConditions();
      form = command.kernel->findOrCompileRaceFilterForm(command.shape, *tracked);
      return tryRunWithRaceFilter(runner, *form, *tracked);
    } catch (const std::exception &) { // CompileError, std::bad_alloc
      return false;
    }
  }

  bool tryRunWithRaceFilter(BlockRunner &runner, const CpuKernel::FilterForm &form,
                            uint64_t tracked) {
    std::unique_ptr<FilteredLaunch> filtered = FilteredLaunch::prepareIfPossible(
        form.plan, command.checked->note(), command.shape, command.arguments);
    return filtered && tryRunWithRaceFilter(runner, form, *filtered, tracked);
  }

  bool tryRunWithRaceFilter(BlockRunner &runner, const CpuKernel::FilterForm &form,
                            FilteredLaunch &filtered, uint64_t tracked) {
    if (lintRequest_ && !form.entry->waitsForBlocks())
      addSampledAndStaticLints(runner, form.plan);
    KernelRun run(*command.kernel, *form.entry, command.shape, filtered.arguments(),
                  /*checked=*/nullptr, &filtered);
    recordLaunchForReplay(filtered);
    runUnlessCancelled(run, [&] { runBlocks(run, runner); });
    bool passes = !run.stop || isCancelled();
    if (!passes || simt::isSelfCheckEnabled())
      filtered.restoreMemory();
    else if (tracked)
      filtered.markWrittenBytesDefined(tracked);
    return passes;
  }

  // Records the accesses of the launch, for checks of races between streams.

  ComparedLaunch describeLaunch() const { return {command.module, command.kernel, command.shape}; }

  /// Records the arrays of a launch in the filter form, and copies what it reads, so that it can be repeated.
  void recordLaunchForReplay(const FilteredLaunch &filtered) noexcept {
    if (!command.operation)
      return;
    try {
      std::unique_ptr<LaunchReplay> replay;
      if (LaunchReplay::countReadBytes(filtered) <=
          StreamHistory::maxReplayBytes(*command.operation))
        replay = std::make_unique<LaunchReplay>(filtered, command.arguments);
      accesses_ = std::make_shared<OperationAccesses>();
      for (const FilteredArray &array : filtered.listArrays())
        accesses_->ranges.push_back({array.low, array.high, array.isRead, array.isWritten});
      accesses_->launch = std::make_unique<LaunchAccesses>(describeLaunch(), std::move(replay));
    } catch (const std::bad_alloc &) {
      // Races with other streams are not found.
    }
  }

  void recordAccesses(RecordedAccesses accesses) {
    accesses_ = std::make_shared<OperationAccesses>();
    std::vector<AccessedRange> ranges = listAccessedRanges(accesses.memory);
    auto launch = std::make_unique<LaunchAccesses>(describeLaunch(), std::move(accesses));
    if (launch->bytes() > StreamHistory::maxRecordedBytes(*command.operation))
      return;
    accesses_->ranges = std::move(ranges);
    accesses_->launch = std::move(launch);
  }

  void compareWithOtherStreams(BlockRunner &runner) noexcept {
    try {
      accesses_->operation = *command.operation;
      StreamHistory::instance().addAndReportRaces(std::move(accesses_), &runner);
    } catch (const std::bad_alloc &) {
      // Races with other streams are not found.
    }
  }

  std::shared_ptr<const KernelError> makeFilterMissError() const {
    const uint32_t nobody[3] = {};
    const std::string &name = command.kernel->name();
    return std::make_shared<KernelError>(
        name, simt::SiteInfo{.kind = "SystemError", .function = name},
        "the race filter let a launch of " + name + " pass that has findings", nobody, nobody);
  }

  void runWithFullChecks(BlockRunner &runner) noexcept {
    try {
      const CpuKernel::ExactForm &form = command.kernel->getOrCompileFullCheckForm();
      KernelRun run(*command.kernel, *form.entry, command.shape, command.arguments.data(),
                    command.checked.get());
      command.checked->setAwaitCheck(
          [this] { return Scheduler::instance().isOnlyBusyStreamAndAwaited(*stream); });
      command.checked->begin(run, form.sites);
      LaunchSample sample(LaunchSample::Mode::Within, form.sites, command.shape);
      if (lintRequest_)
        command.checked->sampleInto(&sample);
      runUnlessCancelled(run, [&] { runBlocks(run, runner); });
      command.checked->sampleInto(nullptr);
      command.checked->end();
      if (lintRequest_)
        lints_ = findSampleLints(sample, *form.entry);
      addStaticLintsAndLaunch();
      if (command.operation)
        recordAccesses(command.checked->takeAccesses());
      error_ = run.error();
    } catch (const std::exception &) { // CompileError, std::bad_alloc
      error_ = outOfMemoryError();
    }
  }

  /// Runs one block in the traced form, and the others in the ordinary form if they do not wait for it.
  void runTraced(BlockRunner &runner, LaunchTrace &trace) noexcept {
    try {
      const CpuKernel::ExactForm &form = command.kernel->getOrCompileTracedForm();
      const KernelEntry &ordinary = command.kernel->findOrCompileEntry(command.shape);
      KernelRun run(*command.kernel, *form.entry, command.shape, command.arguments.data(),
                    command.checked.get());
      KernelRun others(*command.kernel, ordinary, command.shape, command.arguments.data());
      command.checked->setAwaitCheck(
          [this] { return Scheduler::instance().isOnlyBusyStreamAndAwaited(*stream); });
      command.checked->begin(run, form.sites);
      trace.begin(form.sites, command.shape);
      if (form.entry->waitsForBlocks()) {
        runUnlessCancelled(run, [&] { runBlocks(run, runner); });
      } else {
        uint64_t block = blockNumberInForm(ordinary, trace.block()),
                 blocks = command.shape.grid.count();
        runUnlessCancelled(others, [&] { runner.run(others, 0, block); });
        if (!others.stop)
          runUnlessCancelled(run, [&] { runner.run(run, trace.block(), trace.block() + 1); });
        if (!others.stop && !run.stop)
          runUnlessCancelled(others, [&] { runner.run(others, block + 1, blocks); });
      }
      command.checked->end();
      error_ = others.error() ? others.error() : run.error();
      if (!isCancelled())
        storeFinishedTrace({command.kernel->name(), command.shape,
                            unravel(uint32_t(trace.block()), command.shape.grid),
                            command.checked->sharedNote(), form.sites, trace.takeWarpSteps(),
                            trace.isCut(), command.checked->takeFindings()});
    } catch (const std::exception &) { // CompileError, std::bad_alloc
      error_ = outOfMemoryError();
    }
  }

  /// The number of a block in the order in which BlockRunner runs the blocks of a form.
  uint64_t blockNumberInForm(const KernelEntry &entry, uint64_t block) const {
    if (entry.runs != BlockRuns::AlongY)
      return block;
    const Dim3 &grid = command.shape.grid;
    Index3 at = unravel(uint32_t(block), grid);
    return (uint64_t(at[2]) * grid.x + at[0]) * grid.y + at[1];
  }

  /// Adds the lints of a launch that the filter covers, before it runs.
  void addSampledAndStaticLints(BlockRunner &runner, const simt::FilterPlan &plan) {
    std::vector<uint64_t> arguments(command.arguments.begin(), command.arguments.end());
    for (const simt::FilteredObject &object : plan.objects)
      if (!object.isShared())
        arguments[object.argument] = 0;
    KernelLintCache::Key key = KernelLintCache::makeKey(command.shape, arguments);
    if (std::optional<std::vector<Finding>> known = command.kernel->lints().lookUp(key)) {
      lints_ = std::move(*known);
    } else {
      lints_ = runSampleForLints(runner);
      if (!isCancelled())
        command.kernel->lints().store(std::move(key), lints_);
    }
    addStaticLintsAndLaunch();
  }

  /// Runs a few blocks with exact checks, and undoes their writes. Returns the lints.
  std::vector<Finding> runSampleForLints(BlockRunner &runner) {
    const CpuKernel::ExactForm &form = command.kernel->getOrCompileFullCheckForm();
    LaunchSample sample(LaunchSample::Mode::Alone, form.sites, command.shape);
    CheckedLaunch receiver(command.checked->sharedNote());
    receiver.sampleInto(&sample);
    KernelRun run(*command.kernel, *form.entry, command.shape, command.arguments.data(), &receiver);
    receiver.begin(run, form.sites);
    runUnlessCancelled(run, [&] {
      for (uint64_t block : sample.blocks())
        runner.run(run, block, block + 1);
    });
    sample.restoreMemory();
    return findSampleLints(sample, *form.entry);
  }

  std::vector<Finding> findSampleLints(LaunchSample &sample, const KernelEntry &entry) const {
    std::vector<Finding> lints = findAccessLints(sample);
    if (!entry.yields) // threads that wait for others often iterate differently
      for (Finding &divergence : findDivergenceLints(sample))
        lints.push_back(std::move(divergence));
    uint64_t shared = command.kernel->staticSharedBytes() + command.shape.dynamicSharedBytes;
    if (std::optional<LowOccupancy> low = findLowOccupancy(command.shape, shared))
      lints.push_back(makeOccupancyFinding(*low));
    return lints;
  }

  void addStaticLintsAndLaunch() {
    if (std::optional<std::vector<simt::StaticLint>> lints = std::exchange(lintRequest_, {}))
      for (Finding &lint : makeStaticLintFindings(*lints))
        lints_.push_back(std::move(lint));
    for (Finding &lint : lints_)
      command.checked->addLaunchToFinding(lint, *command.kernel, command.shape);
  }

  static void runBlocks(KernelRun &run, BlockRunner &runner) noexcept {
    std::atomic<uint64_t> next{0};
    runAllBlocks(run, runner, next);
  }

  template <class Work> void runUnlessCancelled(KernelRun &run, Work work) {
    {
      std::lock_guard lock(mutex_);
      if (cancelled_)
        return run.cancel();
      running_ = &run;
    }
    work();
    std::lock_guard lock(mutex_);
    running_ = nullptr;
    cancelled_ |= run.cancelled();
  }

  std::mutex mutex_;
  KernelRun *running_ = nullptr;
  bool cancelled_ = false;
  std::shared_ptr<const KernelError> error_;
  std::shared_ptr<OperationAccesses> accesses_;
  std::optional<std::vector<simt::StaticLint>> lintRequest_;
  std::vector<Finding> lints_;
};

} // namespace

std::mutex &checkedMemoryMutex() {
  static auto &mutex = *new std::mutex; // workers may outlive static destructors
  return mutex;
}

PoolJob *makeCheckedKernelJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream,
                              Commands &given) {
  return new CheckedKernelJob(scheduler, stream, given);
}

} // namespace heddle::cpu
