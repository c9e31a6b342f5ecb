#include "runtime/cpu/queue/scheduler.h"

#include "runtime/cpu/check/checked_launch.h"
#include "runtime/cpu/check/streams/stream_history.h"
#include "runtime/cpu/queue/pool_job.h"
#include "support/diagnostic.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace heddle::cpu {

namespace {

/// The cost of running a launch on workers: waking them and waiting for them.
constexpr uint64_t wakeNanoseconds = 20000;
/// A launch on the calling thread that exceeds this time continues on the pool.
constexpr uint64_t inlineLimitNanoseconds = 1000000;
/// Copies and fills up to this size run on the calling thread if they can start immediately.
constexpr size_t inlineBytes = size_t(64) << 10;

/// Launches estimated below this time run on the calling thread: `n` workers would take wakeNanoseconds plus an n-th of
/// the time, which is not less.
uint64_t maxInlineNanoseconds() {
  static const uint64_t workers = ThreadPool::configuredWorkerCount();
  return workers > 1 ? wakeNanoseconds * workers / (workers - 1) : 5 * wakeNanoseconds;
}

Command makeKernelCommand(CpuKernel &kernel, const KernelEntry &entry, const LaunchShape &shape,
                          std::span<const uint64_t> arguments, std::shared_ptr<void> keepAlive) {
  Command command;
  command.kind = CommandKind::Kernel;
  command.module = kernel.module().shared_from_this();
  command.kernel = &kernel;
  command.entry = &entry;
  command.shape = shape;
  command.arguments.assign(arguments.begin(), arguments.end());
  command.keepAlive = std::move(keepAlive);
  return command;
}

} // namespace

Scheduler &Scheduler::instance() {
  static Scheduler *scheduler = new Scheduler;
  return *scheduler;
}

Scheduler::Scheduler() {
  outOfMemoryError(); // allocated now, while memory is available
  lastResort_ = std::make_shared<PendingError>();
  default_ = std::make_shared<StreamState>();
  default_->order = order_.addStream(/*isBlocking=*/true);
  streams_.push_back(default_);
  stalled_.reserve(1);
  StreamHistory::instance(); // its mutex is locked after this one's, also for a fork
  os::atFork(prepareForFork, resumeInParentAfterFork, resumeInChildAfterFork);
  std::atexit([] { instance().shutDown(); });
}

// Streams.

std::shared_ptr<StreamState> Scheduler::addStream(StreamKind kind) {
  auto stream = std::make_shared<StreamState>();
  stream->kind = kind;
  Lock lock(mutex_);
  stalled_.reserve(streams_.size() + 1);
  stream->order = order_.addStream(kind == StreamKind::Blocking);
  streams_.push_back(stream);
  return stream;
}

void Scheduler::closeStream(const std::shared_ptr<StreamState> &stream) {
  Lock lock(mutex_);
  stream->closed = true;
  order_.removeStream(stream->order);
  if (stream->isIdle())
    removeStreamKeepingError(stream);
}

std::shared_ptr<StreamState> Scheduler::streamAt(uint64_t address) {
  Lock lock(mutex_);
  for (const auto &stream : streams_)
    if (reinterpret_cast<uint64_t>(stream.get()) == address)
      return stream;
  return nullptr;
}

// Enqueueing.

void Scheduler::launch(const std::shared_ptr<StreamState> &stream, CpuKernel &kernel,
                       const KernelEntry &entry, const LaunchShape &shape,
                       std::span<const uint64_t> arguments, std::shared_ptr<void> keepAlive,
                       std::shared_ptr<CheckedLaunch> checked) {
  Lock lock(mutex_);
  if (!stream->capture && !checked &&
      tryRunInline(lock, stream, kernel, entry, shape, arguments, keepAlive))
    return;
  Command command = makeKernelCommand(kernel, entry, shape, arguments, std::move(keepAlive));
  if (checked)
    command.note = checked->sharedNote();
  command.checked = std::move(checked);
  if (stream->capture)
    recordInCapture(*stream, std::move(command));
  else
    appendCommand(stream, std::move(command));
}

