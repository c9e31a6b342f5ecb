#include "runtime/cuda/memory/stream_order.h"

#include "runtime/cuda/graph/capture.h"
#include "runtime/cuda/host_work.h"

namespace heddle::cuda {

EventHandle::EventHandle(Context &context, bool timing) : context_(context) {
  context.check(context.driver().cuEventCreate(&event_, timing ? 0 : eventDisableTiming),
                "cuEventCreate");
}

EventHandle::~EventHandle() {
  freeSoon(context_,
           [&context = context_, event = event_] { context.driver().cuEventDestroy(event); });
}

bool EventHandle::isComplete() const {
  AllowedInCapture allowed(context_.driver());
  CUresult code = context_.driver().cuEventQuery(event_);
  if (code == result::notReady)
    return false;
  context_.check(code, "cuEventQuery");
  return true;
}

StreamOrder::NonBlockingStream::NonBlockingStream(StreamOrder &order, CUstream stream)
    : order_(order), stream_(stream), last_(std::make_shared<EventHandle>(order.context_, false)) {
  {
    std::lock_guard lock(order.mutex_);
    order.lastWork_.push_back(last_);
    order.others_.store(true, std::memory_order_relaxed);
  }
  enqueueFirstFence();
}

void StreamOrder::NonBlockingStream::enqueueFirstFence() {
  if (isCapturing(order_.context_, legacyStream()))
    return; // a fence would end the capture
  owesFence_ = false;
  order_.enqueueFence();
}

void StreamOrder::NonBlockingStream::waitForFenceBeforeWork() {
  if (owesFence_.load(std::memory_order_relaxed)) [[unlikely]]
    enqueueFirstFence();
  uint64_t fences = order_.fences_.load(std::memory_order_acquire);
  if (seen_.load(std::memory_order_relaxed) == fences)
    return;
  std::lock_guard lock(order_.mutex_);
  Context &context = order_.context_;
  context.check(context.driver().cuStreamWaitEvent(stream_, order_.fence_->get(), 0),
                "cuStreamWaitEvent");
  seen_ = fences;
}

void StreamOrder::NonBlockingStream::recordLastWorkEvent() {
  Context &context = order_.context_;
  context.check(context.driver().cuEventRecord(last_->get(), stream_), "cuEventRecord");
}

bool StreamOrder::isWorkDone() {
  std::lock_guard lock(mutex_);
  for (const std::shared_ptr<EventHandle> &event : lastWork_)
    if (!event->isComplete())
      return false;
  return true;
}

void StreamOrder::enqueueFence() {
  if (!others_.load(std::memory_order_relaxed))
    return;
  std::lock_guard lock(mutex_);
  const Driver &driver = context_.driver();
  std::vector<std::shared_ptr<EventHandle>> stay;
  for (const std::shared_ptr<EventHandle> &event : lastWork_) {
    // Read before the event is queried: while the stream exists, more work may follow.
    bool owned = event.use_count() > 1;
    if (!event->isComplete())
      context_.check(driver.cuStreamWaitEvent(legacyStream(), event->get(), 0),
                     "cuStreamWaitEvent");
    if (owned)
      stay.push_back(event);
  }
  lastWork_ = std::move(stay);
  if (!fence_)
    fence_ = std::make_unique<EventHandle>(context_, false);
  context_.check(driver.cuEventRecord(fence_->get(), legacyStream()), "cuEventRecord");
  fences_.fetch_add(1, std::memory_order_release);
}

} // namespace heddle::cuda
