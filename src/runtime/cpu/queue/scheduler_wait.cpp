// How threads wait for the scheduler's streams and events, and how they give up.
#include "runtime/cpu/queue/scheduler.h"

#include "support/diagnostic.h"

#include <algorithm>
#include <chrono>

namespace heddle::cpu {

namespace {

/// How long a wait looks before it sleeps.
constexpr uint64_t searchNanoseconds = 20000;
/// Work that is expected to take less than this is helped along by the thread that waits for it: it can begin at once,
/// while a worker may have to be woken.
constexpr uint64_t helpNanoseconds = 10000000;
/// How often a wait asks the interrupt check.
constexpr auto interruptPeriod = std::chrono::milliseconds(50);
/// How long a wait that gives up stays for the blocks that run.
constexpr auto interruptGrace = std::chrono::seconds(2);

} // namespace

bool Scheduler::done(const StreamState &stream) {
  Lock lock(mutex_);
  return stream.idle();
}

bool Scheduler::done(const EventState &event) {
  Lock lock(mutex_);
  return event.completed == event.recorded;
}

std::optional<int64_t> Scheduler::between(const EventState &earlier, const EventState &later) {
  Lock lock(mutex_);
  for (const EventState *e : {&earlier, &later})
    if (!e->recorded || e->completed != e->recorded)
      return std::nullopt;
  return int64_t(later.nanoseconds - earlier.nanoseconds);
}

void Scheduler::synchronize(const std::shared_ptr<StreamState> &stream) {
  Lock lock = beginWait();
  requireRunning(*stream);
  uint64_t target = stream->enqueued;
  help(lock, *stream);
  wait(lock, [&] { return stream->completed >= target; }, [&] { cancel(stream); });
  dropReleased(lock);
  std::shared_ptr<PendingError> error = std::exchange(stream->error, nullptr);
  throwUnseen({&error, 1});
}

void Scheduler::waitForTurn(const std::shared_ptr<StreamState> &stream) {
  // A callback comes after the work before it, and nothing else can be waited for there.
  if (HostThread::isCurrent())
    return;
  if (Lock lock(mutex_); !stream->capture && !stream->error && mayStartNow(*stream))
    return;
  Lock lock = beginWait();
  requireRunning(*stream);
  std::vector<Dependency> targets = dependencies(*stream);
  targets.push_back({stream, stream->enqueued});
  waitFor(lock, targets, [&] {
    for (const Dependency &target : targets)
      cancel(target.stream);
  });
}

void Scheduler::synchronize(const EventState &event) {
  Lock lock = beginWait();
  uint64_t target = event.recorded;
  wait(lock, [&] { return event.completed >= target; }, [&] { cancelAll(); });
  dropReleased(lock);
  throwUnseen({&event.error, 1});
}

void Scheduler::synchronize() {
  Lock lock = beginWait();
  std::vector<Dependency> targets;
  for (const auto &stream : streams_)
    targets.push_back({stream, stream->enqueued});
  waitFor(lock, targets, [&] { cancelAll(); });
}

void Scheduler::waitFor(Lock &lock, std::span<const Dependency> targets,
                        const std::function<void()> &giveUp) {
  for (const Dependency &target : targets)
    help(lock, *target.stream);
  auto over = [&] {
    return std::all_of(targets.begin(), targets.end(),
                       [](const Dependency &d) { return d.stream->completed >= d.position; });
  };
  wait(lock, over, giveUp);
  dropReleased(lock);
  std::vector<std::shared_ptr<PendingError>> errors;
  errors.reserve(targets.size() + 1);
  errors.push_back(std::exchange(orphanError_, nullptr));
  for (const Dependency &target : targets)
    errors.push_back(std::exchange(target.stream->error, nullptr));
  throwUnseen(errors);
}

Scheduler::Lock Scheduler::beginWait() {
  if (HostThread::isCurrent())
    throw CompileError(
        ErrorKind::Value,
        "a stream's callback cannot wait for the device: the device waits for the callback");
  return Lock(mutex_);
}

void Scheduler::help(Lock &lock, const StreamState &stream) {
  // A block of unknown length could keep this thread from answering an interrupt.
  PoolJob *job = stream.job;
  if (!job || job->expectedNanoseconds() > helpNanoseconds)
    return;
  BlockRunner *runner = BlockRunner::ofThisThread();
  if (!runner || !runner->stackHasRoom() || !pool_ || !pool_->enter(*job))
    return;
  ThreadPool &pool = *pool_;
  lock.unlock();
  pool.runAndLeave(*job, *runner);
  lock.lock();
}

void Scheduler::wait(Lock &lock, const std::function<bool()> &over,
                     const std::function<void()> &giveUp) {
  for (uint64_t until = now() + searchNanoseconds; !over() && now() < until;) {
    uint64_t seen = completions_;
    lock.unlock();
    while (completions_ == seen && now() < until)
      os::relax();
    lock.lock();
  }
  using Clock = std::chrono::steady_clock;
  auto nextCheck = Clock::now() + interruptPeriod;
  std::optional<Clock::time_point> gaveUp;
  while (!over()) {
    ++waiters_;
    changed_.wait_until(lock, nextCheck);
    --waiters_;
    auto time = Clock::now();
    if (over() || time < nextCheck)
      continue;
    nextCheck = time + interruptPeriod;
    dropReleased(lock);
    if (gaveUp) {
      if (time - *gaveUp > interruptGrace)
        break;
      continue;
    }
    lock.unlock();
    bool interrupted = interruptRequested();
    lock.lock();
    if (interrupted) {
      gaveUp = time;
      gaveUp_ = true;
      giveUp();
    }
  }
  if (gaveUp)
    throw Interrupted();
}

void Scheduler::cancel(const std::shared_ptr<StreamState> &stream) {
  for (Command &command : stream->queue)
    command.cancelled = true;
  if (stream->job)
    stream->job->cancel();
  settle(stream);
}

void Scheduler::cancelAll() {
  // What is cancelled may go from the list; those not yet seen stay before `i`.
  for (size_t i = streams_.size(); i-- > 0;)
    if (i < streams_.size())
      cancel(std::shared_ptr(streams_[i]));
}

void Scheduler::throwUnseen(std::span<const std::shared_ptr<PendingError>> errors) {
  std::shared_ptr<PendingError> first;
  for (const auto &error : errors)
    if (error && !std::exchange(error->seen, true) && (!first || error->order < first->order))
      first = error;
  if (first)
    throw KernelError(*first->error);
}

} // namespace heddle::cpu
