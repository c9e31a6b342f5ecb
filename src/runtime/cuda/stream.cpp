#include "runtime/cuda/stream.h"

#include "runtime/cuda/buffer.h"
#include "runtime/cuda/code/module.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/event.h"
#include "runtime/cuda/graph/capture.h"
#include "runtime/cuda/graph/graph.h"
#include "runtime/cuda/host_work.h"
#include "runtime/cuda/last_launch.h"
#include "runtime/cuda/pace.h"
#include "support/diagnostic.h"
#include "support/os/standard_output.h"

#include "llvm/ADT/SmallVector.h"

namespace heddle::cuda {

namespace {

constexpr const char *waitInCapture = "nobody can wait for a stream that captures: end the capture "
                                      "first";
constexpr const char *defaultInCapture =
    "another stream captures, and the default stream waits for it\n  hint: work that belongs to "
    "the graph goes to the stream that captures, as in kernel[grid, block, stream]; other work "
    "before or after the capture";

/// Lists the address of each parameter. The driver copies as many bytes as the kernel's parameter has. `bytes`: see
/// CudaKernel::parameterBytes.
void appendParameterPointers(std::span<const uint64_t> arguments,
                             const std::vector<uint32_t> &bytes,
                             llvm::SmallVectorImpl<void *> &parameters) {
  auto *next = const_cast<uint64_t *>(arguments.data()), *end = next + arguments.size();
  constexpr uint32_t slotBytes = sizeof(uint64_t);
  for (uint32_t size : bytes) {
    parameters.push_back(next);
    next += (size + slotBytes - 1) / slotBytes;
  }
  size_t before = parameters.size(), rest = size_t(end - next);
  parameters.resize_for_overwrite(before + rest);
  for (void **parameter = parameters.data() + before; next != end; ++next)
    *parameter++ = next;
}

} // namespace

/// Enqueues a piece of work: makes the context current, and records the events of a non-blocking stream, unless it
/// captures.
class CudaStream::Work {
public:
  /// asksCapture: isCaptured() is also right for a blocking stream of this runtime.
  explicit Work(CudaStream &stream, bool asksCapture = false)
      : stream_(stream), use_(stream.device_.context()) {
    Context &context = stream.device_.context();
    CUstream handle = stream.handle_->get();
    if (handle == legacyStream()) {
      if (isCapturingInCurrentContext(context, handle)) [[unlikely]]
        throw CompileError(ErrorKind::Value, defaultInCapture);
    } else if (asksCapture || stream.nonBlocking_ || !stream.handle_->isOwned()) {
      isCaptured_ = isCapturingInCurrentContext(context, handle);
    }
    if (stream.nonBlocking_ && !isCaptured_) [[unlikely]] {
      tells_ = true;
      stream.nonBlocking_->waitForFenceBeforeWork();
    }
  }
  ~Work() {
    // Work that failed half-way or was interrupted may already be partly in the stream.
    if (tells_) [[unlikely]]
      stream_.device_.context().runQuietly([&] { stream_.nonBlocking_->recordLastWorkEvent(); });
  }
  Work(const Work &) = delete;
  Work &operator=(const Work &) = delete;

