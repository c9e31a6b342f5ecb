// Orders work on reused memory after the work of the memory's previous owner.
#pragma once

#include "runtime/cuda/driver/context.h"

#include <memory>
#include <vector>

namespace heddle::cuda {

/// Owns a CUevent.
class EventHandle {
public:
  /// The context must be current.
  EventHandle(Context &context, bool timing);
  ~EventHandle();
  EventHandle(const EventHandle &) = delete;
  EventHandle &operator=(const EventHandle &) = delete;

  CUevent get() const { return event_; }
  Context &context() const { return context_; }
  /// True if the last recorded point has completed.
  bool isComplete() const;

private:
  Context &context_;
  CUevent event_ = nullptr;
};

/// Orders the work of all streams of a device with a *fence*: work enqueued after the fence begins when all work
/// enqueued before it has completed.
///
/// The legacy default stream already orders the blocking streams: work enqueued in it waits for all of them, and they
/// wait for it. If only that stream is used, a fence does nothing. A non-blocking stream, which other libraries may
/// use, records an event after each piece of work and waits for the last fence before the next piece. The stream's
/// handle is not used at any other time, because its owner may have destroyed it.
class StreamOrder {
public:
  explicit StreamOrder(Context &context) : context_(context) {}

  /// Called before a stream other than the legacy default stream is used.
  void useBlockingStream() { others_.store(true, std::memory_order_relaxed); }

  /// A non-blocking stream: it does not synchronize with the default stream.
  class NonBlockingStream {
  public:
    /// The context must be current.
    NonBlockingStream(StreamOrder &order, CUstream stream);
    /// Called around each piece of work that is enqueued in the stream. The context must be current.
    void waitForFenceBeforeWork();
    void recordLastWorkEvent();

  private:
    friend class StreamOrder;
    /// Enqueues a fence, so that the stream's first work waits for all earlier work in other streams. Does nothing
    /// while a blocking stream captures.
    void enqueueFirstFence();

    StreamOrder &order_;
    CUstream stream_;
    std::shared_ptr<EventHandle> last_; ///< recorded after the last piece of work
    std::atomic<uint64_t> seen_{0};
    std::atomic<bool> owesFence_{true}; ///< the first fence has not been enqueued
  };

  /// True if no non-blocking stream has work. The context must be current.
  bool isWorkDone();
  /// Enqueues a fence. Cheap if only the legacy default stream is used. The context must be current.
  void enqueueFence();

private:
  Context &context_;
  std::atomic<bool> others_{false};
  std::atomic<uint64_t> fences_{0};
  std::mutex mutex_; ///< guards the members below
  std::unique_ptr<EventHandle> fence_;
  /// For each non-blocking stream, the event recorded after its last work. Events of destroyed streams stay until the
  /// next fence.
  std::vector<std::shared_ptr<EventHandle>> lastWork_;
};

} // namespace heddle::cuda
