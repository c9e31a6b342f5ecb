// Host work that the CUDA runtime does on other threads.
#pragma once

#include "runtime/cuda/driver/context.h"

#include <functional>

namespace heddle::cuda {

/// Runs `task` later on a thread of this runtime. For tasks that may wait for the GPU, on behalf of callers that must
/// not wait: destructors, which may hold the embedder's locks, and the driver's callback thread. (The driver frees most
/// memory only when the GPU is idle.) Throws nothing. Tasks are dropped if no thread can be started, and at the end of
/// the process.
void runLater(std::function<void()> task) noexcept;
/// Runs `free` later, when no capture is active that this runtime has begun: with the context current, and so that
/// captures of other libraries go on. For frees that wait for the GPU. Throws nothing and may do nothing, see
/// Context::runQuietly.
void freeOutsideCaptures(Context &context, std::function<void()> free) noexcept;
/// Runs later the frees that captures have held up, unless one is active still.
void resumeFrees(Context &context) noexcept;
/// Waits for the tasks that runLater() has received so far. Has a timeout, because a task may wait for a lock that the
/// caller holds.
void waitForLaterTasks() noexcept;

/// Makes the driver call `function` on its callback thread when `stream` reaches it. The context must be current.
/// Exceptions of `function` are ignored.
void enqueueHostFunction(Context &context, CUstream stream, std::function<void()> function);
/// The same for a function that a captured graph calls at each launch. It must live as long as the graph.
void enqueueRepeatedFunction(Context &context, CUstream stream, std::function<void()> &function);
/// Releases `held` on the thread of runLater() when `stream` reaches this point.
void releaseAfter(Context &context, CUstream stream, std::shared_ptr<void> held);

/// True on the driver's callback thread inside a host function, where driver calls are not allowed.
bool isOnDriverThread();
/// Runs `free` with the context current, for destructors; on the driver's callback thread, defers it. Throws nothing
/// and may do nothing, see Context::runQuietly.
template <typename F> void freeSoon(Context &context, F free) noexcept {
  if (isOnDriverThread())
    runLater([&context, free = std::move(free)] { context.runQuietly(free); });
  else
    context.runQuietly(std::move(free));
}
/// Throws CompileError (Value) on the driver's callback thread, where waiting for the device would deadlock.
void rejectWaitOnDriverThread();

} // namespace heddle::cuda
