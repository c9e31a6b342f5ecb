#include "runtime/cpu/check/streams/stream_order.h"

#include <algorithm>

namespace heddle::cpu {

std::shared_ptr<OrderedStream> StreamOrder::addStream(bool isBlocking) {
  auto stream = std::make_shared<OrderedStream>();
  stream->id = nextStream_++;
  stream->isBlocking = isBlocking;
  streams_.push_back(stream);
  return stream;
}

void StreamOrder::removeStream(const std::shared_ptr<OrderedStream> &stream) {
  if (stream->isBlocking)
    closed_.add(stream->before);
  std::erase(streams_, stream);
}

StreamClock StreamOrder::clockOfWorkBeforeNext(const OrderedStream &stream) const {
  StreamClock before = host_;
  before.add(stream.before);
  if (!stream.isBlocking)
    return before;
  for (const auto &other : streams_)
    if (other->isBlocking && (isDefault(stream) || isDefault(*other)))
      before.add(other->before);
  if (isDefault(stream))
    before.add(closed_);
  return before;
}

StreamClock StreamOrder::clockOfEnqueuedWork(const OrderedStream &stream) const {
  return isDefault(stream) ? clockOfWorkBeforeNext(stream) : stream.before;
}

StreamClock StreamOrder::clockOfAllEnqueuedWork() const {
  StreamClock all;
  all.addAllStreams(last_);
  return all;
}

StreamOperation StreamOrder::makeOperation(uint32_t stream, StreamClock before,
                                           std::shared_ptr<const LaunchNote> note) {
  unfinished_[stream] = ++last_;
  StreamOperation operation;
  operation.stream = stream;
  operation.number = last_;
  operation.before = std::move(before);
  operation.note = note ? std::move(note) : std::make_shared<const LaunchNote>();
  return operation;
}

std::shared_ptr<const StreamOperation>
StreamOrder::appendOperation(OrderedStream &stream, std::shared_ptr<const LaunchNote> note) {
  auto operation = std::make_shared<StreamOperation>(
      makeOperation(stream.id, clockOfWorkBeforeNext(stream), std::move(note)));
  operation->streamName = nameOfStream(stream);
  operation->hasOnlyOneStreamInUse = hasOnlyOneStreamInUse();
  stream.before = operation->before;
  stream.before.add(operation->stream, operation->number);
  return operation;
}

std::vector<std::shared_ptr<const StreamOperation>>
StreamOrder::appendGraph(OrderedStream &stream, const std::vector<GraphNode> &nodes) {
  StreamClock start = clockOfWorkBeforeNext(stream);
  std::vector<std::shared_ptr<const StreamOperation>> operations;
  stream.before = start;
  bool isOneBranch =
      std::ranges::all_of(nodes, [](const GraphNode &node) { return node.branch == 0; });
  for (const GraphNode &node : nodes) {
    StreamClock before = start;
    for (size_t earlier : node.after) {
      before.add(operations[earlier]->before);
      before.add(operations[earlier]->stream, operations[earlier]->number);
    }
    uint32_t id = stream.id;
    if (node.branch) {
      auto [branch, isNew] = stream.branches.try_emplace(node.branch, nextStream_);
      nextStream_ += isNew;
      id = branch->second;
    }
    auto operation =
        std::make_shared<StreamOperation>(makeOperation(id, std::move(before), node.note));
    operation->streamName = isOneBranch ? nameOfStream(stream)
                            : node.branch
                                ? "another branch of the graph in " + nameOfStream(stream)
                                : "the first branch of the graph in " + nameOfStream(stream);
    operation->hasOnlyOneStreamInUse = isOneBranch && hasOnlyOneStreamInUse();
    stream.before.add(operation->before);
    stream.before.add(operation->stream, operation->number);
    operations.push_back(std::move(operation));
  }
  return operations;
}

void StreamOrder::recordEvent(OrderedStream &stream, StreamClock &event) {
  event = stream.before = clockOfWorkBeforeNext(stream);
}

void StreamOrder::recordWait(OrderedStream &stream, const StreamClock &event) {
  stream.before = clockOfWorkBeforeNext(stream);
  stream.before.add(event);
}

void StreamOrder::recordHostWaited(const StreamClock &operations) {
  host_.add(operations);
  std::erase_if(unfinished_,
                [&](const auto &entry) { return host_.covers(entry.first, entry.second); });
  if (unfinished_.empty()) {
    host_.addAllStreams(last_);
    closed_ = {};
  }
}

void StreamOrder::restartStreamNumbering() {
  names_ = 0;
  ++nameEpoch_;
}

std::string StreamOrder::nameOfStream(OrderedStream &stream) {
  if (isDefault(stream))
    return "the default stream";
  if (!stream.nameNumber || stream.nameEpoch != nameEpoch_) {
    stream.nameNumber = ++names_;
    stream.nameEpoch = nameEpoch_;
  }
  return "stream " + std::to_string(stream.nameNumber);
}

bool StreamOrder::hasOnlyOneStreamInUse() const {
  auto isOpen = [&](uint32_t id) {
    return std::ranges::any_of(streams_, [&](const auto &stream) { return stream->id == id; });
  };
  return streams_.size() <= 2 &&
         std::ranges::all_of(streams_, [](const auto &stream) { return stream->isBlocking; }) &&
         std::ranges::all_of(unfinished_, [&](const auto &entry) { return isOpen(entry.first); });
}

} // namespace heddle::cpu
