// Schedules the commands of the CPU device's streams.
//
//     launch() on an idle stream, cheap kernel ----> runs on the calling thread
//     everything else ----> queue of its stream ----> front, when everything before it is done
//                                                      kernel, copy, fill   the thread pool
//                                                      callback             the host thread
//                                                      record, wait         done immediately
//
// All functions are thread-safe. One mutex guards all streams and events; it is never held while user code or a kernel
// runs. Lock order: Jit, Scheduler, ThreadPool, HostThread.
//
// The default stream is CUDA's legacy default stream: its commands wait for all commands enqueued earlier in blocking
// streams, and commands in blocking streams wait for all commands enqueued earlier in the default stream.
//
// A capturing stream runs nothing: commands go to the capture's list instead (scheduler_captures.cpp).
//
// A command allocates everything that it needs when it is enqueued, so that exceptions reach the caller. Exhausted
// memory at a later time is an error of the stream.
//
// A fork's child starts empty: it does not run the parent's commands, and starts new threads on demand.
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
  /// The process's instance; never destroyed.
  static Scheduler &instance();

  std::shared_ptr<StreamState> addStream(StreamKind kind);
  /// Closes a stream. Its work still runs; the next synchronize() of the device or of the default stream reports its
  /// error.
  void closeStream(const std::shared_ptr<StreamState> &stream);
  const std::shared_ptr<StreamState> &defaultStream() const { return default_; }
  /// The stream with its state at this address; null if there is none.
  std::shared_ptr<StreamState> streamAt(uint64_t address);

  void launch(const std::shared_ptr<StreamState> &stream, CpuKernel &kernel,
              const KernelEntry &entry, const LaunchShape &shape,
              std::span<const uint64_t> arguments, std::shared_ptr<void> keepAlive,
              std::shared_ptr<CheckedLaunch> checked = nullptr);
  void enqueue(const std::shared_ptr<StreamState> &stream, Command command);
  /// Enqueues copies of a graph's commands, in order, after those of the graph's last launch, as cudaGraphLaunch does.
  void enqueueGraph(const std::shared_ptr<StreamState> &stream, const Commands &commands,
                    GraphLaunch &last);

  /// See Stream.
  void beginCapture(const std::shared_ptr<StreamState> &stream);
  Commands endCapture(const std::shared_ptr<StreamState> &stream);
  bool isCapturing(const StreamState &stream);
  /// The number of commands that the stream's capture has recorded; 0 without a capture.
  size_t countCapturedCommands(const StreamState &stream);

  bool checkDoneForHost(const StreamState &stream);
  bool checkDoneForHost(const EventState &event);
  /// Like checkDoneForHost(StreamState), but for internal uses: the program does not learn that the work is done.
  bool isIdle(const StreamState &stream);
  /// True if a host thread waits, and all other streams are idle.
  bool isOnlyBusyStreamAndAwaited(const StreamState &stream);
  /// Records an access by host code in the order of a stream, for checks of races between streams. isDone: the program
  /// knows that the access is complete.
  void recordHostWork(const std::shared_ptr<StreamState> &stream, const void *address, size_t bytes,
                      bool writes, bool isDone, std::shared_ptr<const LaunchNote> note);
  /// Restarts the numbering of streams in race reports at 1.
  void restartStreamNames();
  /// Wait as specified for Stream, Event and Device. On the thread of stream callbacks, synchronize() throws
  /// CompileError (Value), because the device would wait for itself, and waitForEarlierWork() returns immediately.
  void synchronize(const std::shared_ptr<StreamState> &stream);
  void synchronize(const EventState &event);
  void synchronize();
  void waitForEarlierWork(const std::shared_ptr<StreamState> &stream);
  /// Nanoseconds from `earlier` to `later`; nullopt if either has not completed since its last record().
  std::optional<int64_t> nanosecondsBetween(const EventState &earlier, const EventState &later);

  /// Waits for all enqueued work at the end of the process, at most $HEDDLE_EXIT_TIMEOUT seconds (default 10). Does not
  /// wait if work of an interrupted wait is still running. Leaves errors unreported. Throws Interrupted.
  void waitForWorkAtExit();
  /// Returns the first unreported error and marks all errors as reported; null if there is none.
  std::shared_ptr<const KernelError> takeUnseenError();
  /// Cancels all work and ends every thread. A later launch starts new threads.
  void shutDown();

  /// The worker threads, for work outside streams; started on first use. Throws CompileError (Memory) or
  /// std::bad_alloc.
  ThreadPool &workerPool();

  /// Holds an object until the work enqueued so far has ended; releases it immediately if there is no such work.
  void keepAliveUntilAllWorkDone(std::shared_ptr<void> object);
  /// Waits until the objects that keepAliveUntilAllWorkDone() currently holds have been released. Returns false if
  /// there are none, or if this thread cannot wait. Throws Interrupted.
  bool waitForWorkThatKeepsMemory();

  /// Called by the job's last worker.
  void onJobFinished(PoolJob &job);

