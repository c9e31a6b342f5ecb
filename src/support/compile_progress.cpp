#include "support/compile_progress.h"

#include "support/diagnostic.h"
#include "support/os/terminal.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>

namespace heddle {

namespace {

constexpr size_t stackBytes = 64 << 10;
constexpr unsigned patience = 1000; // milliseconds; the thread has at most one line left to write

thread_local unsigned depth = 0;

/// The delay before the progress line; 0 disables it.
double readProgressDelay() {
  const char *text = std::getenv("HEDDLE_PROGRESS");
  if (!text || !*text)
    return 1;
  char *end = nullptr;
  double seconds = std::strtod(text, &end);
  return *end || !(seconds >= 0) ? 1 : seconds;
}

} // namespace

struct CompileProgress::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
};

CompileProgress::CompileProgress(const std::function<std::string()> &describe) {
  if (depth++ || !os::isStandardErrorTerminal())
    return;
  double seconds = readProgressDelay();
  if (seconds == 0)
    return;
  auto state = std::make_shared<State>();
  std::string line = "heddle: compiling " + describe() + "\n";
  try {
    thread_ = os::Thread("heddle-progress", stackBytes, [state, line, seconds] {
      std::unique_lock lock(state->mutex);
      if (!state->changed.wait_for(lock, std::chrono::duration<double>(seconds),
                                   [&] { return state->done; }))
        os::writeStandardError(line);
    });
    state_ = std::move(state);
  } catch (const CompileError &) {
    // No thread is available: compile without a progress line.
  }
}

CompileProgress::~CompileProgress() {
  --depth;
  if (!state_)
    return;
  {
    std::lock_guard lock(state_->mutex);
    state_->done = true;
  }
  state_->changed.notify_one();
  thread_.join(patience);
}

} // namespace heddle
