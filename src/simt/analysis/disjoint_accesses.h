// Proofs that threads, or iterations of a loop, access disjoint parts of an array.
#pragma once

#include "simt/analysis/address_decoder.h"
#include "simt/analysis/barrier_intervals.h"
#include "simt/launch_facts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace heddle::simt {

/// The accesses of an object at which threads of a launch, or of a block if the object is in shared memory, may race.
struct RaceProofs {
  llvm::SmallVector<bool> mayRace; ///< by access
  ProofConditions conditions;
};

/// Two accesses race if one of them writes, not both are atomic, barriers do not order them, and two threads may access
/// the same byte.
///
/// An address is written as a sum of products of indices, parameters and other values. It is decoded like the linear
/// index of a matrix element: if the address is `A * E + B`, with 0 <= B < E at every access, it determines A and B. An
/// index of a thread or block with a constant factor is determined by its product. Threads access different bytes if
/// the same decoding of both accesses determines all indices of the thread and its block:
///
///     a[i], a[i + n * gridsize]               i = blockIdx.x * blockDim.x + threadIdx.x
///     m[y, x], image[y * width + x]           if x < width is checked
///     rows[i, j], fields[6 * i + 2]           for any j that is checked
///     s[half * (2 * t + 1)]                   if half > 0, and all threads have the same half
///     if (threadIdx.x == 0) sums[blockIdx.x]
///
/// They also access different bytes if A or B of one access is the same for all threads, as in the row and the column
/// of a pivot, and that of the other access is different. The kernel tests this condition.
RaceProofs findPossibleRaces(const llvm::Value &object, llvm::ArrayRef<AccessedBytes> accesses,
                             const LaunchFacts &facts, const llvm::DominatorTree &dominators,
                             const BarrierIntervals &intervals);

/// Returns true if no two iterations of a loop in which `counter` differs access the same byte of the object, and one
/// of them writes it. Other threads may run these iterations. Values from outside the loop must be the same for all of
/// them. The proof has no conditions.
bool haveDisjointIterations(const llvm::Value &object, llvm::ArrayRef<AccessedBytes> accesses,
                            const llvm::Loop &loop, const llvm::Value &counter,
                            const llvm::DominatorTree &dominators);

} // namespace heddle::simt
