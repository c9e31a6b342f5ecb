#include "runtime/cuda/pace.h"

#include "runtime/cuda/last_launch.h"
#include "runtime/device.h"
#include "support/os/threads.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace heddle::cuda {

namespace {

/// Launches and small copies complete within this time; other work takes much longer.
constexpr uint64_t closeNanoseconds = 30000;
/// After this time, a wake-up that is late by a thirtieth does not matter.
constexpr uint64_t sleepAfterNanoseconds = 1500000;
constexpr uint64_t longestSleep = 500000;
constexpr uint64_t interruptPeriod = 50000000;

uint64_t steadyNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

} // namespace

Pace::Pace() : start_(steadyNanoseconds()), now_(start_), nextCheck_(start_ + interruptPeriod) {}

void Pace::pause() {
  now_ = steadyNanoseconds();
  uint64_t waited = now_ - start_;
  if (waited < sleepAfterNanoseconds) {
    if (waited > closeNanoseconds)
      std::this_thread::yield();
    for (int i = 0; i < 4; ++i)
      os::pauseProcessor();
    return;
  }
  std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(waited / 30, longestSleep)));
}

void Pace::pauseOrInterrupt() {
  pause();
  if (now_ < nextCheck_)
    return;
  nextCheck_ = now_ + interruptPeriod;
  if (callInterruptCheck())
    throw Interrupted(/*stillRuns=*/true, describeLastLaunch());
}

} // namespace heddle::cuda
