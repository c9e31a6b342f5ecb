// Events of CUDA streams.
#pragma once

#include "runtime/cuda/memory/stream_order.h"

namespace heddle::cuda {

class CudaDevice;
class Recording;

class CudaEvent final : public Event {
public:
  CudaEvent(CudaDevice &device, bool timing);

  bool done() const override;
  /// Also throws an unreported error of the work before the event.
  void synchronize() override;
  double millisecondsSince(const Event &earlier) const override;
  uint64_t nativeHandle() const override { return reinterpret_cast<uint64_t>(event_.get()); }

  const CudaDevice &device() const { return device_; }
  CUevent get() const { return event_.get(); }
  /// Called after each record(). `recording` is the capture that the event belongs to, or null.
  void markRecorded(std::shared_ptr<Recording> recording);
  /// The capture that the last record() was part of, if it has not ended.
  std::shared_ptr<Recording> recording() const;

private:
  void requireNotCaptured() const;

  CudaDevice &device_;
  const bool timing_;
  std::atomic<bool> recorded_{false};
  EventHandle event_;
  mutable std::mutex mutex_; ///< guards recording_
  std::weak_ptr<Recording> recording_;
};

/// Throws CompileError (Type) if the event belongs to another device type.
CudaEvent &requireCudaEvent(Event &event);

} // namespace heddle::cuda
