// A point in the work of a CUDA stream.
#pragma once

#include "runtime/cuda/memory/stream_order.h"

namespace heddle::cuda {

class CudaDevice;

class CudaEvent final : public Event {
public:
  CudaEvent(CudaDevice &device, bool timing);

  bool done() const override;
  /// Throws an error of the work before it that nobody has seen, too.
  void synchronize() override;
  double millisecondsSince(const Event &earlier) const override;
  uint64_t nativeHandle() const override { return reinterpret_cast<uint64_t>(event_.get()); }

  const CudaDevice &device() const { return device_; }
  CUevent get() const { return event_.get(); }
  void noteRecorded() { recorded_.store(true, std::memory_order_relaxed); }

private:
  CudaDevice &device_;
  const bool timing_;
  std::atomic<bool> recorded_{false};
  EventHandle event_;
};

/// Throws CompileError (Type) when the event belongs to a device of another type.
CudaEvent &cudaEvent(Event &event);

} // namespace heddle::cuda
