// Work that the CUDA runtime does on the host besides what its callers do themselves.
#pragma once

#include "runtime/cuda/driver/context.h"

#include <functional>

namespace heddle::cuda {

/// Runs `task` soon, on a thread of this runtime. For what may wait for the GPU (the driver frees most memory only when
/// nothing runs) but is wanted by one who must not wait: a destructor, which may hold the embedder's locks, or the
/// driver's own thread. Throws nothing; a task that finds no thread is dropped, and so are those left at the end of the
/// process.
void runLater(std::function<void()> task) noexcept;
/// Waits for the tasks given so far, but not for ever: one of them may want what the caller holds.
void finishLater() noexcept;

/// Has the driver call `function` on its own thread when `stream` gets there. The context must be current. What
/// `function` throws is lost.
void enqueueHostFunction(Context &context, CUstream stream, std::function<void()> function);
/// Lets go of `held` when `stream` gets there, on the thread of runLater().
void releaseAfter(Context &context, CUstream stream, std::shared_ptr<void> held);

/// Whether the calling thread is the driver's, inside such a function: it may not call the driver.
bool onDriversThread();
/// Runs `free` with the context current, for destructors: now, or later where the driver may not be called. Throws
/// nothing and may do nothing, see Context::quietly.
template <typename F> void freeSoon(Context &context, F free) noexcept {
  if (onDriversThread())
    runLater([&context, free = std::move(free)] { context.quietly(free); });
  else
    context.quietly(std::move(free));
}
/// Throws CompileError (Value) there: the device would wait for itself.
void refuseWaitOnDriversThread();

} // namespace heddle::cuda
