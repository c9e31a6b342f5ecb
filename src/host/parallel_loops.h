// Loops whose rounds several threads run.
#pragma once

#include <cstdint>

namespace heddle::cpu {
struct BlockContext;
}

namespace heddle::host {

/// Whether this thread runs rounds of a loop that an interrupt has stopped.
bool isLoopStopped();

/// A function that runs the rounds `first` to `last` of a loop, which are number `chunk`.
using ChunkFunction = void (*)(cpu::BlockContext *context, void *used, int64_t chunk, int64_t first,
                               int64_t last);

/// In how many chunks a loop of so many rounds is run: some for each thread, so that a slow one holds nobody up; one within
/// another such loop. It depends on the numbers of rounds and of threads alone, and partial results are combined in the
/// chunks' order: results are the same each time.
int64_t chunksFor(int64_t rounds);

/// Runs all chunks, by the calling thread and the workers of the CPU device. A chunk that raises keeps those after it from
/// starting; the first in the loop's order that has raised ends the caller's call.
void runRounds(ChunkFunction function, void *used, int64_t rounds, int64_t chunks);

/// The same where exceptions are caught: whether a chunk has raised. What it was is noted (noteOutcome).
bool runRoundsGuarded(ChunkFunction function, void *used, int64_t rounds, int64_t chunks);

/// Whether this thread runs rounds of a loop.
bool isInLoop();
/// How many threads run a loop that this thread comes to, and how many can.
int64_t threadCount();
int64_t mostThreads();
/// `count` is 1 to mostThreads().
void setThreadCount(int64_t count);
/// This thread's number among those that run a loop; 0 outside.
int64_t threadNumber();

/// How many rounds a chunk has, for loops that this thread comes to; 0 leaves it to chunksFor.
int64_t chunkSize();
void setChunkSize(int64_t rounds);

/// While it lives, this thread runs the loops that it comes to alone.
class AloneInLoops {
public:
  AloneInLoops();
  AloneInLoops(const AloneInLoops &) = delete;
  ~AloneInLoops();

private:
  bool before_;
};

} // namespace heddle::host
