#include "runtime/cuda/stream.h"

#include "runtime/cuda/buffer.h"
#include "runtime/cuda/code/module.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/event.h"
#include "runtime/cuda/host_work.h"
#include "runtime/cuda/last_launch.h"
#include "runtime/cuda/pace.h"
#include "support/diagnostic.h"
#include "support/os/standard_output.h"

#include "llvm/ADT/SmallVector.h"

namespace heddle::cuda {

/// Enqueues a piece of work: makes the context current, and records the events of a non-blocking stream.
class CudaStream::Work {
public:
  explicit Work(CudaStream &stream) : stream_(stream), use_(stream.device_.context()) {
    if (stream.nonBlocking_) [[unlikely]]
      stream.nonBlocking_->beforeWork();
  }
  ~Work() {
    // Work that failed half-way or was interrupted may already be partly in the stream.
    if (stream_.nonBlocking_ && !told_) [[unlikely]]
      stream_.device_.context().runQuietly([&] { stream_.nonBlocking_->afterWork(); });
  }
  Work(const Work &) = delete;
  Work &operator=(const Work &) = delete;

  /// Called once the work is enqueued; holds `keepAlive` until it is done.
  void afterEnqueue(std::shared_ptr<void> keepAlive) {
    if (stream_.nonBlocking_) [[unlikely]] {
      stream_.nonBlocking_->afterWork();
      told_ = true;
    }
    if (keepAlive)
      releaseAfter(stream_.device_.context(), stream_.handle_->get(), std::move(keepAlive));
  }

private:
  CudaStream &stream_;
  Context::Use use_;
  bool told_ = false;
};

CudaStream::CudaStream(CudaDevice &device, std::shared_ptr<StreamHandle> handle, StreamKind kind)
    : device_(device), handle_(std::move(handle)) {
  if (kind == StreamKind::NonBlocking)
    nonBlocking_.emplace(device.order(), handle_->get());
}

Device &CudaStream::device() const { return device_; }

void CudaStream::launch(Kernel &kernel, const LaunchShape &shape,
                        std::span<const uint64_t> arguments, std::shared_ptr<void> keepAlive) {
  auto &mine = static_cast<CudaKernel &>(kernel);
  Context &context = device_.context();
  if (&mine.context() != &context) [[unlikely]]
    throw CompileError(ErrorKind::Value, "kernel " + mine.name() + " is loaded on " +
                                             mine.context().label() + "; the stream belongs to " +
                                             context.label());
  // The driver takes each parameter's address, and copies as many bytes as the kernel's parameter has.
  llvm::SmallVector<void *, 64> parameters;
  constexpr size_t argumentBytes = sizeof(uint64_t);
  auto *next = const_cast<uint64_t *>(arguments.data()), *end = next + arguments.size();
  for (uint32_t bytes : mine.parameterBytes()) {
    parameters.push_back(next);
    next += (bytes + argumentBytes - 1) / argumentBytes;
  }
  for (; next != end; ++next)
    parameters.push_back(next);
  uint32_t userGrid = shape.grid.x;
  CudaKernel::Form form = mine.formFor(shape);
  if (form.coarsened)
    parameters.push_back(&userGrid);

  Work work(*this);
  mine.allowDynamicShared(shape.dynamicSharedBytes);
  const Driver &driver = context.driver();
  if (mine.isCooperative() || shape.cooperative)
    context.check(driver.cuLaunchCooperativeKernel(form.function, shape.grid.x, shape.grid.y,
                                                   shape.grid.z, form.block.x, form.block.y,
                                                   form.block.z, shape.dynamicSharedBytes,
                                                   handle_->get(), parameters.data()),
                  "cuLaunchCooperativeKernel");
  else
    context.check(driver.cuLaunchKernel(form.function, form.gridX, shape.grid.y, shape.grid.z,
                                        form.block.x, form.block.y, form.block.z,
                                        shape.dynamicSharedBytes, handle_->get(), parameters.data(),
                                        nullptr),
                  "cuLaunchKernel");
  recordLaunch(mine.launched());
  work.afterEnqueue(std::move(keepAlive));
}

void CudaStream::copy(void *to, const void *from, size_t bytes, std::shared_ptr<void> keepAlive) {
  if (!bytes)
    return;
  Work work(*this);
  Context &context = device_.context();
  context.check(context.driver().cuMemcpyAsync(toDevicePointer(to), toDevicePointer(from), bytes,
                                               handle_->get()),
                "cuMemcpyAsync");
  work.afterEnqueue(std::move(keepAlive));
}

void CudaStream::fill(void *to, uint8_t value, size_t bytes, std::shared_ptr<void> keepAlive) {
  if (!bytes)
    return;
  Work work(*this);
  Context &context = device_.context();
  context.check(context.driver().cuMemsetD8Async(toDevicePointer(to), value, bytes, handle_->get()),
                "cuMemsetD8Async");
  work.afterEnqueue(std::move(keepAlive));
}

void CudaStream::upload(void *to, const void *from, size_t bytes) {
  if (!bytes)
    return;
  rejectWaitOnDriverThread();
  Work work(*this);
  device_.staging().upload(handle_->get(), toDevicePointer(to), static_cast<const char *>(from),
                           bytes);
  work.afterEnqueue(nullptr);
}

void CudaStream::download(void *to, const void *from, size_t bytes) {
  if (!bytes)
    return synchronize();
  rejectWaitOnDriverThread();
  Work work(*this);
  device_.staging().download(handle_->get(), static_cast<char *>(to), toDevicePointer(from), bytes);
  work.afterEnqueue(nullptr);
  reportAfterWait();
}

std::shared_ptr<Buffer> CudaStream::allocate(size_t bytes) {
  Context::Use use(device_.context());
  if (!device_.hasPool())
    return allocateDeviceMemory(device_, bytes);
  return allocateInStream(device_, handle_, bytes);
}

void CudaStream::record(std::shared_ptr<Event> event) {
  CudaEvent &mine = requireCudaEvent(*event);
  if (&mine.device() != &device_)
    throw CompileError(ErrorKind::Value, "an event of " + mine.device().context().label() +
                                             " cannot be recorded in a stream of " +
                                             device_.context().label());
  Context &context = device_.context();
  Context::Use use(context);
  context.check(context.driver().cuEventRecord(mine.get(), handle_->get()), "cuEventRecord");
  mine.markRecorded();
}

void CudaStream::wait(std::shared_ptr<Event> event) {
  CudaEvent &other = requireCudaEvent(*event);
  Work work(*this);
  Context &context = device_.context();
  context.check(context.driver().cuStreamWaitEvent(handle_->get(), other.get(), 0),
                "cuStreamWaitEvent");
  work.afterEnqueue(nullptr);
}

void CudaStream::callback(std::function<void()> f) {
  Work work(*this);
  enqueueHostFunction(device_.context(), handle_->get(), std::move(f));
  work.afterEnqueue(nullptr);
}

uint64_t CudaStream::nativeHandle() const { return reinterpret_cast<uint64_t>(handle_->get()); }

bool CudaStream::isIdle() const {
  CUresult code = device_.context().driver().cuStreamQuery(handle_->get());
  if (code == result::notReady)
    return false;
  device_.context().check(code, "cuStreamQuery");
  return true;
}

bool CudaStream::done() const {
  Context::Use use(device_.context());
  return isIdle();
}

void CudaStream::synchronize() {
  rejectWaitOnDriverThread();
  Context::Use use(device_.context());
  waitUntil([&] { return isIdle(); });
  reportAfterWait();
}

bool isCapturing(Context &context, CUstream stream) {
  Context::Use use(context);
  int status = 0; // CU_STREAM_CAPTURE_STATUS_NONE
  CUresult code = context.driver().cuStreamIsCapturing(stream, &status);
  if (code == result::streamCaptureImplicit) // the default stream, while another one captures
    return true;
  context.check(code, "cuStreamIsCapturing");
  return status != 0;
}

bool CudaStream::isCapturing() const {
  return cuda::isCapturing(device_.context(), handle_->get());
}

void CudaStream::reportAfterWait() {
  if (device_.mayPrint()) {
    os::DivertedOutput diverted;
    device_.context().check(device_.context().driver().cuStreamSynchronize(handle_->get()),
                            "cuStreamSynchronize");
  }
  device_.traps().throwReported();
}

} // namespace heddle::cuda
