#include "bindings/interpreter/gil.h"

#include "support/os/threads.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace heddle {

namespace {

std::atomic<bool> ended{false};
std::thread::id endingThread;
/// The number of threads that work without the GIL (for example in the driver, which shuts down when the process ends),
/// or are about to acquire it.
std::atomic<unsigned> outside{0};

[[noreturn]] void sleepForever() {
  while (true)
    std::this_thread::sleep_for(std::chrono::hours(1));
}

bool mayUsePython() { return !ended || std::this_thread::get_id() == endingThread; }

/// Adds the calling thread to `outside` and returns true, unless the interpreter is shutting down.
bool countAsOutsideUnlessShuttingDown() {
  ++outside;
  if (mayUsePython())
    return true;
  --outside;
  return false;
}

} // namespace

WithoutGil::WithoutGil() : state_(PyEval_SaveThread()) {
  if (!countAsOutsideUnlessShuttingDown())
    sleepForever();
}

WithoutGil::~WithoutGil() {
  if (!mayUsePython()) {
    --outside;
    sleepForever();
  }
  PyEval_RestoreThread(state_);
  --outside;
}

WithGil::WithGil() : held_(countAsOutsideUnlessShuttingDown()) {
  if (!held_)
    return;
  state_ = PyGILState_Ensure();
  --outside;
}

WithGil::~WithGil() {
  if (held_)
    PyGILState_Release(state_);
}

void installGilForkHandler() {
  os::atFork([] {}, [] {}, [] { outside = 0; });
}

void shutDownGil() {
  endingThread = std::this_thread::get_id();
  ended = true;
  PyThreadState *state = PyEval_SaveThread();
  constexpr int mostWaits = 1000;
  for (int i = 0; outside && i < mostWaits; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  PyEval_RestoreThread(state);
}

} // namespace heddle
