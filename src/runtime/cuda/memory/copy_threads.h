// Threads that copy host memory in parallel, because one core cannot saturate a GPU's link.
#pragma once

#include "support/os/threads.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace heddle::cuda {

/// A few threads that help with one job at a time. They poll for the next job for some microseconds before they sleep,
/// because a download often follows an upload.
class CopyThreads {
public:
  /// The process-wide instance. It starts its threads on first use.
  static CopyThreads &instance();

  /// Runs `body` concurrently on the calling thread and on at most `helpers` other threads. Returns when all of them
  /// are done. `body` must not throw, and must do all the work by itself if no helper joins.
  void run(unsigned helpers, const std::function<void()> &body);

private:
  CopyThreads();
  void runHelper() noexcept;

  std::mutex mutex_; ///< guards the members below
  std::condition_variable wake_;
  const std::function<void()> *body_ = nullptr;
  unsigned wanted_ = 0; ///< helpers that may still join
  unsigned parked_ = 0;
  std::atomic<unsigned> inside_{0};
  std::atomic<uint64_t> jobs_{0};
  std::deque<os::Thread> threads_;
};

} // namespace heddle::cuda
