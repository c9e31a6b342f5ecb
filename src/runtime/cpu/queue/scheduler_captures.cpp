// Captures: streams record commands for a graph.
#include "runtime/cpu/queue/scheduler.h"

#include "support/diagnostic.h"

#include <algorithm>
#include <utility>

namespace heddle::cpu {

namespace {

[[noreturn]] void throwCaptureError(const std::string &why) {
  throw CompileError(ErrorKind::Value, why);
}

} // namespace

void Scheduler::beginCapture(const std::shared_ptr<StreamState> &stream) {
  Lock lock(mutex_);
  if (stream == default_)
    throwCaptureError("the default stream cannot capture: make a stream");
  if (stream->capture)
    throwCaptureError("the stream captures already");
  auto capture = std::make_shared<Capture>();
  capture->streams.push_back(stream);
  stream->capture = std::move(capture);
  stream->follows.clear();
}

Commands Scheduler::endCapture(const std::shared_ptr<StreamState> &stream) {
  Lock lock(mutex_);
  if (!stream->capture || stream->capture->streams.front() != stream)
    throwCaptureError("the stream has not begun a capture");
  std::shared_ptr<Capture> capture = stream->capture;
  for (const auto &member : capture->streams)
    member->capture = nullptr;
  capture->streams.clear();
  if (!std::ranges::includes(stream->follows, capture->ends))
    throwCaptureError("the capture has ended without a graph: work of a stream that joined it was "
                      "not joined back. Record an event on the other stream, after its last work, "
                      "and wait for the event on this stream before end_capture()");
  return std::move(capture->commands);
}

bool Scheduler::isCapturing(const StreamState &stream) {
  Lock lock(mutex_);
  return stream.capture != nullptr;
}

size_t Scheduler::countCapturedCommands(const StreamState &stream) {
  Lock lock(mutex_);
  return stream.capture ? stream.capture->commands.size() : 0;
}

void Scheduler::requireNotCapturing(const StreamState &stream) {
  if (stream.capture)
    throwCaptureError("nobody can wait for a stream that captures: end the capture first");
}

void Scheduler::joinCapture(const std::shared_ptr<StreamState> &stream, const EventState &event) {
  if (!event.capture)
    return;
  if (event.capture->streams.empty())
    throwCaptureError("the event was recorded in a capture that has ended: record it again");
  if (stream == default_)
    throwCaptureError("the default stream cannot wait for work that is being captured");
  event.capture->streams.push_back(stream);
  stream->capture = event.capture;
  stream->follows.clear();
}

void Scheduler::recordInCapture(StreamState &stream, Command command) {
  if (command.kind == CommandKind::Record) {
    command.event->capture = stream.capture;
    command.event->follows = stream.follows;
    return;
  }
  if (command.kind != CommandKind::Wait) {
    appendToCapture(stream, std::move(command));
    return;
  }
  // The list is in order, so waits within the capture need no command. Waiting for other work is rejected, even if it
  // has completed: as in CUDA, a valid capture does not depend on timing.
  const EventState &event = *command.event;
  bool isOutside = event.capture != stream.capture;
  if (isOutside && (event.capture || event.recorded > 0))
    throwCaptureError("a stream that captures cannot wait for work outside of the capture: wait "
                      "before begin_capture()");
  if (!isOutside)
    stream.follows.insert(event.follows.begin(), event.follows.end());
}

void Scheduler::appendToCapture(StreamState &stream, Command command) {
  Capture &capture = *stream.capture;
  CapturedCommands added{capture.commands.size()};
  command.node.branch = capture.streams.front().get() == &stream ? 0 : stream.order->id;
  command.node.after = stream.follows;
  capture.commands.push_back(std::move(command));
  for (size_t earlier : stream.follows)
    capture.ends.erase(earlier);
  stream.follows = added;
  capture.ends.merge(added);
}

} // namespace heddle::cpu
