// Streams of the CPU device.
#pragma once

#include "runtime/cpu/queue/command.h"

namespace heddle::cpu {

class CpuStream final : public Stream {
public:
  /// Creates a stream, which the destructor closes. Work enqueued before that still runs.
  CpuStream(Device &device, StreamKind kind);
  /// Refers to a stream that another object closes.
  CpuStream(Device &device, std::shared_ptr<StreamState> state);
  ~CpuStream() override;

  Device &device() const override { return device_; }
  void launch(Kernel &kernel, const LaunchShape &shape, std::span<const uint64_t> arguments,
              std::shared_ptr<void> keepAlive) override;
  void copy(void *to, const void *from, size_t bytes, std::shared_ptr<void> keepAlive) override;
  void fill(void *to, uint8_t value, size_t bytes, std::shared_ptr<void> keepAlive) override;
  void upload(void *to, const void *from, size_t bytes) override;
  void download(void *to, const void *from, size_t bytes) override;
  std::shared_ptr<Buffer> allocate(size_t bytes) override;
  void record(std::shared_ptr<Event> event) override;
  void waitForEvent(std::shared_ptr<Event> event) override;
  void addCallback(std::function<void()> f) override;
  void callInOrder(std::function<void()> f) override;
  uint64_t nativeHandle() const override;
  bool done() const override;
  void synchronize() override;
  void waitForEarlierWork() override;
  void beginCapture() override;
  std::shared_ptr<Graph> endCapture() override;
  bool isCapturing() const override;
  size_t countRecordedWork() const override;

  const std::shared_ptr<StreamState> &state() const { return state_; }
  /// True if all work is done. For internal use: unlike done(), it does not tell the program that the work is done.
  bool isIdle() const;

private:
  Device &device_;
  std::shared_ptr<StreamState> state_;
  bool closes_ = false;
};

} // namespace heddle::cpu
