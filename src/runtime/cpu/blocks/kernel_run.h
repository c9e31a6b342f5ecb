// One kernel launch: the state shared by all workers that run its blocks.
#pragma once

#include "backend/cpu/abi/block_context.h"
#include "runtime/cpu/check/checked_launch.h"
#include "runtime/cpu/check/filtered_launch.h"
#include "runtime/device.h"

#include <atomic>
#include <memory>
#include <new>

namespace heddle::cpu {

class KernelRun {
public:
  /// `arguments` must outlive the run. checked: set if `entry` is the exact form; filtered: if it is the form with the
  /// race filter.
  KernelRun(const Kernel &kernel, const KernelEntry &entry, const LaunchShape &shape,
            const uint64_t *arguments, CheckedLaunch *checked = nullptr,
            FilteredLaunch *filtered = nullptr)
      : kernel(kernel), entry(entry), shape(shape), arguments(arguments), checked(checked),
        filtered(filtered) {
    this->shape.block = blockInKernelOrder(shape.block, entry.order);
    if (!checked && !filtered)
      ++uncheckedLaunches;
  }
  KernelRun(const KernelRun &) = delete;
  KernelRun &operator=(const KernelRun &) = delete;

  /// Stops the run with an error. Later errors are ignored.
  void fail(std::shared_ptr<const KernelError> error) {
    if (!failed_.exchange(true))
      error_ = std::move(error);
    stop = true;
  }
  /// Stops the run with the error that `describe` returns. Handles bad_alloc thrown by `describe`.
  template <class Describe> void failWith(Describe describe) {
    try {
      fail(describe());
    } catch (const std::bad_alloc &) {
      fail(outOfMemoryError());
    }
  }
  /// Stops the run without an error. Workers inside a block notice only when os::interruptCode() interrupts them.
  void cancel() {
    cancelled_ = true;
    stop = true;
  }
  bool cancelled() const { return cancelled_; }
  /// Cancels the run because the interrupt check (device.h) returned true on the calling thread.
  void interrupt() {
    interrupted_ = true;
    cancel();
  }
  bool interrupted() const { return interrupted_; }
  /// The error, valid once every worker has left.
  std::shared_ptr<const KernelError> error() const { return error_; }

  const Kernel &kernel;
  const KernelEntry &entry;
  LaunchShape shape; ///< with the block's axes in the kernel's order
  const uint64_t *const arguments;
  CheckedLaunch *const checked;   ///< null for other forms
  FilteredLaunch *const filtered; ///< null for other forms
  /// Read by workers before each block.
  std::atomic<bool> stop{false};
  /// Total time that workers spent in blocks.
  std::atomic<uint64_t> busyNanoseconds{0};

private:
  std::atomic<bool> failed_{false}, cancelled_{false}, interrupted_{false};
  std::shared_ptr<const KernelError> error_;
};

} // namespace heddle::cpu
