#include "runtime/cuda/memory/copy_threads.h"

#include "support/diagnostic.h"

#include <algorithm>
#include <chrono>

namespace heddle::cuda {

namespace {

/// Eight threads with the caller, enough to saturate a PCIe 5.0 link at 10 GB/s per thread.
constexpr unsigned maxHelpers = 7;
constexpr size_t stackBytes = size_t(2) << 20;
constexpr auto search = std::chrono::microseconds(60);

} // namespace

CopyThreads &CopyThreads::instance() {
  // Never destroyed: its threads still sleep in it when the process ends.
  static auto *threads = new CopyThreads;
  return *threads;
}

CopyThreads::CopyThreads() {
  unsigned helpers = std::min(os::cpuCount() - 1, maxHelpers);
  try {
    for (unsigned i = 0; i < helpers; ++i)
      threads_.emplace_back("heddle-copy", stackBytes, [this] { runHelper(); });
  } catch (const CompileError &) {
    // Fewer threads do the same work.
  }
}

void CopyThreads::run(unsigned helpers, const std::function<void()> &body) {
  bool mine = false;
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    if (!body_ && helpers && !threads_.empty()) {
      mine = true;
      body_ = &body;
      wanted_ = helpers;
      wake = parked_ > 0;
      ++jobs_;
    }
  }
  if (wake)
    wake_.notify_all();
  body();
  if (!mine)
    return;
  {
    std::lock_guard lock(mutex_);
    wanted_ = 0;
  }
  // Helpers have at most one chunk left to finish.
  while (inside_.load(std::memory_order_acquire))
    os::pauseProcessor();
  std::lock_guard lock(mutex_);
  body_ = nullptr;
}

void CopyThreads::runHelper() noexcept {
  std::unique_lock lock(mutex_);
  while (true) {
    if (wanted_) {
      --wanted_;
      ++inside_;
      const std::function<void()> &body = *body_;
      lock.unlock();
      body();
      inside_.fetch_sub(1, std::memory_order_release);
      lock.lock();
      continue;
    }
    uint64_t seen = jobs_;
    lock.unlock();
    auto until = std::chrono::steady_clock::now() + search;
    while (jobs_.load(std::memory_order_acquire) == seen &&
           std::chrono::steady_clock::now() < until)
      for (int i = 0; i < 16; ++i)
        os::pauseProcessor();
    lock.lock();
    if (jobs_ != seen)
      continue;
    ++parked_;
    wake_.wait(lock, [&] { return jobs_ != seen; });
    --parked_;
  }
}

} // namespace heddle::cuda
