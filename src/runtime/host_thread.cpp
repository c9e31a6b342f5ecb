#include "runtime/host_thread.h"

namespace heddle {

namespace {

constexpr size_t stackBytes = size_t(8) << 20;
thread_local bool isHostThread = false;

} // namespace

bool HostThread::isCurrent() { return isHostThread; }

HostThread::HostThread() {
  thread_ = os::Thread("heddle-host", stackBytes, [this] { runTasks(); });
}

void HostThread::submit(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void HostThread::runTasks() noexcept {
  isHostThread = true;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return ending_ || !tasks_.empty(); });
    if (ending_)
      return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
}

bool HostThread::shutDown(unsigned milliseconds) {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  return thread_.join(milliseconds);
}

} // namespace heddle
