#include "host/parallel_loops.h"

#include "host/call.h"
#include "host/interrupts.h"
#include "runtime/cpu/blocks/block_runner.h"
#include "runtime/cpu/queue/scheduler.h"
#include "runtime/cpu/queue/thread_pool.h"
#include "support/os/threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace heddle::host {

using cpu::BlockContext;
using cpu::BlockRunner;
using cpu::ThreadPool;

namespace {

constexpr int64_t chunksPerThread = 4;

/// A thread's settings for its parallel loops.
struct Settings {
  int64_t threads = 0; ///< 0: the maximum
  int64_t chunkSize = 0;
  int64_t number = 0;
  bool inLoop = false;
};
thread_local Settings settings;

class Loop;
/// The loop whose iterations this thread runs.
thread_local const Loop *currentLoop = nullptr;

/// The time that a waiting thread polls before it sleeps: as long as workers poll for the next loop.
constexpr std::chrono::microseconds searchPeriod{30};
/// The interval of interrupt checks while it sleeps.
constexpr std::chrono::milliseconds interruptPeriod{50};
/// Replaces the number of the first chunk that raised if an interrupt ended the loop.
constexpr int64_t stopped = -1;

/// A parallel loop. Its items are threads, each of which runs chunks. The first item is the calling thread.
class Loop final : public cpu::Job {
public:
  Loop(ChunkFunction function, void *used, int64_t iterations, int64_t chunks, int64_t threads)
      : Job(uint64_t(threads), 1), function_(function), used_(used), iterations_(iterations),
        chunks_(chunks), threads_(threads), settings_(settings),
        keepsArguments_(currentCallKeepsArguments()), failed_(chunks) {}

  void run(BlockRunner &, uint64_t begin, uint64_t end) noexcept override {
    for (uint64_t number = begin; number < end; ++number)
      runChunks(int64_t(number));
  }

  /// Runs chunks on the calling thread while other threads may run the rest.
  void runOnCallingThread() { runChunks(0); }
  /// Runs all chunks on the calling thread.
  void runAllChunks() {
    for (int64_t number = 0; number < threads_; ++number)
      runChunks(number);
  }

  void onFinished() noexcept override {
    std::lock_guard lock(mutex_);
    over_ = true;
    ended_.notify_one(); // with the lock held, because the waiting thread may destroy this object
  }

  /// Waits for the other threads and handles interrupts.
  void wait() {
    auto until = std::chrono::steady_clock::now() + searchPeriod;
    while (!over_ && std::chrono::steady_clock::now() < until)
      os::pauseProcessor();
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, interruptPeriod, [&] { return over_.load(); })) {
      bool isSet = interruptFlag() && !isStopped();
      if (!isSet)
        continue;
      lock.unlock();
      bool interrupted = runSignalHandlers();
      lock.lock();
      if (interrupted)
        stop();
    }
  }

  bool isStopped() const { return failed_ == stopped; }

  /// The outcome of the first chunk that raised; Returned if none did. Moves the values of its exception to the calling
  /// thread.
  Outcome takeOutcome() {
    valuesOfRaisedException().swap(raised_);
    return outcome_;
  }

private:
  struct Chunk {
    Loop *loop;
    int64_t number, first, last;
  };

  void runChunks(int64_t thread) {
    Settings own = std::exchange(settings, settings_);
    settings.number = thread;
    settings.inLoop = true;
    settings.chunkSize = 0; // as in numba, the setting applies only to the outer loop
    const Loop *around = std::exchange(currentLoop, this);
    if (hasOneChunkPerThread())
      runChunkUnlessTaken(thread);
    else
      for (int64_t next; (next = next_++) < failed_;)
        runChunk(next);
    settings = own;
    currentLoop = around;
  }

  /// True if each thread has exactly one chunk, as in numba: programs index arrays by thread number.
  bool hasOneChunkPerThread() const { return chunks_ == threads_ && chunks_ <= 64; }
  void runChunkUnlessTaken(int64_t number) {
    uint64_t bit = uint64_t(1) << number;
    if (number < failed_ && !(taken_.fetch_or(bit) & bit))
      runChunk(number);
  }

  void runChunk(int64_t number) {
    Chunk chunk{this, number, firstIterationOf(number), firstIterationOf(number + 1)};
    Outcome outcome = runAsCall(
        [](BlockContext *context, void *of) {
          const Chunk &c = *static_cast<const Chunk *>(of);
          c.loop->function_(context, c.loop->used_, c.number, c.first, c.last);
        },
        &chunk, nullptr, keepsArguments_);
    if (outcome.ending == Ending::Returned)
      return;
    std::lock_guard lock(mutex_);
    if (outcome.ending == Ending::Interrupted)
      return stop();
    if (number < failed_) {
      failed_ = number;
      outcome_ = outcome;
      raised_.swap(valuesOfRaisedException());
    }
  }

  /// Makes every thread end its part of the loop. Called with the lock held.
  void stop() {
    failed_ = stopped;
    outcome_ = {.ending = Ending::Interrupted};
    interruptFlag() = 1; // stays set until the loop is over
  }

  int64_t firstIterationOf(int64_t chunk) const {
    return int64_t(__int128(iterations_) * chunk / chunks_);
  }

  const ChunkFunction function_;
  void *const used_;
  const int64_t iterations_, chunks_, threads_;
  const Settings settings_;   ///< settings of the calling thread
  const bool keepsArguments_; ///< currentCallKeepsArguments() of the calling thread
  std::atomic<int64_t> next_{0};
  std::atomic<uint64_t> taken_{0}; ///< bit mask of started chunks, if each thread has one
  std::atomic<int64_t> failed_;    ///< the first chunk that raised; no later one starts
  std::mutex mutex_;
  std::condition_variable ended_;
  std::atomic<bool> over_{false};
  Outcome outcome_;
  std::vector<uint64_t> raised_;
};

