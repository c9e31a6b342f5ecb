// Who runs what, when: the streams of the CPU device.
//
//     launch() on an idle stream, cheap kernel ----> runs on the calling thread
//     everything else ----> queue of its stream ----> front, when nothing before it is left
//                                                      kernel, copy, fill   the thread pool
//                                                      callback             the host thread
//                                                      record, wait         done at once
//
// Every function may be called from any thread. One mutex guards all streams and events; it is never held while user
// code or a kernel runs. Lock order: Jit, Scheduler, ThreadPool, HostThread.
//
// The default stream is CUDA's legacy default stream: a command in it waits for all that was enqueued before it in every
// blocking stream, and a command in a blocking stream waits for all that was enqueued before it in the default stream.
//
// A stream that captures runs nothing: every command that is enqueued there goes to the capture's list instead
// (scheduler_captures.cpp).
//
// What a command needs to run, it is given when it is enqueued, where an exception reaches the caller. Memory that is
// missing later is an error of the stream.
//
// After fork the child starts empty: what the parent had enqueued is not run there, and new threads start at need.
#pragma once

#include "runtime/cpu/queue/command.h"
#include "runtime/cpu/queue/pool_job.h"
#include "runtime/cpu/queue/thread_pool.h"
#include "runtime/host_thread.h"

#include <condition_variable>
#include <functional>
#include <mutex>

namespace heddle::cpu {

class Scheduler {
public:
  /// The process's one scheduler; never destroyed.
  static Scheduler &instance();

  std::shared_ptr<StreamState> addStream(StreamKind kind);
  /// Its work still runs; its error goes to the next synchronize of the device or of the default stream.
  void closeStream(const std::shared_ptr<StreamState> &stream);
  const std::shared_ptr<StreamState> &defaultStream() const { return default_; }
  /// The stream whose state has that address; null where there is none.
  std::shared_ptr<StreamState> streamAt(uint64_t address);

  void launch(const std::shared_ptr<StreamState> &stream, CpuKernel &kernel,
              const KernelEntry &entry, const LaunchShape &shape,
              std::span<const uint64_t> arguments, std::shared_ptr<void> keepAlive);
  void enqueue(const std::shared_ptr<StreamState> &stream, Command command);
  /// Enqueues copies of commands, in order.
  void enqueueAll(const std::shared_ptr<StreamState> &stream, const Commands &commands);

  /// As Stream says.
  void beginCapture(const std::shared_ptr<StreamState> &stream);
  Commands endCapture(const std::shared_ptr<StreamState> &stream);
  bool capturing(const StreamState &stream);

  bool done(const StreamState &stream);
  bool done(const EventState &event);
  /// These wait as Stream, Event and Device say. On the thread of a stream's callback they throw CompileError (Value):
  /// the device would wait for itself.
  void synchronize(const std::shared_ptr<StreamState> &stream);
  void synchronize(const EventState &event);
  void synchronize();
  void waitForTurn(const std::shared_ptr<StreamState> &stream);
  /// Nanoseconds from `earlier` to `later`; nothing when either has not happened (again).
  std::optional<int64_t> between(const EventState &earlier, const EventState &later);

  /// Waits for all that was enqueued, at the end of the process: not longer than $HEDDLE_EXIT_TIMEOUT says, and not for
  /// what an interrupted wait has left running. Errors stay unseen. Throws Interrupted.
  void finishWork();
  /// The first error that nobody has seen; null if there is none.
  std::shared_ptr<const KernelError> takeUnseenError();
  /// Stops all work between two blocks and ends every thread. A later launch starts new ones.
  void shutDown();

  /// The threads that run what no stream orders. They are started at need: throws CompileError (Memory) or std::bad_alloc.
  ThreadPool &workers();

  /// Called by the job's last worker.
  void jobFinished(PoolJob &job);

private:
  using Lock = std::unique_lock<std::mutex>;

  Scheduler();
  static void prepareFork();
  static void resumeParent();
  static void resumeChild();

  // Enqueueing. These and all below are called with the mutex held.
  bool runInline(Lock &lock, const std::shared_ptr<StreamState> &stream, CpuKernel &kernel,
                 const KernelEntry &entry, const LaunchShape &shape,
                 std::span<const uint64_t> arguments, const std::shared_ptr<void> &keepAlive);
  void beginInline(StreamState &stream);
  /// Whether a command that is enqueued now can start at once.
  bool mayStartNow(const StreamState &stream) const;
  void startThreadsFor(const Command &command);
  void push(const std::shared_ptr<StreamState> &stream, Command command);
  /// What a command that is enqueued now must wait for in other streams.
  std::vector<Dependency> dependencies(const StreamState &stream) const;

