// The thread that runs what is not the device's work: stream callbacks, and the release of memory that work used.
#pragma once

#include "support/os/threads.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace heddle {

/// One thread that runs tasks in order. They may take locks of the embedder (Python's), so no worker may run them: a
/// thread that holds such a lock may be waiting for the workers.
class HostThread {
public:
  /// Throws CompileError (Memory) when the thread cannot be started.
  HostThread();
  void submit(std::function<void()> task);
  /// Ends the thread after its current task; whether it ended in time. Tasks that have not begun never run.
  bool shutDown(unsigned milliseconds);
  /// Whether the calling thread is one of these.
  static bool isCurrent();

private:
  void work() noexcept;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
  os::Thread thread_;
};

} // namespace heddle
