// Waits for the scheduler's streams and events, and interrupts of these waits.
#include "runtime/cpu/queue/scheduler.h"

#include "support/diagnostic.h"
#include "support/os/code_interrupts.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <chrono>

namespace heddle::cpu {

namespace {

/// The time that a wait polls before it sleeps.
constexpr uint64_t searchNanoseconds = 20000;
/// The waiting thread helps with work estimated below this time, because it can start immediately, while a worker may
/// have to be woken.
constexpr uint64_t helpNanoseconds = 10000000;
/// The interval of interrupt checks during a wait.
constexpr auto interruptPeriod = std::chrono::milliseconds(50);
/// The time that an interrupted wait waits for running blocks.
constexpr auto interruptGrace = std::chrono::seconds(2);
/// The interval of interrupts to these blocks: a block inside a library function ignores an interrupt.
constexpr auto leavePeriod = std::chrono::milliseconds(2);

} // namespace

bool Scheduler::checkDoneForHost(const StreamState &stream) {
  Lock lock(mutex_);
  bool isDone = isStreamWorkDone(stream);
  if (isDone)
    recordWorkSeenByHost(clockOfWorkInStream(stream));
  return isDone;
}

bool Scheduler::isIdle(const StreamState &stream) {
  Lock lock(mutex_);
  return isStreamWorkDone(stream);
}

bool Scheduler::isOnlyBusyStreamAndAwaited(const StreamState &stream) {
  Lock lock(mutex_);
  return waiters_ && std::all_of(streams_.begin(), streams_.end(), [&](const auto &other) {
           return other.get() == &stream || other->isIdle();
         });
}

bool Scheduler::isStreamWorkDone(const StreamState &stream) const {
  return &stream == default_.get() ? mayStartNow(stream) : stream.isIdle();
}

bool Scheduler::checkDoneForHost(const EventState &event) {
  Lock lock(mutex_);
  bool isDone = event.completed == event.recorded;
  if (isDone)
    recordWorkSeenByHost(event.before);
  return isDone;
}

std::optional<int64_t> Scheduler::nanosecondsBetween(const EventState &earlier,
                                                     const EventState &later) {
  Lock lock(mutex_);
  for (const EventState *e : {&earlier, &later})
    if (!e->recorded || e->completed != e->recorded)
      return std::nullopt;
  return int64_t(later.nanoseconds - earlier.nanoseconds);
}

void Scheduler::synchronize(const std::shared_ptr<StreamState> &stream) {
  Lock lock = lockForHostWait();
  requireNotCapturing(*stream);
  const StreamClock work = clockOfWorkInStream(*stream);
  if (isStreamWorkDone(*stream) && !hasError(*stream) && released_.empty())
    return recordWorkSeenByHost(work);
  // Wait for the stream first, which allocates no memory: after an exception the caller may free memory that its work
  // accesses.
  const Dependency target{stream, stream->enqueued};
  waitForDependencies(lock, {&target, 1});
  if (stream == default_)
    waitForDependencies(lock, findDependencies(*stream));
  recordWorkSeenByHost(work);
  takeAndThrowErrors({&target, 1});
}

void Scheduler::waitForEarlierWork(const std::shared_ptr<StreamState> &stream) {
  // A callback runs after the work before it, and must not wait for anything else.
  if (HostThread::isCurrent())
    return;
  if (Lock lock(mutex_);
      !stream->capture && !hasError(*stream) && mayStartNow(*stream) && released_.empty())
    return recordWorkSeenByHost(clockOfWorkBeforeNext(*stream));
  Lock lock = lockForHostWait();
  requireNotCapturing(*stream);
  const StreamClock work = clockOfWorkBeforeNext(*stream);
  std::vector<Dependency> targets = findDependencies(*stream);
  targets.push_back({stream, stream->enqueued});
  waitForDependencies(lock, targets);
  recordWorkSeenByHost(work);
  takeAndThrowErrors(targets);
}

void Scheduler::synchronize(const EventState &event) {
  Lock lock = lockForHostWait();
  uint64_t target = event.recorded;
  const StreamClock work = event.before;
  waitUntil(
      lock, false, [&] { return event.completed >= target; },
      [&] { cancelWorkBeforeEvent(event, target); });
  recordWorkSeenByHost(work);
  destroyReleased(lock);
  if (event.cancelled)
    throw makeInterruptError();
  std::shared_ptr<PendingError> unseen;
  markSeenAndKeepFirst(event.error, unseen);
  throwIfUnseen(unseen);
}

void Scheduler::synchronize() {
  Lock lock = lockForHostWait();
  const StreamClock work = clockOfAllWork();
  std::vector<Dependency> targets;
  for (const auto &stream : streams_)
    targets.push_back({stream, stream->enqueued});
  waitForDependencies(lock, targets);
  recordWorkSeenByHost(work);
  takeAndThrowErrors(targets);
}

bool Scheduler::waitForWorkThatKeepsMemory() {
  if (HostThread::isCurrent())
    return false;
  Lock lock(mutex_);
  if (kept_.empty())
    return false;
  std::vector<Dependency> targets = kept_.back().after;
  waitForDependencies(lock, targets);
  return true;
}

void Scheduler::waitForDependencies(Lock &lock, std::span<const Dependency> targets) {
  llvm::SmallVector<uint64_t, 1> cancelled;
  for (const Dependency &target : targets)
    cancelled.push_back(target.stream->cancelled);
  bool interrupted = false;
  for (const Dependency &target : targets)
    interrupted = interrupted || helpRunningJob(lock, *target.stream);
  auto over = [&] {
    return std::all_of(targets.begin(), targets.end(),
                       [](const Dependency &d) { return d.stream->completed >= d.position; });
  };
  waitUntil(lock, interrupted, over, [&] { cancel(targets); });
  destroyReleased(lock);
  for (size_t i = 0; i < targets.size(); ++i)
    if (targets[i].stream->cancelled != cancelled[i])
      throw makeInterruptError();
}

void Scheduler::takeAndThrowErrors(std::span<const Dependency> targets) {
  std::shared_ptr<PendingError> first;
  for (const Dependency &target : targets)
    takeErrors(*target.stream, first);
  throwIfUnseen(first);
}

bool Scheduler::hasError(const StreamState &stream) const {
  if (&stream != default_.get())
    return stream.error != nullptr;
  return orphanError_ || std::any_of(streams_.begin(), streams_.end(), [](const auto &other) {
           return other->kind == StreamKind::Blocking && other->error;
         });
}

void Scheduler::takeErrors(StreamState &stream, std::shared_ptr<PendingError> &first) {
  markSeenAndKeepFirst(std::exchange(stream.error, nullptr), first);
  if (&stream != default_.get())
    return;
  markSeenAndKeepFirst(std::exchange(orphanError_, nullptr), first);
  for (const auto &other : streams_)
    if (other->kind == StreamKind::Blocking)
      markSeenAndKeepFirst(std::exchange(other->error, nullptr), first);
}

Scheduler::Lock Scheduler::lockForHostWait() {
  if (HostThread::isCurrent())
    throw CompileError(
        ErrorKind::Value,
        "a stream's callback cannot wait for the device: the device waits for the callback");
  return Lock(mutex_);
}

bool Scheduler::helpRunningJob(Lock &lock, const StreamState &stream) {
  PoolJob *job = stream.job;
  if (!job || job->expectedNanoseconds() > helpNanoseconds)
    return false;
  BlockRunner *runner = BlockRunner::ofThisThreadIfIdle();
  if (!runner || !runner->stackHasRoom() || !pool_ || !pool_->enterJob(*job))
    return false;
  ThreadPool &pool = *pool_;
  lock.unlock();
  runner->takeWasInterrupted(); // clear an earlier one
  pool.runChunksAndLeave(*job, *runner);
  lock.lock();
  return runner->takeWasInterrupted();
}

void Scheduler::waitUntil(Lock &lock, bool interrupted, const std::function<bool()> &over,
                          const std::function<void()> &giveUp) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point nextCheck;
  std::optional<Clock::time_point> gaveUp;
  auto stop = [&] {
    gaveUp = nextCheck = Clock::now();
    gaveUp_ = true;
    giveUp();
  };
  if (interrupted)
    stop();
  for (uint64_t until = steadyNanoseconds() + searchNanoseconds;
       !over() && steadyNanoseconds() < until;) {
    uint64_t seen = completions_;
    lock.unlock();
    while (completions_ == seen && steadyNanoseconds() < until)
      os::pauseProcessor();
    lock.lock();
  }
  if (!gaveUp)
    nextCheck = Clock::now() + interruptPeriod;
  while (!over()) {
    ++waiters_;
    changed_.wait_until(lock, nextCheck);
    --waiters_;
    auto time = Clock::now();
    if (over() || time < nextCheck)
      continue;
    nextCheck = time + interruptPeriod;
    destroyReleased(lock);
    if (gaveUp) {
      if (time - *gaveUp > interruptGrace)
        break;
      nextCheck = time + leavePeriod;
      os::interruptCode();
      continue;
    }
    lock.unlock();
    interrupted = callInterruptCheck();
    lock.lock();
    if (interrupted)
      stop();
  }
  if (gaveUp)
    throw Interrupted(/*stillRuns=*/!over());
}

