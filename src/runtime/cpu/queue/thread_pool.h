// The worker threads that run blocks.
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

/// Work of `items` independent, numbered pieces. Workers take chunks of consecutive items, large ones first, of whole rows
/// of `row` items where there are many rows.
class Job {
public:
  explicit Job(uint64_t items, uint64_t first = 0, uint64_t row = 1)
      : items_(items), row_(row), next_(first), place_(1, this) {}
  virtual ~Job() = default;

  /// Runs items begin to end. Called by several workers at once.
  virtual void run(BlockRunner &runner, uint64_t begin, uint64_t end) noexcept = 0;
  /// Called once, by the last worker to leave; the pool knows the job no more, so it may delete itself.
  virtual void finished() noexcept = 0;

  /// Lets no worker take another chunk.
  void stop() { stopped_ = true; }

private:
  friend class ThreadPool;
  bool exhausted() const { return stopped_ || next_ >= items_; }
  /// Takes the next chunk for one of `workers`; whether there was one.
  bool claim(unsigned workers, uint64_t &begin, uint64_t &end);

  const uint64_t items_, row_;
  std::atomic<uint64_t> next_;
  std::atomic<bool> stopped_{false};
  // Guarded by the pool's mutex.
  unsigned active_ = 0;    ///< workers inside
  std::list<Job *> place_; ///< in the pool's list; here while it is in none
};

/// As many workers as processors (HEDDLE_NUM_THREADS or NUMBA_NUM_THREADS overrides), each with a stack of 64 MiB. They
/// look for work for some microseconds before they sleep, so that a launch soon after another finds them awake.
class ThreadPool {
public:
  static constexpr size_t stackBytes = size_t(64) << 20;

  /// Starts the workers. Throws CompileError (Memory) or std::bad_alloc when not even one can be started.
  explicit ThreadPool(unsigned workers);

  static unsigned configuredWorkers();
  unsigned workers() const { return unsigned(threads_.size()); }

  /// Takes no memory.
  void submit(Job &job);
  /// Lets the calling thread work on `job` too: whether there is work left. The job then stays until runAndLeave.
  bool enter(Job &job);
  /// Runs chunks until there are none. The job may be finished, and gone, on return.
  void runAndLeave(Job &job, BlockRunner &runner) noexcept;
  /// After Job::stop: makes sure that a worker sees it.
  void wake();

  /// Ends the workers after their current block; jobs that are left are not finished(). Whether all ended in time: one
  /// that is stuck in an endless block is abandoned, and the pool must then stay.
  bool shutDown(unsigned milliseconds);

private:
  void work(BlockRunner &runner) noexcept;
  Job *next();
  /// Whether one more worker may look for work: one processor is left to the thread that will submit it, which would be
  /// interrupted otherwise, or interrupt a worker in the middle of its work.
  bool maySearch() const;
  /// Takes `job` out of the list when no worker is in it and none will be; whether it did.
  bool retire(Job &job);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::list<Job *> jobs_;
  unsigned parked_ = 0;
  bool ending_ = false;
  unsigned planned_ = 0;
  std::atomic<uint64_t> submissions_{0};
  std::atomic<unsigned> searching_{0};
  std::deque<BlockRunner> runners_; ///< the threads'
  std::deque<os::Thread> threads_;
};

} // namespace heddle::cpu
