#include "runtime/cuda/host_work.h"

#include "runtime/host_thread.h"
#include "support/diagnostic.h"

#include <chrono>
#include <cstdlib>
#include <future>

namespace heddle::cuda {

namespace {

constexpr unsigned shutDownMilliseconds = 1000;
constexpr auto longestFinish = std::chrono::seconds(2);

thread_local bool inHostFunction = false;

HostThread &hostThread() {
  // Never destroyed: its thread may be in the middle of a task when the process ends.
  static auto *thread = [] {
    auto *made = new HostThread;
    static HostThread *last = made;
    // The driver is taken down at the end of the process: nobody may be inside it then.
    std::atexit([] {
      if (!isForkedChild())
        last->shutDown(shutDownMilliseconds);
    });
    return made;
  }();
  return *thread;
}

/// What the driver calls.
void callHostFunction(void *data) {
  std::unique_ptr<std::function<void()>> function(static_cast<std::function<void()> *>(data));
  inHostFunction = true;
  try {
    (*function)();
  } catch (...) {
    // There is nobody to tell, and the driver is C.
  }
  // What it holds is freed on this thread, too.
  function.reset();
  inHostFunction = false;
}

} // namespace

void runLater(std::function<void()> task) noexcept {
  if (exiting() || isForkedChild())
    return;
  try {
    hostThread().submit(std::move(task));
  } catch (...) {
    // No thread, no memory: what the task would have freed stays.
  }
}

void finishLater() noexcept {
  if (inHostFunction || HostThread::isCurrent())
    return;
  try {
    auto done = std::make_shared<std::promise<void>>();
    std::future<void> finished = done->get_future();
    runLater([done] { done->set_value(); });
    done = nullptr; // a task that is dropped breaks the promise
    finished.wait_for(longestFinish);
  } catch (...) {
    // No memory to wait with.
  }
}

void enqueueHostFunction(Context &context, CUstream stream, std::function<void()> function) {
  auto data = std::make_unique<std::function<void()>>(std::move(function));
  context.check(context.driver().cuLaunchHostFunc(stream, callHostFunction, data.get()),
                "cuLaunchHostFunc");
  (void)data.release();
}

void releaseAfter(Context &context, CUstream stream, std::shared_ptr<void> held) {
  enqueueHostFunction(context, stream, [held = std::move(held)]() mutable {
    // Freeing it may need the driver.
    runLater([held = std::move(held)]() mutable { held = nullptr; });
  });
}

bool onDriversThread() { return inHostFunction; }

void refuseWaitOnDriversThread() {
  if (inHostFunction)
    throw CompileError(
        ErrorKind::Value,
        "a stream's callback cannot wait for the device: the device waits for the callback");
}

} // namespace heddle::cuda
