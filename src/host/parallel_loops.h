// Parallel loops, whose iterations are divided among threads.
#pragma once

#include <cstdint>

namespace heddle::cpu {
struct BlockContext;
}

namespace heddle::host {

/// True if this thread is in a parallel loop that an interrupt has stopped.
bool isParallelLoopStopped();

/// Runs iterations [first, last) of a loop, which form chunk number `chunk`. `used` points to the values that the loop
/// reads.
using ChunkFunction = void (*)(cpu::BlockContext *context, void *used, int64_t chunk, int64_t first,
                               int64_t last);

/// The number of chunks for a loop: iterations / chunkSize() rounded up, or by default several per thread to balance
/// the load; 1 for a nested parallel loop. It does not depend on timing, and partial results are combined in the order
/// of the chunks, so results are reproducible.
int64_t chunkCount(int64_t iterations);

/// Runs all chunks on the calling thread and the CPU device's worker threads. After a chunk raises, no further chunk
/// starts. The first raising chunk in loop order then ends the caller's call.
void runIterations(ChunkFunction function, void *used, int64_t iterations, int64_t chunks);

/// Like runIterations(), for loops in a try block: if a chunk raises an exception, records the outcome (recordOutcome)
/// and returns true. Other failures, such as exhausted memory, end the call.
bool runIterationsGuarded(ChunkFunction function, void *used, int64_t iterations, int64_t chunks);

/// True if this thread runs iterations of a parallel loop.
bool isInParallelLoop();
/// The number of threads that run this thread's parallel loops, and its maximum.
int64_t threadCount();
int64_t maxThreads();
/// `count` must be in [1, maxThreads()].
void setThreadCount(int64_t count);
/// This thread's index among the threads that run its parallel loop; 0 outside parallel loops.
int64_t threadNumber();

/// Iterations per chunk for this thread's parallel loops; 0 lets chunkCount() decide.
int64_t chunkSize();
void setChunkSize(int64_t iterations);

/// Makes this thread run parallel loops alone while the object lives.
class SerialLoops {
public:
  SerialLoops();
  SerialLoops(const SerialLoops &) = delete;
  ~SerialLoops();

private:
  bool before_;
};

} // namespace heddle::host
