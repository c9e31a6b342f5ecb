// A thread for host-side work: stream callbacks, and releasing memory that device work used.
#pragma once

#include "support/os/threads.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace heddle {

/// Runs tasks in order on one thread. Tasks may take the embedder's locks (Python's GIL), so workers cannot run them: a
/// thread that holds the lock may be waiting for the workers.
class HostThread {
public:
  /// Throws CompileError (Memory) if the thread cannot be started.
  HostThread();
  void submit(std::function<void()> task);
  /// Ends the thread after its current task and drops the remaining tasks. Returns false on a timeout.
  bool shutDown(unsigned milliseconds);
  /// True if the calling thread is a HostThread.
  static bool isCurrent();

private:
  void runTasks() noexcept;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
  os::Thread thread_;
};

} // namespace heddle
