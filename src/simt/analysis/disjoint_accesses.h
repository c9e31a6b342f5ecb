// Proofs that threads, or iterations of a loop, access disjoint parts of an array.
#pragma once

#include "simt/analysis/polynomial.h"
#include "simt/launch_facts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace heddle::simt {

struct AccessedBytes {
  const llvm::Instruction *by;
  const llvm::Value *address;
  uint64_t bytes;
};

/// Returns true if no two threads of a launch, or of a block if the object is in shared memory, access the same byte of
/// the object.
///
/// An address is written as a sum of products of indices, parameters and other values. It is decoded like the linear
/// index of a matrix element: if the address is `A * E + B`, with 0 <= B < E at every access, it determines A and B. An
/// index of a thread or block with a constant factor is determined by its product. The proof succeeds if the same
/// decoding of all accesses determines all indices of the thread and its block:
///
///     a[i], a[i + n * gridsize]               i = blockIdx.x * blockDim.x + threadIdx.x
///     m[y, x], image[y * width + x]           if x < width is checked
///     rows[i, j], fields[6 * i + 2]           for any j that is checked
///     if (threadIdx.x == 0) sums[blockIdx.x]
///
/// The proof holds under the assumptions that are added to `build`.
bool haveDisjointThreads(const llvm::Value &object, llvm::ArrayRef<AccessedBytes> accesses,
                         const LaunchFacts &facts, const llvm::DominatorTree &dominators,
                         PolynomialBuilder &build);

/// Returns true if no two iterations of a loop in which `counter` differs access the same byte of the object. Other
/// threads may run these iterations. Values from outside of the loop must be the same for all of them.
bool haveDisjointIterations(const llvm::Value &object, llvm::ArrayRef<AccessedBytes> accesses,
                            const llvm::Loop &loop, const llvm::Value &counter,
                            const llvm::DominatorTree &dominators);

} // namespace heddle::simt
