// Host work that the CUDA runtime does on other threads.
#pragma once

#include "runtime/cuda/driver/context.h"

#include <functional>

namespace heddle::cuda {

/// Runs `task` later on a thread of this runtime. For tasks that may wait for the GPU, on behalf of callers that must
/// not wait: destructors, which may hold the embedder's locks, and the driver's callback thread. (The driver frees most
/// memory only when the GPU is idle.) Throws nothing. Tasks are dropped if no thread can be started, and at the end of
/// the process.
void runOnHelperThread(std::function<void()> task) noexcept;
/// Runs `free` with the context current once no capture of this runtime is active, and without disturbing captures of
/// other libraries. For frees that wait for the GPU. Throws nothing and may do nothing, see Context::runQuietly.
void freeOutsideCaptures(Context &context, std::function<void()> free) noexcept;
/// Schedules the frees that captures have delayed, unless a capture is still active.
void freeHeldUpMemory(Context &context) noexcept;
/// Waits for the tasks that runOnHelperThread() has received so far. Has a timeout, because a task may wait for a lock
/// that the caller holds.
void waitForHelperTasks() noexcept;

/// Makes the driver call `function` on its callback thread when `stream` reaches it. The context must be current.
/// Exceptions of `function` are ignored.
void enqueueHostFunction(Context &context, CUstream stream, std::function<void()> function);
/// Enqueues a host function in a capturing stream: the graph calls it at each launch. The function must live as long as
/// the graph.
void enqueueRepeatedFunction(Context &context, CUstream stream, std::function<void()> &function);
/// Releases `held` on the thread of runOnHelperThread() when `stream` reaches this point.
void releaseAfterStreamWork(Context &context, CUstream stream, std::shared_ptr<void> held);

/// True on the driver's callback thread inside a host function, where driver calls are not allowed.
bool isOnDriverThread();
/// Runs `free` with the context current, for destructors; on the driver's callback thread, defers it. Throws nothing
/// and may do nothing, see Context::runQuietly.
template <typename F> void freeSoon(Context &context, F free) noexcept {
  if (isOnDriverThread())
    runOnHelperThread([&context, free = std::move(free)] { context.runQuietly(free); });
  else
    context.runQuietly(std::move(free));
}
/// Throws CompileError (Value) on the driver's callback thread, where waiting for the device would deadlock.
void rejectWaitOnDriverThread();

} // namespace heddle::cuda
