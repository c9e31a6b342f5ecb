// A stream's command as work for the thread pool.
#pragma once

#include "runtime/cpu/queue/command.h"
#include "runtime/cpu/queue/thread_pool.h"

namespace heddle::cpu {

class Scheduler;

/// Tells the scheduler when the command has run, then deletes itself.
class PoolJob : public Job {
public:
  PoolJob(Scheduler &scheduler, std::shared_ptr<StreamState> stream, Command command,
          uint64_t items)
      : Job(items, command.firstBlock), stream(std::move(stream)), command(std::move(command)),
        scheduler_(scheduler) {}

  void finished() noexcept override;
  /// Stops the job, soon.
  virtual void cancel() { stop(); }
  /// Time that it takes on one core, as far as is known; without end when nothing is known.
  virtual uint64_t expectedNanoseconds() const { return ~uint64_t(0); }
  /// The error that it ended with, if any. Called once, when no worker is in the job any more.
  virtual std::shared_ptr<const KernelError> outcome() { return nullptr; }

  const std::shared_ptr<StreamState> stream;
  Command command;

private:
  Scheduler &scheduler_;
};

/// For a command of kind Kernel, Copy or Fill.
PoolJob *makeJob(Scheduler &scheduler, std::shared_ptr<StreamState> stream, Command command);

/// Runs bytes `begin` to `end` of a command of kind Copy or Fill.
void copyOrFill(const Command &command, size_t begin, size_t end);

} // namespace heddle::cpu