  // Captures.
  /// Appends the command to the stream's capture. Throws CompileError (Value) for a wait that no graph can have.
  void recordInCapture(StreamState &stream, Command command);
  static void appendToCapture(StreamState &stream, Command command);
  /// Makes a stream that waits for an event of a capture part of it. Throws as above.
  void joinCapture(const std::shared_ptr<StreamState> &stream, const EventState &event);

  // Running.
  bool ready(const Command &command) const;
  /// Starts what can start in `stream`.
  void advance(const std::shared_ptr<StreamState> &stream);
  /// The same, and then what can start elsewhere because of it.
  void settle(const std::shared_ptr<StreamState> &stream);
  /// Whether the one command of `taken` now runs; it is over at once otherwise.
  bool start(const std::shared_ptr<StreamState> &stream, Commands &taken);
  /// These throw where there is no memory or no thread; nothing has changed then.
  void startOnPool(const std::shared_ptr<StreamState> &stream, Commands &taken);
  void startCallback(const std::shared_ptr<StreamState> &stream, const Command &command);
  void recordEvent(StreamState &stream, Command &command);
  /// What ran in `stream` has ended.
  void finish(const std::shared_ptr<StreamState> &stream);
  void complete(const std::shared_ptr<StreamState> &stream);
  void forget(const std::shared_ptr<StreamState> &stream);
  void noteError(StreamState &stream, std::shared_ptr<const KernelError> error);
  /// What commands keep alive is let go without the mutex: its destructors may take the embedder's locks.
  void release(Commands &taken);
  void dropReleased(Lock &lock);

  // Waiting.
  Lock beginWait();
  /// Whether all work of the stream is done, of the default stream also that of all blocking streams.
  bool hasEnded(const StreamState &stream) const;
  /// Throws CompileError (Value) for a stream that captures: what it records never ends.
  static void requireRunning(const StreamState &stream);
  /// Waits until streams have passed these positions; for one, without memory. Throws Interrupted, and KernelError for
  /// work that an interrupt stopped.
  void waitFor(Lock &lock, std::span<const Dependency> targets);
  /// Throws the first error of the streams that nobody has seen.
  void throwErrors(std::span<const Dependency> targets);
  /// Works on what runs in `stream` while it waits for it, when that is not for long. Whether it was interrupted.
  bool help(Lock &lock, const StreamState &stream);
  /// `interrupted`: gives up at once.
  void wait(Lock &lock, bool interrupted, const std::function<bool()> &over,
            const std::function<void()> &giveUp);
  /// Stops the commands of streams up to a position, and those of other streams that they wait for.
  void cancel(std::span<const Dependency> targets);
  void cancelRecording(const EventState &event, uint64_t generation);
  void markCancelled(const std::shared_ptr<StreamState> &stream, uint64_t position,
                     std::vector<std::shared_ptr<StreamState>> &marked);
  void markRecording(const EventState &event, uint64_t generation,
                     std::vector<std::shared_ptr<StreamState>> &marked);
  void cancelAll();
  /// Marks an error as seen. `first` becomes it if nobody had seen it and it happened before `first`.
  static void see(std::shared_ptr<PendingError> error, std::shared_ptr<PendingError> &first);
  /// Throws a copy of the error, unless it is null.
  static void throwUnseen(const std::shared_ptr<PendingError> &error);
  /// Returns whether takeErrors() would find an error.
  bool hasError(const StreamState &stream) const;
  /// Sees the errors of a stream's work, and for the default stream those of all blocking and closed streams.
  void takeErrors(StreamState &stream, std::shared_ptr<PendingError> &first);

  /// Sets threads aside that are about to end, or that a fork's child does not have.
  void retire();
  ThreadPool &pool();
  HostThread &hostThread();

  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned waiters_ = 0;
  std::atomic<uint64_t> completions_{0};
  std::vector<std::shared_ptr<StreamState>> streams_; ///< all that are open or have work left
  std::shared_ptr<StreamState> default_;
  uint64_t pending_ = 0; ///< commands of all streams
  uint64_t errors_ = 0;
  bool gaveUp_ =
      false; ///< a wait was interrupted, and something of then has not ended: it may never do
  std::vector<std::shared_ptr<StreamState>> stalled_;
  std::shared_ptr<PendingError> orphanError_; ///< of a stream that was closed
  std::shared_ptr<PendingError> lastResort_;  ///< for an error that there is no memory for
  Commands released_;
  bool releaseScheduled_ = false;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<HostThread> hostThread_;
  Commands abandoned_; ///< of the process that forked this one
  // Those whose threads have ended.
  std::vector<std::unique_ptr<ThreadPool>> retiredPools_;
  std::vector<std::unique_ptr<HostThread>> retiredHostThreads_;
};

} // namespace heddle::cpu
