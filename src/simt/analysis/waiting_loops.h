// Loops in which a thread waits until another one has written to memory: locks, flags, counters that blocks count up.
#pragma once

#include "llvm/Analysis/LoopInfo.h"

namespace heddle::simt {

/// The block at the end of a way through the loop on which nothing changes, so that the thread goes it again and again
/// until the memory that it reads is written; null when there is none:
///
///   - what decides on that way which way to go depends on memory outside the thread: on a load, or on an atomic that
///     changes nothing when it is repeated (the exchange of a lock, a compare-and-swap with the same operands, adding 0);
///   - the values that it depends on and that the loop carries from round to round may stay what they are;
///   - nothing on the way writes to what it reads, and no barrier of the block is on it.
///
/// So a loop that counts, that walks along a list, or that repeats a compare-and-swap with the value it has just read
/// does not wait. Ways through large loops are tried shortest first, up to a limit.
llvm::BasicBlock *endOfWaiting(const llvm::Loop &loop);

} // namespace heddle::simt
