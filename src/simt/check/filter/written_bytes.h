// Proofs that threads have written shared memory before they read it.
#pragma once

#include "simt/analysis/address_decoder.h"
#include "simt/analysis/barrier_intervals.h"
#include "simt/check/memory_accesses.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace heddle::simt {

/// Returns true if each block has written all bytes of a shared variable before one of its threads reads it at
/// `reader`. Considers writes that all threads of the block run before it, at addresses that depend only on the index
/// of the thread in its block. If there may be no barrier between a write and the reader, a thread must read its own
/// bytes. Adds the conditions of the proof.
bool isWrittenBeforeRead(const llvm::Value &variable, uint64_t bytes,
                         llvm::ArrayRef<MemoryAccess> accesses, const MemoryAccess &reader,
                         const LaunchFacts &facts, const BarrierIntervals &intervals,
                         ProofConditions &conditions);

} // namespace heddle::simt
