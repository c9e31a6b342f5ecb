// What keeps memory that is given to a new owner apart from work of its old owner.
#pragma once

#include "runtime/cuda/driver/context.h"

#include <memory>
#include <vector>

namespace heddle::cuda {

/// An event of the driver.
class EventHandle {
public:
  /// The context must be current.
  EventHandle(Context &context, bool timing);
  ~EventHandle();
  EventHandle(const EventHandle &) = delete;
  EventHandle &operator=(const EventHandle &) = delete;

  CUevent get() const { return event_; }
  Context &context() const { return context_; }
  /// Whether what was recorded last has happened.
  bool over() const;

private:
  Context &context_;
  CUevent event_ = nullptr;
};

/// Orders work of all streams of a device around a *fence*: what is enqueued after it begins when all that was enqueued
/// before it is over.
///
/// The legacy default stream orders the blocking streams by itself: something enqueued in it waits for all of them,
/// and they wait for it. With no other stream there is nothing to do at all. For a non-blocking
/// stream (other libraries have these) an event is recorded after each piece of its work, and it waits for the last fence
/// before the next piece. Its handle is not used at any other time: its owner may have destroyed it.
class StreamOrder {
public:
  explicit StreamOrder(Context &context) : context_(context) {}

  /// A blocking stream is about to be used.
  void addBlocking() { others_.store(true, std::memory_order_relaxed); }

  /// A non-blocking stream, which the default stream does not order.
  class NonBlockingStream {
  public:
    /// The context must be current.
    NonBlockingStream(StreamOrder &order, CUstream stream);
    /// Around each piece of work that is enqueued in the stream; the context must be current.
    void before();
    void after();

  private:
    friend class StreamOrder;
    StreamOrder &order_;
    CUstream stream_;
    std::shared_ptr<EventHandle> last_; ///< follows its last piece of work
    std::atomic<uint64_t> seen_{0};
  };

  /// The context must be current. Cheap when only the legacy default stream is used.
  void fence();

private:
  Context &context_;
  std::atomic<bool> others_{false};
  std::atomic<uint64_t> fences_{0};
  std::mutex mutex_; ///< guards what follows
  std::unique_ptr<EventHandle> fence_;
  /// Events after the last work of each non-blocking stream; those of destroyed streams stay until the next fence.
  std::vector<std::shared_ptr<EventHandle>> lastWork_;
};

} // namespace heddle::cuda
