// Loops whose iterations several threads run.
#pragma once

#include <cstdint>

namespace heddle::cpu {
struct BlockContext;
}

namespace heddle::host {

/// True if this thread runs iterations of a loop that an interrupt has stopped.
bool isLoopStopped();

/// Runs iterations `first` to `last` of a loop, which form chunk number `chunk`.
using ChunkFunction = void (*)(cpu::BlockContext *context, void *used, int64_t chunk, int64_t first,
                               int64_t last);

/// The number of chunks for a loop: several per thread, so that a slow thread delays nobody; one within another
/// parallel loop. Depends only on the numbers of iterations and threads. Partial results are combined in the order of
/// the chunks, so results are reproducible.
int64_t chunkCount(int64_t iterations);

/// Runs all chunks on the calling thread and the CPU device's workers. After a chunk raises, later chunks do not start;
/// the first chunk in loop order that raised ends the caller's call.
void runIterations(ChunkFunction function, void *used, int64_t iterations, int64_t chunks);

/// Like runIterations(), inside a try block. Returns true if a chunk has raised, and records the outcome (recordOutcome).
bool runIterationsGuarded(ChunkFunction function, void *used, int64_t iterations, int64_t chunks);

/// True if this thread runs iterations of a parallel loop.
bool isInLoop();
/// The number of threads for this thread's parallel loops, and the maximum.
int64_t threadCount();
int64_t maxThreads();
/// `count` must be in [1, maxThreads()].
void setThreadCount(int64_t count);
/// This thread's number among those that run a parallel loop; 0 outside.
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
