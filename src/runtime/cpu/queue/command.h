// The commands of a stream, in order.
#pragma once

#include "runtime/cpu/check/streams/stream_order.h"
#include "runtime/cpu/code/module.h"

#include <functional>
#include <list>
#include <memory>
#include <set>
#include <vector>

namespace heddle::cpu {

class CheckedLaunch;
class KernelRun;
class PoolJob;
struct Capture;
struct StreamState;

/// A kernel's error and whether it has been reported. Guarded by the scheduler's mutex.
struct PendingError {
  std::shared_ptr<const KernelError> error;
  uint64_t order = 0; ///< sequence number of errors
  bool seen = false;
};

/// A set of a capture's commands, as positions in its list.
using CapturedCommands = std::set<size_t>;

/// The state of an event, which may be recorded any number of times. Guarded by the scheduler's mutex.
struct EventState {
  uint64_t recorded = 0;               ///< number of record() calls
  uint64_t completed = 0;              ///< the last of these calls whose point was reached
  uint64_t nanoseconds = 0;            ///< the time of that call's point
  bool cancelled = false;              ///< some work before it was cancelled
  std::shared_ptr<PendingError> error; ///< error of the work before it
  std::shared_ptr<Capture>
      capture; ///< the capture that the last record() was part of; null outside captures
  CapturedCommands follows; ///< the last commands of the capture before the event
  StreamClock before;       ///< the operations before the last record(), if launches are checked
};

enum class CommandKind { Kernel, Copy, Fill, Record, Wait, Callback };

/// A position in a stream that must be reached first.
struct Dependency {
  std::shared_ptr<StreamState> stream;
  uint64_t position;
};

struct Command {
  CommandKind kind = CommandKind::Wait;
  bool cancelled = false; ///< waits for nothing; a kernel, copy or fill does nothing
  std::vector<Dependency> after;
  std::shared_ptr<void> keepAlive;
  // For checks of races between streams:
  std::shared_ptr<const StreamOperation> operation; ///< null if launches are not checked
  std::shared_ptr<const LaunchNote> note;           ///< of a launch, copy or fill; null as above
  GraphNode node;                                   ///< of a captured command, without its note

  // Kernel
  std::shared_ptr<CpuModule> module;
  CpuKernel *kernel = nullptr;
  const KernelEntry *entry = nullptr; ///< the kernel's form for the shape
  LaunchShape shape;
  std::vector<uint64_t> arguments;
  uint64_t firstBlock = 0;                ///< earlier blocks have run already
  std::shared_ptr<CheckedLaunch> checked; ///< set for a checked launch
  // Copy, Fill
  char *to = nullptr;
  const char *from = nullptr;
  size_t bytes = 0;
  uint8_t value = 0;
  // Record, Wait
  std::shared_ptr<EventState> event;
  uint64_t generation = 0;
  // Callback
  std::shared_ptr<std::function<void()>> callback;
  bool tellsHost = false; ///< a callback of the program, which may wait for it
};

/// Commands move between lists without allocations: a command stays in the same list node from its enqueueing to its
/// end.
using Commands = std::list<Command>;

/// The last launch of a graph. Guarded by the scheduler's mutex.
struct GraphLaunch {
  Dependency end{}; ///< its last command; no stream before the first launch
  StreamClock work; ///< for checks of races between streams: all work up to it
};

/// Commands that streams record instead of running them. Guarded by the scheduler's mutex.
///
/// All streams of a capture append to one list, so each command comes after the commands that it depends on. A graph
/// runs its commands one after another.
struct Capture {
  Commands commands;
  CapturedCommands ends; ///< the commands that no other command follows
  /// The stream that began the capture, then the streams that wait for one of its events.
  std::vector<std::shared_ptr<StreamState>> streams;
};

/// The scheduler's state of a stream. Guarded by the scheduler's mutex.
struct StreamState {
  StreamKind kind = StreamKind::Blocking;
  Commands queue; ///< commands that have not started, in order
  bool running = false;
  bool stalled = false; ///< the front waits for other streams
  bool closed = false;  ///< nothing can be enqueued anymore
  uint64_t enqueued = 0;
  uint64_t completed = 0;
  uint64_t cancelled = 0; ///< an interrupt cancelled unfinished commands up to this position
  std::shared_ptr<PendingError> error;
  PoolJob *job = nullptr;   ///< the running command, if it runs on the pool
  KernelRun *run = nullptr; ///< the running kernel, if it runs on the thread that launched it
  std::shared_ptr<Capture> capture;     ///< null while the stream runs its commands
  CapturedCommands follows;             ///< the captured commands right before its next command
  std::shared_ptr<OrderedStream> order; ///< for checks of races between streams

  bool isIdle() const { return enqueued == completed; }
};

} // namespace heddle::cpu
