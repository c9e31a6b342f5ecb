#include "runtime/cpu/queue/thread_pool.h"

#include <algorithm>
#include <cstdlib>
#include <exception>

namespace heddle::cpu {

namespace {

/// The time that an idle worker polls before it sleeps. Waking a sleeping thread costs about 5 us.
constexpr uint64_t workerSearchNanoseconds = 30000;
constexpr unsigned maxWorkers = 1024;
/// Minimum number of rows per worker for chunks of whole rows; with fewer rows the chunks would be uneven.
constexpr uint64_t fewestRows = 16;

} // namespace

bool Job::claimChunk(unsigned workers, uint64_t &begin, uint64_t &end) {
  uint64_t row = row_ <= items_ / (fewestRows * workers) ? row_ : 1;
  uint64_t at = next_.load(std::memory_order_relaxed);
  do {
    if (at >= items_ || stopped_.load(std::memory_order_relaxed))
      return false;
    uint64_t chunk = std::max<uint64_t>(1, (items_ - at) / (8 * uint64_t(workers)));
    end = std::min(items_, (at + chunk + row - 1) / row * row);
  } while (!next_.compare_exchange_weak(at, end));
  begin = at;
  return true;
}

unsigned ThreadPool::configuredWorkerCount() {
  for (const char *variable : {"HEDDLE_NUM_THREADS", "NUMBA_NUM_THREADS"}) {
    const char *text = std::getenv(variable);
    if (!text || !*text)
      continue;
    char *end = nullptr;
    long n = std::strtol(text, &end, 10);
    if (*end == 0 && n >= 1)
      return unsigned(std::min<long>(n, maxWorkers));
  }
  return std::min(os::cpuCount(), maxWorkers);
}

ThreadPool::ThreadPool(unsigned workers) : planned_(workers) {
  for (unsigned i = 0; i < workers; ++i) {
    try {
      BlockRunner &runner = runners_.emplace_back();
      os::CodeThread &entry = os::reserveCodeThread();
      threads_.emplace_back("heddle-worker", stackBytes, [this, &runner, &entry] {
        runner.moveToCallingThread(&entry);
        runWorker(runner);
      });
    } catch (const std::exception &) { // CompileError, std::bad_alloc
      // Fewer workers do the same work, but at least one is needed.
      if (threads_.empty())
        throw;
      break;
    }
  }
}

void ThreadPool::submit(Job &job) {
  bool wakeAll;
  {
    std::lock_guard lock(mutex_);
    jobs_.splice(jobs_.end(), job.place_);
    ++submissions_;
    unsigned awake = searching_.load();
    uint64_t wanted = std::min<uint64_t>(job.items_ - job.next_, planned_);
    if (parked_ == 0 || wanted <= awake)
      return;
    wakeAll = wanted - awake > 1;
  }
  if (wakeAll)
    wake_.notify_all();
  else
    wake_.notify_one();
}

void ThreadPool::wakeWorkers() {
  {
    std::lock_guard lock(mutex_);
    ++submissions_;
  }
  wake_.notify_all();
}

Job *ThreadPool::nextJob() {
  for (Job *job : jobs_)
    if (!job->isExhausted() || job->active_ == 0)
      return job;
  return nullptr;
}

bool ThreadPool::tryRemoveJob(Job &job) {
  if (job.active_ != 0 || !job.isExhausted())
    return false;
  job.place_.splice(job.place_.begin(), jobs_, std::find(jobs_.begin(), jobs_.end(), &job));
  return true;
}

bool ThreadPool::mayOneMoreWorkerPoll() const { return searching_ + 1 < std::max(planned_, 2u); }

void ThreadPool::runWorker(BlockRunner &runner) noexcept {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    Job *job = nextJob();
    if (!job) {
      // A job submitted while this worker polls changes `submissions_`; one submitted before was in the list.
      uint64_t seen = submissions_;
      if (mayOneMoreWorkerPoll()) {
        ++searching_;
        lock.unlock();
        for (uint64_t until = steadyNanoseconds() + workerSearchNanoseconds;
             submissions_ == seen && steadyNanoseconds() < until;)
          for (int i = 0; i < 16; ++i)
            os::pauseProcessor();
        lock.lock();
        --searching_;
      }
      if (submissions_ == seen && !ending_) {
        ++parked_;
        wake_.wait(lock, [&] { return submissions_ != seen || ending_; });
        --parked_;
      }
      continue;
    }
    ++job->active_;
    // The submitter may have counted on this worker for more than one job.
    if (parked_ && std::any_of(jobs_.begin(), jobs_.end(),
                               [&](Job *other) { return other != job && !other->isExhausted(); }))
      wake_.notify_one();
    lock.unlock();
    runChunksAndLeave(*job, runner);
    lock.lock();
  }
}

bool ThreadPool::enterJob(Job &job) {
  std::lock_guard lock(mutex_);
  if (job.isExhausted())
    return false;
  ++job.active_;
  return true;
}

void ThreadPool::runChunksAndLeave(Job &job, BlockRunner &runner) noexcept {
  uint64_t begin, end;
  while (job.claimChunk(planned_, begin, end))
    job.run(runner, begin, end);
  runner.trim();
  bool last;
  {
    std::lock_guard lock(mutex_);
    --job.active_;
    last = tryRemoveJob(job);
  }
  if (last)
    job.onFinished();
}

bool ThreadPool::shutDown(unsigned milliseconds) {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    for (Job *job : jobs_)
      job->stop();
    ++submissions_;
  }
  wake_.notify_all();
  bool all = true;
  for (os::Thread &t : threads_)
    if (!t.join(all ? milliseconds : 0)) {
      t.abandon();
      all = false;
    }
  return all;
}

} // namespace heddle::cpu
