#include "runtime/cpu/queue/pool_job.h"

#include "runtime/cpu/blocks/cooperative_run.h"
#include "runtime/cpu/buffer.h"
#include "runtime/cpu/check/streams/stream_history.h"
#include "runtime/cpu/code/module.h"
#include "runtime/cpu/queue/checked_kernel_job.h"
#include "runtime/cpu/queue/scheduler.h"
#include "simt/analysis/effect_order.h"
#include "simt/check/checking.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

namespace heddle::cpu {

namespace {

/// Limit on the workers of a kernel whose blocks wait for each other; more than any pool has.
constexpr uint64_t mostTakers = 1024;
/// The size of a copy's pieces.
constexpr size_t pieceBytes = size_t(1) << 20;

class KernelJob final : public PoolJob {
public:
  KernelJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream, Commands &given)
      : PoolJob(scheduler, stream, given, countItems(given.front()),
                countBlocksOfRow(given.front())),
        run_(*command.kernel, *command.entry, command.shape, command.arguments.data()) {}

  void run(BlockRunner &runner, uint64_t begin, uint64_t end) noexcept override {
    uint64_t start = steadyNanoseconds();
    if (run_.entry.waitsForBlocks())
      runAllBlocks(run_, runner, next_);
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

  std::shared_ptr<const KernelError> finishAndTakeError() override {
    uint64_t blocks = command.shape.grid.count() - command.firstBlock;
    if (!run_.stop)
      command.kernel->recordRunTime(run_.busyNanoseconds, blocks * command.shape.block.count());
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
  static uint64_t countBlocksOfRow(const Command &command) {
    const Dim3 &grid = command.shape.grid;
    BlockRuns runs = command.entry->runs;
    return runs == BlockRuns::No ? 1 : runs == BlockRuns::AlongY ? grid.y : grid.x;
  }

  KernelRun run_;
  std::atomic<uint64_t> next_{0}; ///< next block of an interleaved run
};

class CopyJob final : public PoolJob {
public:
  CopyJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream, Commands &given,
          size_t piece)
      : PoolJob(scheduler, stream, given, countPieces(given.front().bytes, piece)), piece_(piece) {}

  void run(BlockRunner &runner, uint64_t begin, uint64_t end) noexcept override {
    std::unique_lock lock(checkedMemoryMutex(), std::defer_lock);
    if (simt::isChecking)
      lock.lock();
    if (begin == 0) {
      updateTargetDefinedness(command);
      recordCopyForRaces(command, &runner);
    }
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

void runAllBlocks(KernelRun &run, BlockRunner &runner, std::atomic<uint64_t> &next) noexcept {
  if (run.entry.cooperative)
    runCooperative(run);
  else if (run.entry.yields)
    runInterleaved(run, next);
  else
    runner.run(run, 0, run.shape.grid.count());
}

void PoolJob::onFinished() noexcept {
  scheduler_.onJobFinished(*this);
  delete this;
}

PoolJob *makePoolJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream,
                     Commands &given) {
  const Command &command = given.front();
  if (command.checked)
    return makeCheckedKernelJob(scheduler, stream, given);
  if (command.kind == CommandKind::Kernel)
    return new KernelJob(scheduler, stream, given);
  // An overlapping copy in pieces would overwrite bytes that other pieces have yet to read.
  bool whole = command.kind == CommandKind::Copy && rangesOverlap(command);
  size_t piece = whole ? std::max<size_t>(1, command.bytes) : pieceBytes;
  return new CopyJob(scheduler, stream, given, piece);
}

void updateTargetDefinedness(const Command &command) noexcept {
  CpuAllocations *buffers = CpuAllocations::ofProcess();
  auto to = reinterpret_cast<uint64_t>(command.to), from = reinterpret_cast<uint64_t>(command.from);
  try {
    if (buffers && command.kind == CommandKind::Copy)
      buffers->copyDefinedness(to, from, command.bytes);
    else if (buffers)
      buffers->markDefined(to, command.bytes);
  } catch (const std::bad_alloc &) {
    // Memory for the bits is short: the check reports too little or too much.
  }
}

BlockRunner *findRunnerOfThisThread() {
  BlockRunner *runner = BlockRunner::ofThisThreadIfIdle();
  return runner && runner->stackHasRoom() ? runner : nullptr;
}

void recordCopyForRaces(const Command &command, BlockRunner *runner) noexcept {
  if (!command.operation)
    return;
  try {
    auto accesses = std::make_shared<OperationAccesses>();
    accesses->operation = *command.operation;
    bool isCopy = command.kind == CommandKind::Copy;
    accesses->kind = isCopy ? OperationAccesses::Kind::Copy : OperationAccesses::Kind::Fill;
    auto to = reinterpret_cast<uint64_t>(command.to);
    accesses->ranges.push_back({.low = to, .high = to + command.bytes, .isWritten = true});
    auto from = reinterpret_cast<uint64_t>(command.from);
    if (isCopy)
      accesses->ranges.push_back({.low = from, .high = from + command.bytes, .isRead = true});
    StreamHistory::instance().addAndReportRaces(std::move(accesses), runner);
  } catch (const std::bad_alloc &) {
    // Races of this operation are not found.
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