void Scheduler::enqueue(const std::shared_ptr<StreamState> &stream, Command command) {
  Lock lock(mutex_);
  if (command.kind == CommandKind::Wait && !stream->capture)
    joinCapture(stream, *command.event);
  if (stream->capture)
    return recordInCapture(*stream, std::move(command));
  bool copies = command.kind == CommandKind::Copy || command.kind == CommandKind::Fill;
  if (copies && command.bytes <= inlineBytes && mayStartNow(*stream)) {
    recordOrderOfCommand(*stream, command);
    markRunningInline(*stream);
    lock.unlock();
    updateTargetDefinedness(command);
    copyOrFill(command, 0, command.bytes);
    recordCopyForRaces(command, findRunnerOfThisThread());
    lock.lock();
    finishCommandAndStartNext(stream);
    // Unlock before the command is destroyed.
    lock.unlock();
    return;
  }
  appendCommand(stream, std::move(command));
}

void Scheduler::enqueueGraph(const std::shared_ptr<StreamState> &stream, const Commands &commands,
                             GraphLaunch &last) {
  Commands copies = commands;
  for (Command &command : copies)
    if (command.checked) // launches of the graph keep their findings apart
      command.checked = std::make_shared<CheckedLaunch>(command.checked->sharedNote());
  Lock lock(mutex_);
  if (stream->capture) {
    for (Command &command : copies)
      recordInCapture(*stream, std::move(command));
    return;
  }
  recordOrderOfGraph(*stream, copies, last.work);
  if (last.end.stream && !copies.empty())
    copies.front().after.push_back(last.end);
  for (Command &command : copies)
    appendCommand(stream, std::move(command));
  last.end = {stream, stream->enqueued};
}

bool Scheduler::mayStartNow(const StreamState &stream) const {
  return pending_ == 0 || (stream.isIdle() && findDependencies(stream).empty());
}

void Scheduler::markRunningInline(StreamState &stream) {
  stream.running = true;
  ++stream.enqueued;
  ++pending_;
}

bool Scheduler::tryRunInline(Lock &lock, const std::shared_ptr<StreamState> &stream,
                             CpuKernel &kernel, const KernelEntry &entry, const LaunchShape &shape,
                             std::span<const uint64_t> arguments,
                             const std::shared_ptr<void> &keepAlive) {
  uint64_t blocks = shape.grid.count();
  uint64_t threads = blocks * shape.block.count();
  if (!mayStartNow(*stream) || entry.needsDeepStack || entry.waitsForBlocks())
    return false;
  std::optional<uint64_t> estimate = kernel.estimatedNanoseconds(threads);
  BlockRunner *runner;
  if (!estimate || *estimate > maxInlineNanoseconds() ||
      !(runner = BlockRunner::ofThisThreadIfIdle()) || !runner->stackHasRoom())
    return false;

  markRunningInline(*stream);
  KernelRun run(kernel, entry, shape, arguments.data());
  stream->run = &run;
  lock.unlock();
  uint64_t begin = steadyNanoseconds();
  uint64_t next = runner->run(run, 0, blocks, begin + inlineLimitNanoseconds);
  if (!run.cancelled())
    kernel.recordRunTime(steadyNanoseconds() - begin,
                         next == blocks || run.stop ? threads : next * shape.block.count());
  lock.lock();

  if (next < blocks && !run.stop) {
    try {
      Command rest = makeKernelCommand(kernel, entry, shape, arguments, keepAlive);
      rest.firstBlock = next;
      Commands taken;
      taken.push_back(std::move(rest));
      startThreadsFor(taken.front());
      startOnPool(stream, taken);
      stream->run = nullptr;
      return true;
    } catch (const std::exception &) { // CompileError, std::bad_alloc
      // No threads or memory available: run all blocks on the calling thread.
      lock.unlock();
      runner->run(run, next, blocks);
      lock.lock();
    }
  }
  recordError(*stream, run.error());
  if (run.interrupted()) // others that wait for it learn that it is incomplete
    stream->cancelled = std::max(stream->cancelled, stream->completed + 1);
  finishCommandAndStartNext(stream);
  if (run.interrupted())
    throw Interrupted(/*stillRuns=*/false);
  if (run.cancelled())
    throw makeInterruptError();
  return true;
}

void Scheduler::startThreadsFor(const Command &command) {
  // Start threads here, where an exception reaches the caller and nothing has changed yet.
  bool work = command.kind == CommandKind::Kernel || command.kind == CommandKind::Copy ||
              command.kind == CommandKind::Fill;
  if (work)
    pool();
  if (command.callback || command.keepAlive || command.module)
    hostThread();
}