void Scheduler::cancelStreamUpTo(const std::shared_ptr<StreamState> &stream, uint64_t position,
                                 std::vector<std::shared_ptr<StreamState>> &marked) {
  if (position <= stream->completed || position <= stream->cancelled)
    return;
  stream->cancelled = position;
  marked.push_back(stream);
  if (stream->job)
    stream->job->cancel();
  if (stream->run)
    stream->run->cancel();
  uint64_t at = stream->completed + stream->running;
  for (Command &command : stream->queue) {
    if (++at > position)
      return;
    command.cancelled = true;
    for (const Dependency &earlier : command.after)
      cancelStreamUpTo(earlier.stream, earlier.position, marked);
    if (command.kind == CommandKind::Wait)
      cancelStreamsBeforeRecord(*command.event, command.generation, marked);
  }
}

void Scheduler::cancelStreamsBeforeRecord(const EventState &event, uint64_t generation,
                                          std::vector<std::shared_ptr<StreamState>> &marked) {
  for (const auto &stream : streams_) {
    uint64_t at = stream->completed + stream->running;
    for (const Command &command : stream->queue) {
      ++at;
      if (command.kind == CommandKind::Record && command.event.get() == &event &&
          command.generation <= generation)
        cancelStreamUpTo(stream, at, marked);
    }
  }
}

void Scheduler::cancel(std::span<const Dependency> targets) {
  std::vector<std::shared_ptr<StreamState>> marked;
  for (const Dependency &target : targets)
    cancelStreamUpTo(target.stream, target.position, marked);
  for (const auto &each : marked) // after all are marked, because it takes commands from queues
    startReadyInStreamAndWaiters(each);
}

void Scheduler::cancelWorkBeforeEvent(const EventState &event, uint64_t generation) {
  std::vector<std::shared_ptr<StreamState>> marked;
  cancelStreamsBeforeRecord(event, generation, marked);
  for (const auto &each : marked)
    startReadyInStreamAndWaiters(each);
}

void Scheduler::cancelAll() {
  std::vector<Dependency> all;
  for (const auto &stream : streams_)
    all.push_back({stream, stream->enqueued});
  cancel(all);
}

void Scheduler::markSeenAndKeepFirst(std::shared_ptr<PendingError> error,
                                     std::shared_ptr<PendingError> &first) {
  if (error && !std::exchange(error->seen, true) && (!first || error->order < first->order))
    first = std::move(error);
}

void Scheduler::throwIfUnseen(const std::shared_ptr<PendingError> &error) {
  if (error)
    throw KernelError(*error->error);
}

} // namespace heddle::cpu
