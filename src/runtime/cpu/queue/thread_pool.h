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

/// A job of `items` independent, numbered items. Workers take chunks of consecutive items, large ones first. If there
/// are many rows, chunks consist of whole rows of `row` items.
class Job {
public:
  explicit Job(uint64_t items, uint64_t first = 0, uint64_t row = 1)
      : items_(items), row_(row), next_(first), place_(1, this) {}
  virtual ~Job() = default;

  /// Runs items [begin, end). Called by several workers concurrently.
  virtual void run(BlockRunner &runner, uint64_t begin, uint64_t end) noexcept = 0;
  /// Called once, by the last worker to leave. The pool no longer refers to the job, so it may delete itself.
  virtual void finished() noexcept = 0;

  /// Prevents workers from taking further chunks.
  void stop() { stopped_ = true; }

private:
  friend class ThreadPool;
  bool exhausted() const { return stopped_ || next_ >= items_; }
  /// Takes the next chunk, sized for `workers` workers. Returns false if there is none.
  bool claim(unsigned workers, uint64_t &begin, uint64_t &end);

  const uint64_t items_, row_;
  std::atomic<uint64_t> next_;
  std::atomic<bool> stopped_{false};
  // Guarded by the pool's mutex.
  unsigned active_ = 0;    ///< workers in the job
  std::list<Job *> place_; ///< the list node, kept here while the job is in no list
};

/// Starts one worker per processor (HEDDLE_NUM_THREADS or NUMBA_NUM_THREADS overrides this), each with a 64 MiB stack.
/// Workers poll for some microseconds before they sleep, so that consecutive launches find them awake.
class ThreadPool {
public:
  static constexpr size_t stackBytes = size_t(64) << 20;

  /// Starts the workers. Throws CompileError (Memory) or std::bad_alloc if none can be started.
  explicit ThreadPool(unsigned workers);

  static unsigned configuredWorkers();
  unsigned workers() const { return unsigned(threads_.size()); }

  /// Allocates no memory.
  void submit(Job &job);
  /// Lets the calling thread work on `job`. Returns false if no work is left. The job then lives until runAndLeave().
  bool enter(Job &job);
  /// Runs chunks until none are left. The job may be finished, and destroyed, on return.
  void runAndLeave(Job &job, BlockRunner &runner) noexcept;
  /// Called after Job::stop(), so that a worker notices.
  void wake();

  /// Ends the workers after their current block; remaining jobs do not get finished(). Returns false if a worker did
  /// not end in time: a worker in an endless block is abandoned, and the pool must then not be destroyed.
  bool shutDown(unsigned milliseconds);

private:
  void work(BlockRunner &runner) noexcept;
  Job *next();
  /// True if one more worker may poll for work. One processor is left to the submitting thread; otherwise the two would
  /// preempt each other.
  bool maySearch() const;
  /// Removes `job` from the list if no worker is in it and none will enter. Returns true if it did.
  bool retire(Job &job);

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
