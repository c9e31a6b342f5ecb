#include "runtime/cuda/pace.h"

#include "runtime/cuda/last_launch.h"
#include "runtime/device.h"
#include "support/os/threads.h"

#include <algorithm>
#include <atomic>
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

/// The delay of wake-ups that sleeps have on this machine. Some kernels wake threads at the next timer tick only, 4 ms
/// later. The smaller of the last two delays, because one may have had another cause.
std::atomic<uint64_t> wakeUpDelay{0};

uint64_t steadyNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void sleepAndRecordDelay(uint64_t begin, uint64_t nanoseconds) {
  static std::atomic<uint64_t> lastDelay{0};
  std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds));
  uint64_t slept = steadyNanoseconds() - begin;
  uint64_t delay = slept > nanoseconds ? slept - nanoseconds : 0;
  wakeUpDelay = std::min(delay, lastDelay.exchange(delay));
}

} // namespace

Pace::Pace() : start_(steadyNanoseconds()), now_(start_), nextCheck_(start_ + interruptPeriod) {}

void Pace::pause() {
  now_ = steadyNanoseconds();
  uint64_t waited = now_ - start_;
  if (waited < sleepAfterNanoseconds || waited / 30 < wakeUpDelay) {
    if (waited > closeNanoseconds)
      std::this_thread::yield();
    for (int i = 0; i < 4; ++i)
      os::pauseProcessor();
    return;
  }
  sleepAndRecordDelay(now_, std::min(waited / 30, longestSleep));
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
