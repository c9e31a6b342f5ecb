// A GPU's primary context, and error handling for driver calls.
#pragma once

#include "runtime/cuda/driver/active_captures.h"
#include "runtime/cuda/driver/driver.h"
#include "runtime/device.h"

#include <atomic>
#include <mutex>

namespace heddle::cuda {

/// The primary context of one GPU, shared with all libraries in the process that use the CUDA runtime. Retained on
/// first use and never released, because arrays and modules of other libraries may live in it.
class Context {
public:
  Context(const Driver &driver, CUdevice device, unsigned index, std::string name)
      : driver_(driver), device_(device), index_(index), name_(std::move(name)) {}

  const Driver &driver() const { return driver_; }
  CUdevice device() const { return device_; }
  unsigned index() const { return index_; }
  /// "GPU 0 (NVIDIA H200)".
  std::string label() const;
  CUcontext handle() const { return handle_; }
  ActiveCaptures &captures() { return captures_; }

  /// Makes the context current on the calling thread while the object lives, then restores the previous one.
  class Use {
  public:
    explicit Use(Context &context) : driver_(context.driver_) {
      context.requireContext();
      CUcontext now = nullptr;
      driver_.cuCtxGetCurrent(&now);
      if (now == context.handle_)
        return;
      context.check(driver_.cuCtxSetCurrent(context.handle_), "cuCtxSetCurrent");
      // If no context was current, ours may stay for the next use.
      before_ = now;
    }
    ~Use() {
      if (before_)
        driver_.cuCtxSetCurrent(before_);
    }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

  private:
    const Driver &driver_;
    CUcontext before_ = nullptr;
  };

  /// Runs `free` with the context current, for destructors. Skipped if nothing is left to free: the process is ending,
  /// the context is lost, or the driver must not be called. Throws nothing.
  template <typename F> void runQuietly(F free) noexcept {
    if (isExiting() || isDriverUnusable() || state_ != State::Ready)
      return;
    try {
      Use use(*this);
      free();
    } catch (...) {
      // Ignored: the next call that waits reports the same error.
    }
  }

  /// Throws the exception for a failed `call`: CompileError (Memory) if memory is exhausted, else DriverError. If the
  /// error makes the context unusable, every later use throws it again.
  void check(CUresult code, const char *call) {
    if (code != result::success) [[unlikely]]
      throwDriverError(code, call);
  }
  [[noreturn]] void throwDriverError(CUresult code, const char *call);
  /// Throws CompileError (Memory) for a failed allocation of `bytes` of `what`, such as "device memory".
  [[noreturn]] void throwAllocationError(uint64_t bytes, const char *what);

  /// Sets the stack size per thread of later launches to at least `bytes`. The context must be current.
  void raiseStackLimit(size_t bytes);

  /// Writes to device memory and waits. Does not wait for other work, which must not use the memory yet, and does not
  /// disturb captures. The context must be current.
  void writeToDevice(CUdeviceptr address, const void *data, size_t bytes);

  /// Allocates page-locked host memory; free it with cuMemFreeHost. The context must be current. Throws CompileError
  /// (Memory).
  void *allocatePageLocked(size_t bytes, unsigned flags);

  /// Free and total memory reported by the driver. The context must be current.
  MemoryInfo queryFreeAndTotalMemory();

private:
  enum class State { Unused, Ready, Lost };

  void requireContext() {
    if (state_.load(std::memory_order_acquire) != State::Ready || isDriverUnusable()) [[unlikely]]
      retainContext();
  }
  /// Retains the context, or throws an exception that explains why it cannot be used.
  void retainContext();
  [[noreturn]] void throwContextLost() const;

  const Driver &driver_;
  const CUdevice device_;
  const unsigned index_;
  const std::string name_;
  CUcontext handle_ = nullptr;
  std::atomic<State> state_{State::Unused};
  std::mutex mutex_; ///< guards the members below, and changes of state_
  CUresult lostCode_ = 0;
  std::string lostCall_;
  ActiveCaptures captures_;
};

} // namespace heddle::cuda
