// The order of commands in different streams, for checks of races between them.
#include "runtime/cpu/check/streams/stream_history.h"
#include "runtime/cpu/queue/scheduler.h"
#include "simt/check/checking.h"

namespace heddle::cpu {

namespace {

bool accessesMemory(const Command &command) {
  return command.kind == CommandKind::Kernel || command.kind == CommandKind::Copy ||
         command.kind == CommandKind::Fill;
}

} // namespace

void Scheduler::recordHostWork(const std::shared_ptr<StreamState> &stream, const void *address,
                               size_t bytes, bool writes, bool isDone,
                               std::shared_ptr<const LaunchNote> note) {
  if (HostThread::isCurrent()) // a callback, which runs in stream order
    return;
  auto accesses = std::make_shared<OperationAccesses>();
  accesses->kind = OperationAccesses::Kind::Copy;
  auto low = reinterpret_cast<uint64_t>(address);
  accesses->ranges.push_back(
      {.low = low, .high = low + bytes, .isRead = !writes, .isWritten = writes});
  {
    Lock lock(mutex_);
    if (stream->capture)
      return;
    accesses->operation = *order_.appendOperation(*stream->order, std::move(note));
    if (isDone)
      recordWorkSeenByHost(clockOfWorkInStream(*stream));
  }
  StreamHistory::instance().addAndReportRaces(std::move(accesses), findRunnerOfThisThread());
}

void Scheduler::restartStreamNames() {
  Lock lock(mutex_);
  order_.restartStreamNumbering();
}

void Scheduler::recordOrderOfCommand(StreamState &stream, Command &command) {
  if (!simt::isChecking)
    return;
  if (command.kind == CommandKind::Record)
    return order_.recordEvent(*stream.order, command.event->before);
  if (command.kind == CommandKind::Wait)
    return order_.recordWait(*stream.order, command.event->before);
  command.operation = order_.appendOperation(*stream.order, std::move(command.note));
  if (accessesMemory(command))
    StreamHistory::instance().recordEnqueued(command.operation);
}

void Scheduler::recordOrderOfGraph(StreamState &stream, Commands &graph, StreamClock &lastLaunch) {
  if (!simt::isChecking)
    return;
  std::vector<GraphNode> nodes;
  for (Command &command : graph) {
    nodes.push_back(std::move(command.node));
    nodes.back().note = std::move(command.note);
  }
  order_.recordWait(*stream.order, lastLaunch);
  auto operations = order_.appendGraph(*stream.order, nodes);
  order_.recordEvent(*stream.order, lastLaunch);
  auto next = operations.begin();
  for (Command &command : graph) {
    command.operation = *next++;
    if (accessesMemory(command))
      StreamHistory::instance().recordEnqueued(command.operation);
  }
}

StreamClock Scheduler::clockOfWorkInStream(const StreamState &stream) const {
  return simt::isChecking ? order_.clockOfEnqueuedWork(*stream.order) : StreamClock();
}

StreamClock Scheduler::clockOfWorkBeforeNext(const StreamState &stream) const {
  return simt::isChecking ? order_.clockOfWorkBeforeNext(*stream.order) : StreamClock();
}

StreamClock Scheduler::clockOfAllWork() const {
  return simt::isChecking ? order_.clockOfAllEnqueuedWork() : StreamClock();
}

void Scheduler::recordWorkSeenByHost(const StreamClock &work) {
  if (!simt::isChecking)
    return;
  order_.recordHostWaited(work);
  StreamHistory::instance().setHostClock(order_.host());
}

} // namespace heddle::cpu
