// Streams of a GPU.
#pragma once

#include "runtime/cuda/memory/stream_handle.h"
#include "runtime/cuda/memory/stream_order.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

namespace heddle::cuda {

class CudaDevice;
class CudaGraph;
class CudaKernel;
class Recording;

class CudaStream final : public Stream {
public:
  /// For a non-blocking stream the context must be current, because StreamOrder registers the stream.
  CudaStream(CudaDevice &device, std::shared_ptr<StreamHandle> handle, StreamKind kind);

  Device &device() const override;
  void launch(Kernel &kernel, const LaunchShape &shape, std::span<const uint64_t> arguments,
              std::shared_ptr<void> keepAlive) override;
  /// Copies between page-locked, managed and device memory of any GPU. Pageable host memory works on one side, but is
  /// slow and may wait for the stream.
  void copy(void *to, const void *from, size_t bytes, std::shared_ptr<void> keepAlive) override;
  void fill(void *to, uint8_t value, size_t bytes, std::shared_ptr<void> keepAlive) override;
  void upload(void *to, const void *from, size_t bytes) override;
  void download(void *to, const void *from, size_t bytes) override;
  std::shared_ptr<Buffer> allocate(size_t bytes) override;
  void record(std::shared_ptr<Event> event) override;
  void waitForEvent(std::shared_ptr<Event> event) override;
  void addCallback(std::function<void()> f) override;
  uint64_t nativeHandle() const override;
  bool done() const override;
  void synchronize() override;
  void beginCapture() override;
  std::shared_ptr<Graph> endCapture() override;
  bool isCapturing() const override;
  size_t countRecordedWork() const override;

  // For graphs and events.
  void launchGraph(const CudaGraph &graph);
  /// The capture that this stream's work belongs to, if heddle has begun it; else null.
  std::shared_ptr<Recording> recording() const;
  void setRecording(std::shared_ptr<Recording> recording);

private:
  class Work;
  /// The graph of this stream's capture keeps the kernel's code loaded.
  void keepModuleWithGraph(const CudaKernel &kernel);
  /// Adds the work that was enqueued last to the recording.
  void addToRecording(RecordedWork work);
  /// Throws CompileError (Value) if the stream captures.
  void requireNotCapturing(const char *why) const;
  bool isIdle() const;
  /// Ends each host wait: prints kernel output, and throws the error that a kernel reported.
  void reportOutputAndErrors();

  CudaDevice &device_;
  const std::shared_ptr<StreamHandle> handle_;
  std::optional<StreamOrder::NonBlockingStream> nonBlocking_;
  std::atomic<bool> records_{false}; ///< recording_ is set
  mutable std::mutex recordingMutex_;
  std::shared_ptr<Recording> recording_; ///< guarded by recordingMutex_
};

} // namespace heddle::cuda
