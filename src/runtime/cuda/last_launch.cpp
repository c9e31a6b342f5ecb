#include "runtime/cuda/last_launch.h"

#include "llvm/Demangle/Demangle.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <set>

namespace heddle::cuda {

namespace {

std::atomic<const LaunchedKernel *> lastLaunched{nullptr};
std::atomic<int64_t> lastLaunchTime{0}; ///< in nanoseconds

/// A clock of a few milliseconds' resolution. Reading it takes a fifth of the time that the precise clock needs.
int64_t readCoarseClock() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

} // namespace

const LaunchedKernel &getOrAddLaunchedKernel(std::string kernel, std::string device) {
  static std::mutex mutex;
  static auto *all = new std::set<LaunchedKernel>;
  std::lock_guard lock(mutex);
  return *all->insert({std::move(kernel), std::move(device)}).first;
}

void recordLaunch(const LaunchedKernel &launched) {
  lastLaunched.store(&launched, std::memory_order_relaxed);
  lastLaunchTime.store(readCoarseClock(), std::memory_order_relaxed);
}

std::string describeLastLaunch() {
  const LaunchedKernel *launched = lastLaunched.load(std::memory_order_relaxed);
  if (!launched)
    return "";
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f", 1e-9 * double(readCoarseClock() - lastLaunchTime));
  return "kernel " + llvm::demangle(launched->kernel) + ", launched " + seconds + " s ago on " +
         launched->device +
         ", may still run: a kernel on a GPU cannot be stopped, and later work waits for its end";
}

} // namespace heddle::cuda
