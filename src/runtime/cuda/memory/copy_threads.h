// Threads that copy host memory in parallel: one core moves less than a GPU's link takes.
#pragma once

#include "support/os/threads.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace heddle::cuda {

/// A few threads that help with one piece of work at a time. After it they look for the next for some microseconds
/// before they sleep: a download often follows an upload.
class CopyThreads {
public:
  /// The process's; its threads start at the first use.
  static CopyThreads &instance();

  /// Runs `body` on the calling thread and on at most `helpers` others at once; returns when all have returned. `body`
  /// must not throw and must do all the work by itself if nobody helps: the helpers may be busy.
  void run(unsigned helpers, const std::function<void()> &body);

private:
  CopyThreads();
  void help() noexcept;

  std::mutex mutex_; ///< guards what follows
  std::condition_variable wake_;
  const std::function<void()> *body_ = nullptr;
  unsigned wanted_ = 0; ///< helpers that may still join
  unsigned parked_ = 0;
  std::atomic<unsigned> inside_{0};
  std::atomic<uint64_t> jobs_{0};
  std::deque<os::Thread> threads_;
};

} // namespace heddle::cuda
