// The captures that this runtime has begun on a GPU, and frees that wait for their end.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace heddle::cuda {

/// Delays frees until no capture is active. Freeing a module or page-locked memory waits for the GPU, and a wait for
/// the GPU on any thread invalidates every active capture.
class ActiveCaptures {
public:
  using Task = std::function<void()>;
  using Lock = std::unique_lock<std::mutex>;

  bool any() const { return count_.load(std::memory_order_relaxed) != 0; }
  void begin() {
    Lock lock(mutex_);
    ++count_;
  }
  void end() { --count_; }

  /// No capture begins while the lock is held.
  Lock preventCaptures() { return Lock(mutex_); }
  /// Keeps a task until no capture is active (takeKept()).
  void keep(const Lock &, Task task) { kept_.push_back(std::move(task)); }
  /// Returns the tasks to run now; none during a capture.
  std::vector<Task> takeKept() {
    Lock lock(mutex_);
    return any() ? std::vector<Task>() : std::exchange(kept_, {});
  }

private:
  std::mutex mutex_;
  std::atomic<unsigned> count_{0};
  std::vector<Task> kept_; ///< guarded by mutex_
};

} // namespace heddle::cuda
