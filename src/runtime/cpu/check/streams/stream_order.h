// Orders operations in different streams: by the default stream, events, graphs, and waits of the host.
#pragma once

#include "runtime/cpu/check/launch_note.h"
#include "runtime/cpu/check/streams/stream_clock.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace heddle::cpu {

/// A launch, copy or fill that was enqueued while launches were checked.
struct StreamOperation {
  uint32_t stream = 0;
  uint64_t number = 0;
  StreamClock before; ///< the operations that happen before it
  std::string streamName;
  std::shared_ptr<const LaunchNote> note; ///< names the caller
  /// True if no other existing stream has work that may run at the same time.
  bool hasOnlyOneStreamInUse = false;

  bool isOrderedWith(const StreamOperation &other) const {
    return before.covers(other.stream, other.number) || other.before.covers(stream, number);
  }
};

/// A stream's place in the order.
struct OrderedStream {
  uint32_t id = 0;
  bool isBlocking = true;
  StreamClock before;      ///< the operations that happen before the stream's next one
  unsigned nameNumber = 0; ///< in order of first use; 0: not used yet
  uint64_t nameEpoch = 0;  ///< StreamOrder::restart() calls before the number was given
  std::map<uint32_t, uint32_t>
      branches; ///< streams of graphs' other branches, by GraphNode::branch
};

/// An operation of a graph.
struct GraphNode {
  uint32_t branch = 0;    ///< the stream that joined the capture; 0 for the one that began it
  std::set<size_t> after; ///< the positions of the operations right before it
  std::shared_ptr<const LaunchNote> note;
};

/// Decides which operations are ordered, regardless of when they run. An operation comes after the earlier ones in its
/// stream, those before events that the stream waits for, and those that the host has waited for. All host threads
/// count as one, because the checker does not see how they synchronize with each other.
///
/// Not thread-safe: the scheduler's mutex guards it.
class StreamOrder {
public:
  /// Makes a stream. The first one is the default stream.
  std::shared_ptr<OrderedStream> addStream(bool isBlocking);
  void removeStream(const std::shared_ptr<OrderedStream> &stream);

  std::shared_ptr<const StreamOperation> appendOperation(OrderedStream &stream,
                                                         std::shared_ptr<const LaunchNote> note);
  std::vector<std::shared_ptr<const StreamOperation>>
  appendGraph(OrderedStream &stream, const std::vector<GraphNode> &nodes);
  void recordEvent(OrderedStream &stream, StreamClock &event);
  void recordWait(OrderedStream &stream, const StreamClock &event);

  // The operations that the host waits for when it waits for a stream, for its turn in a stream, or for the device.
  StreamClock clockOfEnqueuedWork(const OrderedStream &stream) const;
  StreamClock clockOfWorkBeforeNext(const OrderedStream &stream) const;
  StreamClock clockOfAllEnqueuedWork() const;
  /// Records that the host has waited for these operations.
  void recordHostWaited(const StreamClock &operations);
  /// The operations that happen before all operations enqueued from now on.
  const StreamClock &host() const { return host_; }
  /// Restarts the numbering of streams in reports at 1.
  void restartStreamNumbering();

private:
  bool isDefault(const OrderedStream &stream) const { return stream.id == 0; }
  std::string nameOfStream(OrderedStream &stream);
  bool hasOnlyOneStreamInUse() const;
  StreamOperation makeOperation(uint32_t stream, StreamClock before,
                                std::shared_ptr<const LaunchNote> note);

  std::vector<std::shared_ptr<OrderedStream>> streams_; ///< open ones
  uint32_t nextStream_ = 0;
  uint64_t last_ = 0; ///< the number of the last operation
  StreamClock host_;
  StreamClock closed_; ///< operations of closed blocking streams
  std::map<uint32_t, uint64_t>
      unfinished_; ///< by stream: the last operation, unless the host has waited for it
  unsigned names_ = 0;
  uint64_t nameEpoch_ = 0;
};

} // namespace heddle::cpu
