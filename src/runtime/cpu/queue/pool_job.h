// A stream's command as a job for the thread pool.
#pragma once

#include "runtime/cpu/queue/command.h"
#include "runtime/cpu/queue/thread_pool.h"

namespace heddle::cpu {

class Scheduler;

/// Notifies the scheduler when the command has run, then deletes itself.
class PoolJob : public Job {
public:
  /// Takes the single command in `given`. `items` and `row`: see Job.
  PoolJob(Scheduler &scheduler, std::shared_ptr<StreamState> stream, Commands &given,
          uint64_t items, uint64_t row = 1)
      : Job(items, given.front().firstBlock, row), stream(std::move(stream)),
        held(std::move(given)), command(held.front()), scheduler_(scheduler) {}

  void onFinished() noexcept override;
  /// Stops the job soon. Workers inside a block also need os::interruptCode().
  virtual void cancel() { stop(); }
  /// Estimated time on one core; UINT64_MAX if unknown.
  virtual uint64_t expectedNanoseconds() const { return ~uint64_t(0); }
  /// The job's error, if any. Called once, after the last worker has left.
  virtual std::shared_ptr<const KernelError> finishAndTakeError() { return nullptr; }

  const std::shared_ptr<StreamState> stream;
  Commands held;
  Command &command; ///< the command in `held`

private:
  Scheduler &scheduler_;
};

/// Creates a job for the single command in `given`, of kind Kernel, Copy or Fill, and takes the command. If it throws
/// std::bad_alloc, the command stays in `given`.
PoolJob *makePoolJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream,
                     Commands &given);

/// Updates the definedness of a command's target (CpuAllocations): a copy's target gets that of its source, a fill's
/// target becomes defined.
void updateTargetDefinedness(const Command &command) noexcept;

/// Returns the runner of the calling thread, which is not in the pool; null if the thread cannot run kernels.
BlockRunner *findRunnerOfThisThread();

/// Records a copy or fill for checks of races between streams. `runner`: see StreamHistory::addAndReportRaces().
void recordCopyForRaces(const Command &command, BlockRunner *runner) noexcept;

/// Runs all blocks of a kernel whose blocks wait for each other, or that one worker runs. next: the next block of an
/// interleaved run.
void runAllBlocks(KernelRun &run, BlockRunner &runner, std::atomic<uint64_t> &next) noexcept;

/// Copies or fills bytes [begin, end) of a command of kind Copy or Fill.
void copyOrFill(const Command &command, size_t begin, size_t end);

} // namespace heddle::cpu
