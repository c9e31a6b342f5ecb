#include "runtime/cuda/host_work.h"

#include "runtime/cuda/graph/capture.h"
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
  // Never destroyed: the thread may be inside a task when the process ends.
  static auto *thread = [] {
    auto *made = new HostThread;
    static HostThread *last = made;
    // The driver shuts down when the process ends; no thread may be inside it then.
    std::atexit([] {
      if (!isDriverUnusable())
        last->shutDown(shutDownMilliseconds);
    });
    return made;
  }();
  return *thread;
}

/// The callback that the driver calls for a function of a graph.
void callRepeatedFunction(void *data) {
  inHostFunction = true;
  try {
    (*static_cast<std::function<void()> *>(data))();
  } catch (...) {
    // Nobody can receive the exception, and the driver is C code.
  }
  inHostFunction = false;
}

/// The callback that the driver calls once.
void callHostFunction(void *data) {
  std::unique_ptr<std::function<void()>> function(static_cast<std::function<void()> *>(data));
  callRepeatedFunction(data);
  inHostFunction = true;
  // Free the captures on this thread, while inHostFunction is set.
  function.reset();
  inHostFunction = false;
}

} // namespace

void runOnHelperThread(std::function<void()> task) noexcept {
  if (isExiting() || isDriverUnusable())
    return;
  try {
    hostThread().submit(std::move(task));
  } catch (...) {
    // No thread or no memory: leak the resources that the task would free.
  }
}

void freeOutsideCaptures(Context &context, std::function<void()> free) noexcept {
  runOnHelperThread([&context, free = std::move(free)]() mutable {
    ActiveCaptures::Lock lock = context.captures().preventCaptures();
    if (context.captures().any())
      return context.captures().keep(lock, [&context, free = std::move(free)]() mutable {
        freeOutsideCaptures(context, std::move(free));
      });
    context.runQuietly([&] {
      AllowedInCapture allowed(context.driver());
      free();
    });
  });
}

void freeHeldUpMemory(Context &context) noexcept {
  for (ActiveCaptures::Task &free : context.captures().takeKept())
    free();
}

void waitForHelperTasks() noexcept {
  if (inHostFunction || HostThread::isCurrent())
    return;
  try {
    auto done = std::make_shared<std::promise<void>>();
    std::future<void> finished = done->get_future();
    runOnHelperThread([done] { done->set_value(); });
    done = nullptr; // dropping the task breaks the promise
    finished.wait_for(longestFinish);
  } catch (...) {
    // No memory for the promise.
  }
}

void enqueueHostFunction(Context &context, CUstream stream, std::function<void()> function) {
  auto data = std::make_unique<std::function<void()>>(std::move(function));
  context.check(context.driver().cuLaunchHostFunc(stream, callHostFunction, data.get()),
                "cuLaunchHostFunc");
  data.release();
}

void enqueueRepeatedFunction(Context &context, CUstream stream, std::function<void()> &function) {
  context.check(context.driver().cuLaunchHostFunc(stream, callRepeatedFunction, &function),
                "cuLaunchHostFunc");
}

void releaseAfterStreamWork(Context &context, CUstream stream, std::shared_ptr<void> held) {
  enqueueHostFunction(context, stream, [held = std::move(held)]() mutable {
    // Freeing may need driver calls, which are not allowed here.
    runOnHelperThread([held = std::move(held)]() mutable { held = nullptr; });
  });
}

bool isOnDriverThread() { return inHostFunction; }

void rejectWaitOnDriverThread() {
  if (inHostFunction)
    throw CompileError(
        ErrorKind::Value,
        "a stream's callback cannot wait for the device: the device waits for the callback");
}

} // namespace heddle::cuda