/// Runs a loop on several threads and returns its outcome. Falls back to the calling thread if no threads are
/// available.
Outcome runOnSeveralThreads(ChunkFunction function, void *used, int64_t iterations,
                            int64_t chunks) {
  int64_t threads = std::min(threadCount(), chunks);
  Loop loop(function, used, iterations, chunks, threads);
  BlockRunner *runner = BlockRunner::ofThisThreadIfIdle();
  ThreadPool *pool = nullptr;
  try {
    pool = runner && threads > 1 ? &cpu::Scheduler::instance().workerPool() : nullptr;
  } catch (const std::exception &) {
  }
  if (!pool) {
    loop.runAllChunks();
    return loop.takeOutcome();
  }
  pool->enterJob(loop); // before a worker can end the job
  pool->submit(loop);
  loop.runOnCallingThread();
  pool->runChunksAndLeave(loop, *runner);
  loop.wait();
  return loop.takeOutcome();
}

} // namespace

bool isParallelLoopStopped() { return currentLoop && currentLoop->isStopped(); }

int64_t chunkCount(int64_t iterations) {
  if (iterations <= 0)
    return 0;
  if (settings.inLoop || threadCount() == 1)
    return 1;
  if (settings.chunkSize)
    return (iterations - 1) / settings.chunkSize + 1;
  return std::min(iterations, chunksPerThread * threadCount());
}

void runIterations(ChunkFunction function, void *used, int64_t iterations, int64_t chunks) {
  checkStack();
  if (chunks == 1)
    return function(currentContext(), used, 0, 0, iterations);
  if (chunks == 0)
    return;
  Outcome outcome = runOnSeveralThreads(function, used, iterations, chunks);
  if (outcome.ending != Ending::Returned)
    leaveCall(outcome);
}

bool runIterationsGuarded(ChunkFunction function, void *used, int64_t iterations, int64_t chunks) {
  checkStack();
  if (chunks == 0)
    return false;
  struct Whole {
    ChunkFunction function;
    void *used;
    int64_t iterations;
  } whole{function, used, iterations};
  auto runWhole = [](BlockContext *context, void *of) {
    const Whole &all = *static_cast<const Whole *>(of);
    all.function(context, all.used, 0, 0, all.iterations);
  };
  Outcome outcome = chunks == 1 ? runAsCall(runWhole, &whole, nullptr, currentCallKeepsArguments())
                                : runOnSeveralThreads(function, used, iterations, chunks);
  if (outcome.ending == Ending::Returned)
    return false;
  if (outcome.ending != Ending::Raised) // except clauses do not catch it
    leaveCall(outcome);
  recordOutcome(outcome);
  return true;
}

bool isInParallelLoop() { return settings.inLoop; }

int64_t maxThreads() {
  static const int64_t workers = ThreadPool::configuredWorkerCount();
  return workers;
}

int64_t threadCount() { return settings.threads ? settings.threads : maxThreads(); }
void setThreadCount(int64_t count) { settings.threads = count; }
int64_t threadNumber() { return settings.number; }
int64_t chunkSize() { return settings.chunkSize; }
void setChunkSize(int64_t iterations) { settings.chunkSize = iterations; }

SerialLoops::SerialLoops() : before_(std::exchange(settings.inLoop, true)) {}
SerialLoops::~SerialLoops() { settings.inLoop = before_; }

} // namespace heddle::host