void Scheduler::appendCommand(const std::shared_ptr<StreamState> &stream, Command command) {
  startThreadsFor(command);
  if (!command.operation)
    recordOrderOfCommand(*stream, command);
  for (Dependency &earlier : findDependencies(*stream))
    command.after.push_back(std::move(earlier));
  if (command.kind == CommandKind::Wait)
    command.generation = command.event->recorded;
  stream->queue.push_back(std::move(command));
  Command &pushed = stream->queue.back();
  if (pushed.kind == CommandKind::Record) {
    pushed.generation = ++pushed.event->recorded;
    pushed.event->capture = nullptr;
  }
  ++stream->enqueued;
  ++pending_;
  startReadyInStreamAndWaiters(stream);
}

std::vector<Dependency> Scheduler::findDependencies(const StreamState &stream) const {
  std::vector<Dependency> found;
  if (stream.kind == StreamKind::NonBlocking)
    return found;
  if (&stream != default_.get()) {
    if (!default_->isIdle())
      found.push_back({default_, default_->enqueued});
    return found;
  }
  for (const auto &other : streams_)
    if (other != default_ && other->kind == StreamKind::Blocking && !other->isIdle())
      found.push_back({other, other->enqueued});
  return found;
}

// Running.

bool Scheduler::isReady(const Command &command) const {
  if (command.cancelled)
    return true;
  if (command.kind == CommandKind::Wait && command.event->completed < command.generation)
    return false;
  return std::all_of(command.after.begin(), command.after.end(),
                     [](const Dependency &d) { return d.stream->completed >= d.position; });
}

void Scheduler::startReadyCommands(const std::shared_ptr<StreamState> &stream) {
  while (!stream->running && !stream->queue.empty()) {
    if (!isReady(stream->queue.front())) {
      if (!stream->stalled)
        stalled_.push_back(stream);
      stream->stalled = true;
      return;
    }
    Commands taken;
    taken.splice(taken.begin(), stream->queue, stream->queue.begin());
    if (!startOrCompleteCommand(stream, taken)) {
      keepUntilReleasedByWaiter(taken);
      markCommandCompleted(stream);
    }
  }
}

void Scheduler::startReadyInStreamAndWaiters(const std::shared_ptr<StreamState> &stream) {
  startReadyCommands(stream);
  auto canGoOn = [&](const auto &s) { return s->queue.empty() || isReady(s->queue.front()); };
  while (true) {
    auto found = std::find_if(stalled_.begin(), stalled_.end(), canGoOn);
    if (found == stalled_.end())
      return;
    std::shared_ptr<StreamState> next = std::move(*found);
    stalled_.erase(found);
    next->stalled = false;
    startReadyCommands(next);
  }
}

bool Scheduler::startOrCompleteCommand(const std::shared_ptr<StreamState> &stream,
                                       Commands &taken) {
  Command &command = taken.front();
  try {
    switch (command.kind) {
    case CommandKind::Kernel:
    case CommandKind::Copy:
    case CommandKind::Fill:
      if (command.cancelled)
        return false;
      startOnPool(stream, taken);
      return true;
    case CommandKind::Callback:
      startCallback(stream, command);
      return true;
    case CommandKind::Record:
      markEventCompleted(*stream, command);
      return false;
    case CommandKind::Wait:
      return false;
    }
  } catch (const std::exception &) { // CompileError, std::bad_alloc
    recordError(*stream, outOfMemoryError());
  }
  return false;
}

void Scheduler::startOnPool(const std::shared_ptr<StreamState> &stream, Commands &taken) {
  ThreadPool &workers = pool();
  PoolJob *job = makePoolJob(*this, stream, taken);
  stream->running = true;
  stream->job = job;
  workers.submit(*job);
}

void Scheduler::startCallback(const std::shared_ptr<StreamState> &stream, const Command &command) {
  hostThread().submit([this, stream, f = command.callback, tellsHost = command.tellsHost,
                       operation = command.operation] {
    if (tellsHost && operation) {
      Lock lock(mutex_);
      recordWorkSeenByHost(operation->before);
    }
    try {
      (*f)();
    } catch (...) {
      // Nobody waits for a callback's result; the bindings report Python exceptions.
    }
    Lock lock(mutex_);
    finishCommandAndStartNext(stream);
  });
  stream->running = true;
}

