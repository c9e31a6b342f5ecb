// The worker threads, which run blocks.
#pragma once

#include "runtime/cpu/blocks/block_runner.h"
#include "support/os/threads.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>

namespace heddle::cpu {

/// A job of independent items, numbered from `first` to `items` - 1. Workers take chunks of consecutive items, large
/// chunks first. If there are many rows, chunks consist of whole rows of `row` items.
class Job {
public:
  explicit Job(uint64_t items, uint64_t first = 0, uint64_t row = 1)
      : items_(items), row_(row), next_(first), place_(1, this) {}
  virtual ~Job() = default;

  /// Runs items [begin, end). Called by several workers concurrently.
  virtual void run(BlockRunner &runner, uint64_t begin, uint64_t end) noexcept = 0;
  /// Called once, by the last worker to leave. The pool no longer refers to the job, so the job may delete itself.
  virtual void onFinished() noexcept = 0;

  /// Prevents workers from taking further chunks.
  void stop() { stopped_ = true; }

private:
  friend class ThreadPool;
  bool isExhausted() const { return stopped_ || next_ >= items_; }
  /// Takes the next chunk, sized for `workers` workers. Returns false if there is none.
  bool claimChunk(unsigned workers, uint64_t &begin, uint64_t &end);

  const uint64_t items_, row_;
  std::atomic<uint64_t> next_;
  std::atomic<bool> stopped_{false};
  // Guarded by the pool's mutex.
  unsigned active_ = 0;    ///< workers in the job
  std::list<Job *> place_; ///< the list node, kept here while the job is in no list
};

/// Worker threads, each with a 64 MiB stack. Workers poll for some microseconds before they sleep, so that consecutive
/// launches find them awake.
class ThreadPool {
public:
  static constexpr size_t stackBytes = size_t(64) << 20;

  /// Starts `workers` threads, or fewer if the system refuses. Throws CompileError (Memory) or std::bad_alloc if none
  /// can be started.
  explicit ThreadPool(unsigned workers);

  /// $HEDDLE_NUM_THREADS or $NUMBA_NUM_THREADS if set, else the number of processors.
  static unsigned configuredWorkerCount();
  unsigned workers() const { return unsigned(threads_.size()); }

  /// Allocates no memory.
  void submit(Job &job);
  /// Registers the calling thread for `job` and keeps the job alive until the thread calls runChunksAndLeave(). Returns
  /// false if no work is left.
  bool enterJob(Job &job);
  /// Runs chunks until none are left. The job may be finished, and destroyed, on return.
  void runChunksAndLeave(Job &job, BlockRunner &runner) noexcept;
  /// Wakes all workers, so that one notices Job::stop().
  void wakeWorkers();

  /// Ends the workers after their current block, without calling onFinished() on remaining jobs. Returns false if a
  /// worker does not end in time: it is abandoned, and the pool must not be destroyed.
  bool shutDown(unsigned milliseconds);

private:
  void runWorker(BlockRunner &runner) noexcept;
  Job *nextJob();
  /// True if one more worker may poll for work. One processor is left to the submitting thread, which a poller would
  /// otherwise preempt.
  bool mayOneMoreWorkerPoll() const;
  /// Removes `job` from the list if no worker is in it and none can enter. Returns true if it removed the job.
  bool tryRemoveJob(Job &job);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::list<Job *> jobs_;
  unsigned parked_ = 0;
  bool ending_ = false;
  unsigned planned_ = 0;
  std::atomic<uint64_t> submissions_{0};
  std::atomic<unsigned> searching_{0};
  std::deque<BlockRunner> runners_; ///< one per thread
  std::deque<os::Thread> threads_;
};

} // namespace heddle::cpu
