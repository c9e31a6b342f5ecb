#include "runtime/cuda/last_launch.h"

#include "llvm/Demangle/Demangle.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <set>

namespace heddle::cuda {

namespace {

using LaunchClock = std::chrono::steady_clock;

std::atomic<const LaunchedKernel *> lastLaunched{nullptr};
std::atomic<LaunchClock::rep> lastLaunchTime{0};

} // namespace

const LaunchedKernel &internLaunchedKernel(std::string kernel, std::string device) {
  static std::mutex mutex;
  static auto *all = new std::set<LaunchedKernel>;
  std::lock_guard lock(mutex);
  return *all->insert({std::move(kernel), std::move(device)}).first;
}

void recordLaunch(const LaunchedKernel &launched) {
  lastLaunched.store(&launched, std::memory_order_relaxed);
  lastLaunchTime.store(LaunchClock::now().time_since_epoch().count(), std::memory_order_relaxed);
}

std::string describeLastLaunch() {
  const LaunchedKernel *launched = lastLaunched.load(std::memory_order_relaxed);
  if (!launched)
    return "";
  LaunchClock::duration ago =
      LaunchClock::now().time_since_epoch() - LaunchClock::duration(lastLaunchTime.load());
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f", std::chrono::duration<double>(ago).count());
  return "kernel " + llvm::demangle(launched->kernel) + ", launched " + seconds + " s ago on " +
         launched->device +
         ", may still run: a kernel on a GPU cannot be stopped, and later work waits for its end";
}

} // namespace heddle::cuda
