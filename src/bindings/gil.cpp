#include "bindings/gil.h"

#include "support/os/threads.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace heddle {

namespace {

std::atomic<bool> ended{false};
std::thread::id endingThread;
/// Threads that have found that they may ask for the lock and do not have it yet.
std::atomic<unsigned> asking{0};
/// Threads that work without the lock, in the driver say, which is taken down when the process ends.
std::atomic<unsigned> working{0};

[[noreturn]] void sleepUntilTheEnd() {
  while (true)
    std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Whether this thread may ask; if so, it must say askingIsOver() when it has the lock.
bool mayAsk() {
  ++asking;
  if (!ended || std::this_thread::get_id() == endingThread)
    return true;
  --asking;
  return false;
}

void askingIsOver() { --asking; }

} // namespace

WithoutGil::WithoutGil() : state_(PyEval_SaveThread()) {
  ++working;
  if (!ended || std::this_thread::get_id() == endingThread)
    return;
  --working;
  sleepUntilTheEnd();
}

WithoutGil::~WithoutGil() {
  --working;
  if (!mayAsk())
    sleepUntilTheEnd();
  PyEval_RestoreThread(state_);
  askingIsOver();
}

WithGil::WithGil() : held_(mayAsk()) {
  if (!held_)
    return;
  state_ = PyGILState_Ensure();
  askingIsOver();
}

WithGil::~WithGil() {
  if (held_)
    PyGILState_Release(state_);
}

void watchForks() {
  os::atFork([] {}, [] {}, [] { asking = working = 0; });
}

void endGil() {
  endingThread = std::this_thread::get_id();
  ended = true;
  PyThreadState *state = PyEval_SaveThread();
  constexpr int mostWaits = 1000;
  for (int i = 0; (asking || working) && i < mostWaits; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  PyEval_RestoreThread(state);
}

} // namespace heddle