void Scheduler::markEventCompleted(StreamState &stream, Command &command) {
  EventState &event = *command.event;
  if (event.completed >= command.generation)
    return;
  event.completed = command.generation;
  event.nanoseconds = steadyNanoseconds();
  event.error = stream.error;
  event.cancelled = command.cancelled;
}

void Scheduler::finishCommandAndStartNext(const std::shared_ptr<StreamState> &stream) {
  stream->running = false;
  stream->job = nullptr;
  stream->run = nullptr;
  markCommandCompleted(stream);
  startReadyInStreamAndWaiters(stream);
}

void Scheduler::markCommandCompleted(const std::shared_ptr<StreamState> &stream) {
  ++stream->completed;
  if (--pending_ == 0)
    gaveUp_ = false;
  ++completions_;
  releaseKeptCommands();
  if (stream->closed && stream->isIdle())
    removeStreamKeepingError(stream);
  if (waiters_)
    changed_.notify_all();
}

void Scheduler::removeStreamKeepingError(const std::shared_ptr<StreamState> &stream) {
  if (stream->error && !stream->error->seen && (!orphanError_ || orphanError_->seen))
    orphanError_ = stream->error;
  std::erase(streams_, stream);
}

void Scheduler::recordError(StreamState &stream, std::shared_ptr<const KernelError> error) {
  if (!error || (stream.error && !stream.error->seen))
    return;
  std::shared_ptr<PendingError> pending = lastResort_;
  try {
    pending = std::make_shared<PendingError>();
  } catch (const std::bad_alloc &) {
    // Streams that run out of memory at the same time share one error.
  }
  *pending = {std::move(error), ++errors_};
  stream.error = std::move(pending);
}

void Scheduler::keepUntilReleasedByWaiter(Commands &taken) {
  const Command &command = taken.front();
  if (command.keepAlive || command.module || command.callback)
    released_.splice(released_.end(), taken);
  // A waiting thread releases the commands.
  if (released_.empty() || releaseScheduled_ || waiters_)
    return;
  try {
    // The commands stay in the list until this thread has the embedder's lock, so that a thread that has it releases
    // them when it synchronizes.
    hostThread().submit([this] {
      releaseWithEmbedderLock([this] {
        Lock lock(mutex_);
        releaseScheduled_ = false;
        destroyReleased(lock);
      });
    });
    releaseScheduled_ = true;
  } catch (const std::exception &) { // CompileError, std::bad_alloc
    // Released together with the next ones.
  }
}

void Scheduler::keepAliveUntilAllWorkDone(std::shared_ptr<void> object) {
  Command kept;
  kept.kind = CommandKind::Callback; // has no event
  kept.keepAlive = std::move(object);
  Lock lock(mutex_); // unlocked before `kept` is destroyed
  if (!pending_)
    return;
  for (const auto &stream : streams_)
    if (!stream->isIdle())
      kept.after.push_back({stream, stream->enqueued});
  startThreadsFor(kept);
  kept_.push_back(std::move(kept));
}

void Scheduler::releaseKeptCommands() {
  while (!kept_.empty() && isReady(kept_.front())) {
    Commands taken;
    taken.splice(taken.begin(), kept_, kept_.begin());
    keepUntilReleasedByWaiter(taken);
  }
}

void Scheduler::destroyReleased(Lock &lock) {
  Commands mine;
  mine.swap(released_);
  lock.unlock();
  mine.clear();
  lock.lock();
}

ThreadPool &Scheduler::workerPool() {
  Lock lock(mutex_);
  return pool();
}

ThreadPool &Scheduler::pool() {
  if (!pool_)
    pool_ = std::make_unique<ThreadPool>(ThreadPool::configuredWorkerCount());
  return *pool_;
}

HostThread &Scheduler::hostThread() {
  if (!hostThread_)
    hostThread_ = std::make_unique<HostThread>();
  return *hostThread_;
}

void Scheduler::onJobFinished(PoolJob &job) {
  Lock lock(mutex_);
  recordError(*job.stream, job.finishAndTakeError());
  keepUntilReleasedByWaiter(job.held);
  finishCommandAndStartNext(job.stream);
}

} // namespace heddle::cpu
