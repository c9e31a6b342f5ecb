#include "runtime/cuda/driver/context.h"

#include "runtime/cuda/graph/capture.h"

#include "runtime/driver_error.h"
#include "support/diagnostic.h"

#include <cstdlib>

namespace heddle::cuda {

namespace {

/// True if a kernel's memory accesses are the likely cause, so that the message suggests how to find the access.
bool isKernelFault(CUresult code) {
  switch (code) {
  case result::illegalAddress:
  case result::hardwareStackError:
  case result::illegalInstruction:
  case result::misalignedAddress:
  case result::invalidAddressSpace:
  case result::invalidPc:
  case result::launchFailed:
    return true;
  default:
    return false;
  }
}

/// True if the context is unusable after `code` (cuda.h: "this leaves the process in an inconsistent state").
bool isContextLostAfter(CUresult code) {
  switch (code) {
  case result::eccUncorrectable:
  case result::nvlinkUncorrectable:
  case result::contained:
  case result::launchTimeout:
  case result::contextIsDestroyed:
  case result::assertion:
  case result::tensorMemoryLeak:
  case result::mpsClientTerminated:
  case result::externalDevice:
    return true;
  default:
    return isKernelFault(code);
  }
}

std::string describeCode(const Driver &driver, CUresult code) {
  return driver.nameOfErrorCode(code) + " (" + std::to_string(code) +
         "): " + driver.descriptionOfErrorCode(code);
}

} // namespace

std::string Context::label() const { return "GPU " + std::to_string(index_) + " (" + name_ + ")"; }

void Context::retainContext() {
  if (isForkedChild())
    throw DriverError(result::notPermitted, "CUDA_ERROR_NOT_PERMITTED",
                      "CUDA does not work in this process: it was forked from one that uses CUDA\n"
                      "  hint: start it with multiprocessing.get_context('spawn'), or fork before "
                      "the first use of a GPU");
  if (hasDriverCrashed())
    throw DriverError(result::unknown, "CUDA_ERROR_UNKNOWN",
                      "the driver crashed in an earlier call, and no GPU can be used in this "
                      "process any more\n"
                      "  hint: restart the process");
  std::lock_guard lock(mutex_);
  if (state_ == State::Ready)
    return;
  if (state_ == State::Lost)
    throwContextLost();
  CUcontext handle = nullptr;
  CUresult code = driver_.cuDevicePrimaryCtxRetain(&handle, device_);
  if (code == result::outOfMemory)
    throw CompileError(ErrorKind::Memory,
                       "out of memory on " + label() + " (cuDevicePrimaryCtxRetain: " +
                           describeCode(driver_, code) + "): another process may be using it");
  if (code != result::success)
    throw DriverError(code, driver_.nameOfErrorCode(code),
                      "cuDevicePrimaryCtxRetain: " + describeCode(driver_, code) + ", on " +
                          label());
  handle_ = handle;
  state_.store(State::Ready, std::memory_order_release);
}

void Context::throwContextLost() const {
  std::string message = lostCall_ + ": " + describeCode(driver_, lostCode_) + ", on " + label() +
                        "\n  the device's context is lost: every array and kernel on it is gone, "
                        "and each further use of it in this process fails with this error\n"
                        "  hint: restart the process";
  if (isKernelFault(lostCode_)) {
    message += "; to find the invalid access, run ";
    if (!std::getenv("HEDDLE_REPLAY")) // the program has a record of the launch
      message += "with HEDDLE_REPLAY=1 (records the launch for 'heddle check'), ";
    message += "with @cuda.jit(debug=True), on the CPU device (HEDDLE_DEVICE=cpu), or under "
               "compute-sanitizer";
  }
  throw DriverError(lostCode_, driver_.nameOfErrorCode(lostCode_), message);
}

void Context::raiseStackLimit(size_t bytes) {
  size_t now = 0;
  check(driver_.cuCtxGetLimit(&now, limit::stackBytes), "cuCtxGetLimit");
  if (now < bytes)
    check(driver_.cuCtxSetLimit(limit::stackBytes, bytes), "cuCtxSetLimit");
}

void Context::writeToDevice(CUdeviceptr address, const void *data, size_t bytes) {
  AllowedInCapture allowed(driver_);
  CUstream stream = nullptr;
  check(driver_.cuStreamCreate(&stream, streamNonBlocking), "cuStreamCreate");
  CUresult code = driver_.cuMemcpyHtoDAsync(address, data, bytes, stream);
  if (code == result::success)
    code = driver_.cuStreamSynchronize(stream);
  driver_.cuStreamDestroy(stream);
  check(code, "cuMemcpyHtoDAsync");
}

void *Context::allocatePageLocked(size_t bytes, unsigned flags) {
  void *memory = nullptr;
  AllowedInCapture allowed(driver_);
  CUresult code = driver_.cuMemHostAlloc(&memory, bytes, flags);
  if (code == result::outOfMemory)
    throw CompileError(ErrorKind::Memory, "cannot allocate " + std::to_string(bytes) +
                                              " bytes of page-locked host memory: the system "
                                              "has no more available");
  check(code, "cuMemHostAlloc");
  return memory;
}

MemoryInfo Context::queryFreeAndTotalMemory() {
  size_t free = 0, total = 0;
  driver_.cuMemGetInfo(&free, &total);
  return {free, total};
}

void Context::throwDriverError(CUresult code, const char *call) {
  if (isContextLostAfter(code)) {
    std::lock_guard lock(mutex_);
    if (state_ != State::Lost) {
      lostCode_ = code;
      lostCall_ = call;
      state_ = State::Lost;
    }
    throwContextLost();
  }
  std::string message = std::string(call) + ": " + describeCode(driver_, code) + ", on " + label();
  if (code == result::outOfMemory) {
    MemoryInfo memory = queryFreeAndTotalMemory();
    throw CompileError(ErrorKind::Memory, message + "; " + std::to_string(memory.free) + " of " +
                                              std::to_string(memory.total) + " bytes are free");
  }
  if (code == result::notPermitted)
    message += "\n  a stream's callback cannot call the driver: the device waits for the callback";
  throw DriverError(code, driver_.nameOfErrorCode(code), message);
}

void Context::throwAllocationError(uint64_t bytes, const char *what) {
  MemoryInfo memory = queryFreeAndTotalMemory();
  throw CompileError(ErrorKind::Memory, "cannot allocate " + std::to_string(bytes) + " bytes of " +
                                            what + " on " + label() + ": " +
                                            std::to_string(memory.free) + " of " +
                                            std::to_string(memory.total) + " bytes are free");
}

} // namespace heddle::cuda
