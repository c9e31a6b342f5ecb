// A GPU's primary context: made current for each piece of work, and what its calls' failures mean.
#pragma once

#include "runtime/cuda/driver/driver.h"
#include "runtime/device.h"

#include <atomic>
#include <mutex>

namespace heddle::cuda {

/// The primary context of one GPU, shared with every library in the process that uses CUDA's runtime. Retained at the
/// first use and never released: arrays and modules of other libraries may live in it.
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

  /// The context is the calling thread's current one for as long as this lives; then what was current before.
  class Use {
  public:
    explicit Use(Context &context) : driver_(context.driver_) {
      context.require();
      CUcontext now = nullptr;
      driver_.cuCtxGetCurrent(&now);
      if (now == context.handle_)
        return;
      context.check(driver_.cuCtxSetCurrent(context.handle_), "cuCtxSetCurrent");
      // Where there was none, ours may stay: the next use finds it.
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

  /// Runs `free` with the context current, for destructors: skipped where nothing is left to free (the process ends,
  /// the context is lost, the process is a fork's child). Throws nothing.
  template <typename F> void quietly(F free) noexcept {
    if (exiting() || isForkedChild() || state_ != State::Ready)
      return;
    try {
      Use use(*this);
      free();
    } catch (...) {
      // The next call that somebody waits for says the same.
    }
  }

  /// Throws what a failed `call` means to a user: CompileError (Memory) when memory ran out, DriverError otherwise. An
  /// error after which the context works no more is remembered: every later use throws it again.
  void check(CUresult code, const char *call) {
    if (code != result::success) [[unlikely]]
      fail(code, call);
  }
  [[noreturn]] void fail(CUresult code, const char *call);
  /// CompileError (Memory) for an allocation of `bytes` that failed even after caches were emptied.
  [[noreturn]] void failAllocation(uint64_t bytes, const char *what);

  /// Lets each thread of later launches have at least that much stack, with the context current.
  void raiseStack(size_t bytes);

  /// Page-locked memory of the host, with the context current; cuMemFreeHost frees it. Throws CompileError (Memory).
  void *allocatePageLocked(size_t bytes, unsigned flags);

  /// Free and total memory as the driver tells them, with the context current.
  MemoryInfo driverMemory();

private:
  enum class State { Unused, Ready, Lost };

  void require() {
    if (state_.load(std::memory_order_acquire) != State::Ready || isForkedChild()) [[unlikely]]
      prepare();
  }
  /// Retains the context, or throws why it cannot be used.
  void prepare();
  [[noreturn]] void throwLost() const;

  const Driver &driver_;
  const CUdevice device_;
  const unsigned index_;
  const std::string name_;
  CUcontext handle_ = nullptr;
  std::atomic<State> state_{State::Unused};
  std::mutex mutex_; ///< guards what follows and the change of state_
  CUresult lostCode_ = 0;
  std::string lostCall_;
};

} // namespace heddle::cuda
