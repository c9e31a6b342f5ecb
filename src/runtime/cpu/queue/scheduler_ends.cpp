// The scheduler at the end of the process and in a fork's child.
#include "runtime/cpu/code/jit.h"
#include "runtime/cpu/queue/scheduler.h"
#include "support/os/code_interrupts.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>

namespace heddle::cpu {

namespace {

constexpr unsigned shutDownMilliseconds = 1000;
/// The interval of interrupts to workers in blocks during the shutdown.
constexpr auto shutDownPeriod = std::chrono::milliseconds(2);
constexpr double exitSeconds = 10;

/// Limits the wait at the end of the process, for endless kernels.
std::chrono::duration<double> exitTimeoutFromEnvironment() {
  if (const char *text = std::getenv("HEDDLE_EXIT_TIMEOUT"); text && *text) {
    char *end = nullptr;
    double seconds = std::strtod(text, &end);
    if (*end == 0 && seconds >= 0)
      return std::chrono::duration<double>(seconds);
  }
  return std::chrono::duration<double>(exitSeconds);
}

} // namespace

void Scheduler::waitForWorkAtExit() {
  using Clock = std::chrono::steady_clock;
  Lock lock(mutex_);
  const StreamClock work = clockOfAllWork();
  if (!pending_)
    return recordWorkSeenByHost(work);
  if (gaveUp_)
    return;
  std::vector<Dependency> targets;
  for (const auto &stream : streams_)
    targets.push_back({stream, stream->enqueued});
  auto begin = Clock::now();
  auto over = [&] {
    return Clock::now() - begin >= exitTimeoutFromEnvironment() ||
           std::all_of(targets.begin(), targets.end(),
                       [](const Dependency &d) { return d.stream->completed >= d.position; });
  };
  waitUntil(lock, false, over, [&] { cancelAll(); });
  recordWorkSeenByHost(work);
}

std::shared_ptr<const KernelError> Scheduler::takeUnseenError() {
  Lock lock(mutex_);
  std::shared_ptr<PendingError> first;
  for (const auto &stream : streams_)
    takeErrors(*stream, first);
  return first ? first->error : nullptr;
}

void Scheduler::shutDown() {
  Lock lock(mutex_);
  cancelAll();
  ++waiters_;
  auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(shutDownMilliseconds);
  while (pending_ && std::chrono::steady_clock::now() < until) {
    os::interruptCode();
    changed_.wait_for(lock, shutDownPeriod, [&] { return pending_ == 0; });
  }
  --waiters_;
  // The objects stay: another thread may be about to leave one, and a stuck worker never leaves.
  ThreadPool *pool = pool_.get();
  HostThread *host = hostThread_.get();
  retireThreads();
  destroyReleased(lock);
  lock.unlock();
  if (pool)
    pool->shutDown(shutDownMilliseconds);
  if (host)
    host->shutDown(shutDownMilliseconds);
}

void Scheduler::retireThreads() {
  if (pool_)
    retiredPools_.push_back(std::move(pool_));
  if (hostThread_)
    retiredHostThreads_.push_back(std::move(hostThread_));
}

void Scheduler::prepareForFork() {
  Jit::mutex().lock();
  instance().mutex_.lock();
}

void Scheduler::resumeInParentAfterFork() {
  instance().mutex_.unlock();
  Jit::mutex().unlock();
}

void Scheduler::resumeInChildAfterFork() {
  Scheduler &self = instance();
  // Their threads do not exist here, and their state is unknown: leak them.
  self.retireThreads();
  self.waiters_ = 0;
  new (&self.changed_) std::condition_variable;
  for (const auto &stream : self.streams_) {
    for (Command &command : stream->queue)
      if (command.kind == CommandKind::Record)
        self.markEventCompleted(*stream, command);
    // Releasing what the commands keep alive could need the embedder's locks, which it has not repaired yet.
    self.abandoned_.splice(self.abandoned_.end(), stream->queue);
    stream->running = stream->stalled = false;
    stream->job = nullptr;
    stream->completed = stream->enqueued;
    stream->error = nullptr;
  }
  std::erase_if(self.streams_, [](const auto &stream) { return stream->closed; });
  self.stalled_.clear();
  self.orphanError_ = nullptr;
  self.pending_ = 0;
  self.gaveUp_ = false;
  self.releaseScheduled_ = false;
  resumeInParentAfterFork();
}

} // namespace heddle::cpu
