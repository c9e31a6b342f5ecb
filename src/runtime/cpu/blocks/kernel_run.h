// One launch of one kernel: what every worker that runs blocks of it shares.
#pragma once

#include "backend/cpu/blocks/block_context.h"
#include "runtime/device.h"

#include <atomic>
#include <memory>
#include <new>

namespace heddle::cpu {

class KernelRun {
public:
  /// `arguments` must outlive the run.
  KernelRun(const Kernel &kernel, const KernelEntry &entry, const LaunchShape &shape,
            const uint64_t *arguments)
      : kernel(kernel), entry(entry), shape(shape), arguments(arguments) {
    this->shape.block = launchedBlock(shape.block, entry.order);
  }

  /// Stops the run with an error; the first one wins.
  void fail(std::shared_ptr<const KernelError> error) {
    if (!failed_.exchange(true))
      error_ = std::move(error);
    stop = true;
  }
  /// The same with what `describe` returns, for which there may be no memory.
  template <class Describe> void failWith(Describe describe) {
    try {
      fail(describe());
    } catch (const std::bad_alloc &) {
      fail(errorWithoutMemory());
    }
  }
  /// Stops the run without an error of its own. Workers that are in blocks see it when they are interrupted.
  void cancel() {
    cancelled_ = true;
    stop = true;
  }
  bool cancelled() const { return cancelled_; }
  /// The same where the interrupt check of device.h asks for it, on the thread that calls.
  void interrupt() {
    interrupted_ = true;
    cancel();
  }
  bool interrupted() const { return interrupted_; }
  /// The error, once every worker has left.
  std::shared_ptr<const KernelError> error() const { return error_; }

  const Kernel &kernel;
  const KernelEntry &entry;
  LaunchShape shape; ///< the block in the kernel's order
  const uint64_t *const arguments;
  /// Workers look at it before each block.
  std::atomic<bool> stop{false};
  /// Time that workers spent in blocks.
  std::atomic<uint64_t> busyNanoseconds{0};

private:
  std::atomic<bool> failed_{false}, cancelled_{false}, interrupted_{false};
  std::shared_ptr<const KernelError> error_;
};

} // namespace heddle::cpu
