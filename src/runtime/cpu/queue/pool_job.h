// A stream's command as work for the thread pool.
#pragma once

#include "runtime/cpu/queue/command.h"
#include "runtime/cpu/queue/thread_pool.h"

namespace heddle::cpu {

class Scheduler;

/// Tells the scheduler when the command has run, then deletes itself.
class PoolJob : public Job {
public:
  /// Takes the one command that `given` holds.
  PoolJob(Scheduler &scheduler, std::shared_ptr<StreamState> stream, Commands &given,
          uint64_t items, uint64_t row = 1)
      : Job(items, given.front().firstBlock, row), stream(std::move(stream)),
        held(std::move(given)), command(held.front()), scheduler_(scheduler) {}

  void finished() noexcept override;
  /// Stops the job, soon. Workers in the middle of a block need os::interruptCode().
  virtual void cancel() { stop(); }
  /// Time that it takes on one core, as far as is known; without end when nothing is known.
  virtual uint64_t expectedNanoseconds() const { return ~uint64_t(0); }
  /// The error that it ended with, if any. Called once, when no worker is in the job any more.
  virtual std::shared_ptr<const KernelError> outcome() { return nullptr; }

  const std::shared_ptr<StreamState> stream;
  Commands held;
  Command &command; ///< the one in `held`

private:
  Scheduler &scheduler_;
};

/// For the one command that `given` holds, of kind Kernel, Copy or Fill. Throws std::bad_alloc; the command is where it
/// was then.
PoolJob *makeJob(Scheduler &scheduler, const std::shared_ptr<StreamState> &stream, Commands &given);

/// Runs bytes `begin` to `end` of a command of kind Copy or Fill.
void copyOrFill(const Command &command, size_t begin, size_t end);

} // namespace heddle::cpu
