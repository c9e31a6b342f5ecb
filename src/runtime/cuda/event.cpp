#include "runtime/cuda/event.h"

#include "runtime/cuda/device.h"
#include "runtime/cuda/graph/capture.h"
#include "runtime/cuda/graph/graph.h"
#include "runtime/cuda/host_work.h"
#include "runtime/cuda/pace.h"
#include "support/diagnostic.h"
#include "support/os/standard_output.h"

namespace heddle::cuda {

CudaEvent &requireCudaEvent(Event &event) {
  if (auto *mine = dynamic_cast<CudaEvent *>(&event))
    return *mine;
  throw CompileError(ErrorKind::Type, "this event belongs to another device, not to a GPU");
}

namespace {

/// Creates an event with the context current.
EventHandle makeEvent(Context &context, bool timing) {
  Context::Use use(context);
  return EventHandle(context, timing);
}

} // namespace

CudaEvent::CudaEvent(CudaDevice &device, bool timing)
    : device_(device), timing_(timing), event_(makeEvent(device.context(), timing)) {}

void CudaEvent::requireNotCaptured() const {
  std::unique_lock lock(mutex_);
  if (!recording_.expired())
    throw CompileError(ErrorKind::Value, "nobody can wait for an event of a capture: the work "
                                         "before it runs when the graph is launched");
}

bool CudaEvent::done() const {
  requireNotCaptured();
  Context::Use use(device_.context());
  return event_.isComplete();
}

void CudaEvent::synchronize() {
  rejectWaitOnDriverThread();
  requireNotCaptured();
  Context::Use use(device_.context());
  waitUntil([&] { return event_.isComplete(); });
  if (device_.mayPrint()) {
    os::DivertedOutput diverted;
    AllowedInCapture allowed(device_.context().driver());
    device_.context().check(device_.context().driver().cuEventSynchronize(event_.get()),
                            "cuEventSynchronize");
  }
  device_.traps().throwReported();
}

void CudaEvent::markRecorded(std::shared_ptr<Recording> recording) {
  recorded_.store(true, std::memory_order_relaxed);
  std::lock_guard lock(mutex_);
  recording_ = recording;
}

std::shared_ptr<Recording> CudaEvent::recording() const {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Recording> recording = recording_.lock();
  return recording && !recording->hasEnded() ? recording : nullptr;
}

double CudaEvent::millisecondsSince(const Event &earlier) const {
  const CudaEvent &first = requireCudaEvent(const_cast<Event &>(earlier));
  if (!timing_ || !first.timing_)
    throw CompileError(ErrorKind::Value, "an event was created without timing");
  if (&first.device_ != &device_)
    throw CompileError(ErrorKind::Value, "cannot measure time between events of two devices: " +
                                             first.device_.context().label() + " and " +
                                             device_.context().label());
  if (!recorded_ || !first.recorded_ || !done() || !first.done())
    throw CompileError(
        ErrorKind::Value,
        "both events must be recorded and completed: call record() and synchronize() first");
  Context::Use use(device_.context());
  float milliseconds = 0;
  device_.context().check(
      device_.context().driver().cuEventElapsedTime(&milliseconds, first.get(), get()),
      "cuEventElapsedTime");
  return milliseconds;
}

} // namespace heddle::cuda
