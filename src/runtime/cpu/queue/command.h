// What a stream holds: its commands, in order.
#pragma once

#include "runtime/cpu/code/module.h"

#include <functional>
#include <list>
#include <memory>
#include <set>
#include <vector>

namespace heddle::cpu {

class KernelRun;
class PoolJob;
struct Capture;
struct StreamState;

/// An error of a kernel and whether anybody has seen it. Guarded by the scheduler's mutex.
struct PendingError {
  std::shared_ptr<const KernelError> error;
  uint64_t order = 0; ///< errors are numbered in the order in which they happened
  bool seen = false;
};

/// Commands of a capture by their positions in its list.
using CapturedCommands = std::set<size_t>;

/// A point in a stream's work, as often as it is recorded. Guarded by the scheduler's mutex.
struct EventState {
  uint64_t recorded = 0;               ///< times that record() was called
  uint64_t completed = 0;              ///< the last of these that has happened
  uint64_t nanoseconds = 0;            ///< when
  bool cancelled = false;              ///< some of the work before it has not been done
  std::shared_ptr<PendingError> error; ///< of the work before it
  std::shared_ptr<Capture>
      capture;              ///< that the last record() was part of; null outside of captures
  CapturedCommands follows; ///< the last commands of the capture that come before the event
};

enum class CommandKind { Kernel, Copy, Fill, Record, Wait, Callback };

/// A position in a stream that must be passed first.
struct Dependency {
  std::shared_ptr<StreamState> stream;
  uint64_t position;
};

struct Command {
  CommandKind kind = CommandKind::Wait;
  bool cancelled = false; ///< does nothing when its turn comes, and waits for nothing
  std::vector<Dependency> after;
  std::shared_ptr<void> keepAlive;

  // Kernel
  std::shared_ptr<CpuModule> module;
  CpuKernel *kernel = nullptr;
  const KernelEntry *entry = nullptr; ///< the kernel's, for the shape
  LaunchShape shape;
  std::vector<uint64_t> arguments;
  uint64_t firstBlock = 0; ///< blocks before it have run
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
};

/// Commands go from list to list, which takes no memory: from its enqueueing to its end a command is one node.
using Commands = std::list<Command>;

/// Commands that streams record instead of running them. Guarded by the scheduler's mutex.
///
/// All streams of a capture append to one list, so its order is one in which each command follows all that it depends on:
/// a graph runs its commands one after the other.
struct Capture {
  Commands commands;
  CapturedCommands ends; ///< the commands that no other command follows
  /// The stream that began the capture, then those that wait for one of its events.
  std::vector<std::shared_ptr<StreamState>> streams;
};

/// A stream as the scheduler sees it. Guarded by the scheduler's mutex.
struct StreamState {
  StreamKind kind = StreamKind::Blocking;
  Commands queue; ///< what has not begun, in order
  bool running = false;
  bool stalled = false; ///< the front waits for other streams
  bool closed = false;  ///< nobody can enqueue any more
  uint64_t enqueued = 0;
  uint64_t completed = 0;
  uint64_t cancelled = 0; ///< an interrupt has stopped what had not ended up to here
  std::shared_ptr<PendingError> error;
  PoolJob *job = nullptr;           ///< what runs, when it runs on the pool
  KernelRun *run = nullptr;         ///< what runs, when it runs on a thread that launched it
  std::shared_ptr<Capture> capture; ///< null while the stream runs its commands
  CapturedCommands follows; ///< the last commands of the capture that come before the next one

  bool idle() const { return enqueued == completed; }
};

} // namespace heddle::cpu