private:
  using Lock = std::unique_lock<std::mutex>;

  Scheduler();
  static void prepareForFork();
  static void resumeInParentAfterFork();
  static void resumeInChildAfterFork();

  // Enqueueing. All functions below are called with the mutex held.
  bool tryRunInline(Lock &lock, const std::shared_ptr<StreamState> &stream, CpuKernel &kernel,
                    const KernelEntry &entry, const LaunchShape &shape,
                    std::span<const uint64_t> arguments, const std::shared_ptr<void> &keepAlive);
  void markRunningInline(StreamState &stream);
  /// True if a command enqueued now can start immediately.
  bool mayStartNow(const StreamState &stream) const;
  void startThreadsFor(const Command &command);
  void appendCommand(const std::shared_ptr<StreamState> &stream, Command command);
  /// The positions in other streams that a command enqueued now must wait for.
  std::vector<Dependency> findDependencies(const StreamState &stream) const;

  // The order of commands, for checks of races between streams (scheduler_order.cpp). These functions do nothing unless
  // launches are checked.
  void recordOrderOfCommand(StreamState &stream, Command &command);
  /// Records the order of a graph's commands, which follow those of the stream and of the graph's last launch.
  void recordOrderOfGraph(StreamState &stream, Commands &graph, StreamClock &lastLaunch);
  // The work that the host waits for when it waits for a stream, for its turn in a stream, or for all streams.
  StreamClock clockOfWorkInStream(const StreamState &stream) const;
  StreamClock clockOfWorkBeforeNext(const StreamState &stream) const;
  StreamClock clockOfAllWork() const;
  /// Records that the program knows that this work is done.
  void recordWorkSeenByHost(const StreamClock &work);

  // Captures.
  /// Appends the command to the stream's capture. Throws CompileError (Value) for a wait that a graph cannot contain.
  void recordInCapture(StreamState &stream, Command command);
  static void appendToCapture(StreamState &stream, Command command);
  /// Adds a stream that waits for a captured event to the event's capture. Throws like recordInCapture().
  void joinCapture(const std::shared_ptr<StreamState> &stream, const EventState &event);

  // Running.
  bool isReady(const Command &command) const;
  /// Starts the ready commands in `stream`.
  void startReadyCommands(const std::shared_ptr<StreamState> &stream);
  /// Starts the ready commands in `stream`, then those in other streams that were waiting for it.
  void startReadyInStreamAndWaiters(const std::shared_ptr<StreamState> &stream);
  /// Starts the single command in `taken`. Returns false if it completed immediately.
  bool startOrCompleteCommand(const std::shared_ptr<StreamState> &stream, Commands &taken);
  /// These two functions throw if no memory or no thread is available, and then change nothing.
  void startOnPool(const std::shared_ptr<StreamState> &stream, Commands &taken);
  void startCallback(const std::shared_ptr<StreamState> &stream, const Command &command);
  void markEventCompleted(StreamState &stream, Command &command);
  /// Called when the running command of `stream` has ended. Starts the commands that waited for it.
  void finishCommandAndStartNext(const std::shared_ptr<StreamState> &stream);
  void markCommandCompleted(const std::shared_ptr<StreamState> &stream);
  /// Removes a closed stream whose work is done. Keeps its unreported error in orphanError_.
  void removeStreamKeepingError(const std::shared_ptr<StreamState> &stream);
  void recordError(StreamState &stream, std::shared_ptr<const KernelError> error);
  /// Defers the release of the objects that the command in `taken` keeps alive. They are released without the mutex,
  /// because destructors may take the embedder's locks.
  void keepUntilReleasedByWaiter(Commands &taken);
  void releaseKeptCommands();
  void destroyReleased(Lock &lock);

  // Waiting.
  Lock lockForHostWait();
  /// True if all work of the stream is done; for the default stream, also all work of the blocking streams.
  bool isStreamWorkDone(const StreamState &stream) const;
  /// Throws CompileError (Value) for a capturing stream, because its commands never complete.
  static void requireNotCapturing(const StreamState &stream);
  /// Waits until streams have reached these positions. Allocates no memory for a single position. Throws Interrupted,
  /// and KernelError for work that an interrupt stopped.
  void waitForDependencies(Lock &lock, std::span<const Dependency> targets);
  /// Throws the first unreported error of the streams.
  void takeAndThrowErrors(std::span<const Dependency> targets);
  /// Helps with the running command of `stream` while waiting for it, if the command is short. Returns true if it was
  /// interrupted.
  bool helpRunningJob(Lock &lock, const StreamState &stream);
  /// Waits until `over` returns true. If `interrupted` is set or the interrupt check returns true, calls `giveUp`,
  /// waits a short time for running blocks, and throws Interrupted.
  void waitUntil(Lock &lock, bool interrupted, const std::function<bool()> &over,
                 const std::function<void()> &giveUp);
  /// Cancels the commands of streams up to a position, and the commands in other streams that they wait for.
  void cancel(std::span<const Dependency> targets);
  void cancelWorkBeforeEvent(const EventState &event, uint64_t generation);
  void cancelStreamUpTo(const std::shared_ptr<StreamState> &stream, uint64_t position,
                        std::vector<std::shared_ptr<StreamState>> &marked);
  void cancelStreamsBeforeRecord(const EventState &event, uint64_t generation,
                                 std::vector<std::shared_ptr<StreamState>> &marked);
  void cancelAll();
  /// Marks an error as seen. Sets `first` to the error if it was unseen and is older than `first`.
  static void markSeenAndKeepFirst(std::shared_ptr<PendingError> error,
                                   std::shared_ptr<PendingError> &first);
  /// Throws a copy of the error, unless it is null.
  static void throwIfUnseen(const std::shared_ptr<PendingError> &error);
  /// True if takeErrors() would find an error.
  bool hasError(const StreamState &stream) const;
  /// Marks the errors of a stream as seen and updates `first` (see above); for the default stream, also the errors of
  /// all blocking and closed streams.
  void takeErrors(StreamState &stream, std::shared_ptr<PendingError> &first);

  /// Moves the owners of the threads to the retired lists: the threads are about to end, or do not exist in a fork's
  /// child.
  void retireThreads();
  ThreadPool &pool();
  HostThread &hostThread();

  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned waiters_ = 0;
  std::atomic<uint64_t> completions_{0};
  StreamOrder order_;
  std::vector<std::shared_ptr<StreamState>>
      streams_; ///< open streams, and closed ones with work left
  std::shared_ptr<StreamState> default_;
  uint64_t pending_ = 0; ///< number of commands in all streams
  uint64_t errors_ = 0;
  bool gaveUp_ =
      false; ///< a wait was interrupted and some of its work has not ended; it may never end
  std::vector<std::shared_ptr<StreamState>> stalled_;
  std::shared_ptr<PendingError> orphanError_; ///< error of a closed stream
  std::shared_ptr<PendingError> lastResort_;  ///< used if no memory is left for an error
  Commands kept_; ///< objects to release, with the work that may still use them
  Commands released_;
  bool releaseScheduled_ = false;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<HostThread> hostThread_;
  Commands abandoned_; ///< commands of the parent process, in a fork's child
  // Owners of ended threads.
  std::vector<std::unique_ptr<ThreadPool>> retiredPools_;
  std::vector<std::unique_ptr<HostThread>> retiredHostThreads_;
};

} // namespace heddle::cpu
