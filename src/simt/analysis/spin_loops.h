// Spin loops, in which a thread waits until another thread writes memory: locks, flags, counters of arrived blocks.
#pragma once

#include "llvm/Analysis/LoopInfo.h"

namespace heddle::simt {

/// The end of a path around a spin loop; false if there is none.
struct SpinPathEnd {
  llvm::BasicBlock *block = nullptr; ///< the path's last block
  bool hasPollLimit = false;         ///< a counter or the clock limits the number of polls

  explicit operator bool() const { return block; }
};

/// Finds a path around the loop on which nothing changes, so that the thread repeats it until the memory that it reads
/// is written:
///
///   - the branches on the path depend on memory outside the thread: on a load, or on an atomic that changes nothing
///     when repeated (the exchange of a lock, a compare-and-swap with the same operands, adding 0) or that a second
///     atomic undoes. They may also depend on the clock;
///   - the loop-carried values that the branches depend on may stay unchanged, or the path computes them anew from
///     unchanged values and memory, one of whose reads must be volatile or atomic. A counter may limit the number of
///     polls;
///   - the path does not change the memory that it reads. It may store the same value to the same address in each
///     iteration, such as a copy of the memory that it waits for;
///   - it contains no block barrier, unless a read outside shared memory is volatile or atomic: then the thread may
///     wait for another block. Its result may reach the branches through a shared variable.
///
/// An atomic that replaces one constant by another, as for a lock, may visit another element in each iteration.
///
/// If the branches depend on values of inner loops, one of the reads must be volatile or atomic, because an outer loop
/// without such a read usually repeats a computation instead of waiting. Inner loops may write global memory that they
/// read. Those without effects may delay each poll by another number of iterations.
///
/// A loop that counts, traverses a list, or repeats a compare-and-swap with the value it has just read is therefore not
/// a spin loop. In large loops, the shortest paths are tried first, up to a limit.
SpinPathEnd findSpinPathEnd(const llvm::Loop &loop);

} // namespace heddle::simt