  /// True for work that belongs to a graph. False for a blocking stream of this runtime, unless asksCapture.
  bool isCaptured() const { return isCaptured_; }
  /// Called once the work is enqueued; holds `keepAlive` until it is done.
  void recordAndKeepAliveUntilDone(std::shared_ptr<void> keepAlive) {
    Context &context = stream_.device_.context();
    CUstream stream = stream_.handle_->get();
    if (tells_) [[unlikely]] {
      stream_.nonBlocking_->recordLastWorkEvent();
      tells_ = false;
    }
    if (!keepAlive)
      return;
    if (cuda::isCapturing(context, stream))
      keepAliveWithGraph(context, stream, std::move(keepAlive));
    else
      releaseAfterStreamWork(context, stream, std::move(keepAlive));
  }

private:
  CudaStream &stream_;
  Context::Use use_;
  bool isCaptured_ = false;
  bool tells_ = false; ///< an event follows the work
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
  llvm::SmallVector<void *, 64> parameters;
  appendParameterPointers(arguments, mine.parameterBytes(), parameters);
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
  if (work.isCaptured()) [[unlikely]]
    keepModuleWithGraph(mine);
  if (records_.load(std::memory_order_relaxed)) [[unlikely]]
    addToRecording({.kind = RecordedWork::Kind::Kernel, .name = mine.name(), .shape = shape});
  work.recordAndKeepAliveUntilDone(std::move(keepAlive));
}

void CudaStream::copy(void *to, const void *from, size_t bytes, std::shared_ptr<void> keepAlive) {
  if (!bytes)
    return;
  Work work(*this);
  Context &context = device_.context();
  context.check(context.driver().cuMemcpyAsync(toDevicePointer(to), toDevicePointer(from), bytes,
                                               handle_->get()),
                "cuMemcpyAsync");
  if (records_)
    addToRecording({.kind = RecordedWork::Kind::Copy, .to = to, .from = from, .bytes = bytes});
  work.recordAndKeepAliveUntilDone(std::move(keepAlive));
}

void CudaStream::fill(void *to, uint8_t value, size_t bytes, std::shared_ptr<void> keepAlive) {
  if (!bytes)
    return;
  Work work(*this);
  Context &context = device_.context();
  context.check(context.driver().cuMemsetD8Async(toDevicePointer(to), value, bytes, handle_->get()),
                "cuMemsetD8Async");
  if (records_)
    addToRecording({.kind = RecordedWork::Kind::Fill, .to = to, .bytes = bytes, .value = value});
  work.recordAndKeepAliveUntilDone(std::move(keepAlive));
}

void CudaStream::upload(void *to, const void *from, size_t bytes) {
  if (!bytes)
    return;
  rejectWaitOnDriverThread();
  Context::Use use(device_.context());
  if (isCapturing())
    refuseHostCopyInCapture();
  Work work(*this);
  device_.staging().upload(handle_->get(), toDevicePointer(to), static_cast<const char *>(from),
                           bytes);
  work.recordAndKeepAliveUntilDone(nullptr);
}

void CudaStream::download(void *to, const void *from, size_t bytes) {
  if (!bytes)
    return synchronize();
  rejectWaitOnDriverThread();
  Context::Use use(device_.context());
  if (isCapturing())
    refuseHostCopyInCapture();
  Work work(*this);
  device_.staging().download(handle_->get(), static_cast<char *>(to), toDevicePointer(from), bytes);
  work.recordAndKeepAliveUntilDone(nullptr);
  reportOutputAndErrors();
}

std::shared_ptr<Buffer> CudaStream::allocate(size_t bytes) {
  Context::Use use(device_.context());
  // Memory that a graph uses must not belong to the graph: it lives as long as the array.
  if (!device_.hasPool() || isCapturing())
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
  mine.markRecorded(recording());
}

void CudaStream::waitForEvent(std::shared_ptr<Event> event) {
  CudaEvent &other = requireCudaEvent(*event);
  Work work(*this);
  Context &context = device_.context();
  context.check(context.driver().cuStreamWaitEvent(handle_->get(), other.get(), 0),
                "cuStreamWaitEvent");
  if (auto recording = other.recording(); recording && recording != this->recording()) {
    recording->addStream(std::static_pointer_cast<CudaStream>(shared_from_this()));
    setRecording(std::move(recording));
  }
  work.recordAndKeepAliveUntilDone(nullptr);
}

void CudaStream::addCallback(std::function<void()> f) {
  Work work(*this);
  if (isCapturing()) {
    auto repeated = std::make_shared<std::function<void()>>(std::move(f));
    enqueueRepeatedFunction(device_.context(), handle_->get(), *repeated);
    if (records_)
      addToRecording({.kind = RecordedWork::Kind::Callback});
    work.recordAndKeepAliveUntilDone(std::move(repeated));
    return;
  }
  enqueueHostFunction(device_.context(), handle_->get(), std::move(f));
  work.recordAndKeepAliveUntilDone(nullptr);
}

uint64_t CudaStream::nativeHandle() const { return reinterpret_cast<uint64_t>(handle_->get()); }

bool CudaStream::isIdle() const {
  AllowedInCapture allowed(device_.context().driver());
  CUresult code = device_.context().driver().cuStreamQuery(handle_->get());
  if (code == result::notReady)
    return false;
  device_.context().check(code, "cuStreamQuery");
  return true;
}

bool CudaStream::done() const {
  Context::Use use(device_.context());
  requireNotCapturing(waitInCapture);
  return isIdle();
}

void CudaStream::synchronize() {
  rejectWaitOnDriverThread();
  Context::Use use(device_.context());
  requireNotCapturing(waitInCapture);
  waitUntil([&] { return isIdle(); });
  reportOutputAndErrors();
}

bool CudaStream::isCapturing() const {
  return cuda::isCapturing(device_.context(), handle_->get());
}

void CudaStream::requireNotCapturing(const char *why) const {
  if (isCapturing())
    throw CompileError(ErrorKind::Value, why);
}

void CudaStream::beginCapture() {
  if (handle_->get() == legacyStream())
    throw CompileError(ErrorKind::Value, "the default stream cannot capture: make a stream");
  requireNotCapturing("the stream captures already");
  Context &context = device_.context();
  Context::Use use(context);
  auto recording = std::make_shared<Recording>(context);
  context.check(context.driver().cuStreamBeginCapture(handle_->get(), captureRelaxed),
                "cuStreamBeginCapture");
  recording->addStream(std::static_pointer_cast<CudaStream>(shared_from_this()));
  setRecording(std::move(recording));
}

std::shared_ptr<Graph> CudaStream::endCapture() {
  std::shared_ptr<Recording> recorded = recording();
  if (!recorded)
    throw CompileError(ErrorKind::Value, "the stream has not begun a capture");
  Context &context = device_.context();
  Context::Use use(context);
  CUgraph graph = nullptr;
  CUresult code = context.driver().cuStreamEndCapture(handle_->get(), &graph);
  for (const std::weak_ptr<CudaStream> &member : recorded->endAndTakeStreams())
    if (auto stream = member.lock())
      stream->setRecording(nullptr);
  if (code == result::streamCaptureUnjoined)
    throw CompileError(ErrorKind::Value,
                       "the capture has ended without a graph: work of a stream that joined it was "
                       "not joined back. Record an event on the other stream, after its last work, "
                       "and wait for the event on this stream before end_capture()");
  if (code == result::streamCaptureInvalidated)
    throw CompileError(ErrorKind::Value,
                       "the capture has ended without a graph: a call waited for the stream, or "
                       "made it wait for work outside of the capture");
  context.check(code, "cuStreamEndCapture");
  return std::make_shared<CudaGraph>(device_, graph, std::move(recorded));
}

std::shared_ptr<Recording> CudaStream::recording() const {
  if (!records_)
    return nullptr;
  std::lock_guard lock(recordingMutex_);
  return recording_;
}

void CudaStream::setRecording(std::shared_ptr<Recording> recording) {
  std::lock_guard lock(recordingMutex_);
  records_ = recording != nullptr;
  recording_ = std::move(recording);
}

size_t CudaStream::countRecordedWork() const {
  std::shared_ptr<Recording> recorded = recording();
  return recorded ? recorded->size() : 0;
}

void CudaStream::keepModuleWithGraph(const CudaKernel &kernel) {
  // A graph of another library cannot hold the module itself. The driver's means costs time in each launch of a graph.
  if (std::shared_ptr<Recording> recorded = recording())
    recorded->keepModule(kernel.shareModule());
  else
    keepAliveWithGraph(device_.context(), handle_->get(), kernel.shareModule());
}

void CudaStream::addToRecording(RecordedWork work) {
  if (std::shared_ptr<Recording> recorded = recording())
    recorded->add(std::move(work), findLastNode(device_.context(), handle_->get()));
}

void CudaStream::launchGraph(const CudaGraph &graph) {
  Work work(*this, /*asksCapture=*/true);
  if (work.isCaptured())
    throw CompileError(ErrorKind::Value,
                       "a GPU cannot capture the launch of a graph\n"
                       "  hint: capture the work of both graphs in one, or launch one after the "
                       "other");
  Context &context = device_.context();
  context.check(context.driver().cuGraphLaunch(graph.executable(), handle_->get()),
                "cuGraphLaunch");
  work.recordAndKeepAliveUntilDone(nullptr);
}

void CudaStream::reportOutputAndErrors() {
  if (device_.mayPrint()) {
    os::DivertedOutput diverted;
    device_.context().check(device_.context().driver().cuStreamSynchronize(handle_->get()),
                            "cuStreamSynchronize");
  }
  device_.traps().throwReported();
}

} // namespace heddle::cuda
