// Blocks of device heaps: memory that kernels allocate by malloc or new, and its leaks.
#pragma once

#include "runtime/cpu/check/findings.h"

namespace heddle::cpu {

/// The memory of a block that malloc has returned.
struct HeapMemory {
  uint64_t address = 0, bytes = 0;
};

/// Records a block of a device heap, which outlives its launch, by the address of its header. leak: the finding to report
/// if no launch frees the block.
void addHeapBlock(uint64_t header, HeapMemory memory, Finding leak);
/// Forgets the block with its header at an address, and returns its memory; no bytes if there is no such block.
HeapMemory removeHeapBlock(uint64_t header);
/// True if an address is in the memory of a block.
bool isInHeapBlock(uint64_t address);
/// True if an address in a heap is in the memory of a block that has been freed and not allocated again.
bool isInFreedHeapBlock(uint64_t address);

/// The number of blocks recorded so far.
uint64_t countHeapBlocks();
/// Reports the blocks that are still allocated, except the first `count` recorded ones, and forgets the reported
/// blocks.
void addLeaks(uint64_t count);

} // namespace heddle::cpu
