// Blocks of device heaps: memory that kernels allocate by malloc or new, and its leaks.
#pragma once

#include "runtime/cpu/check/findings.h"

#include <optional>

namespace heddle::cpu {

/// The memory of a block that malloc has returned.
struct HeapMemory {
  uint64_t address = 0, bytes = 0;
};

/// A block, and the bytes that the program has requested. The block has at least as many.
struct FoundHeapBlock {
  HeapMemory requested;
  bool isFreed;
};

/// Records a block of the heap at address `heap`. The block is identified by the address of its header. A heap outlives
/// its launches. leak: the finding to report if no launch frees the block.
void addHeapBlock(uint64_t heap, uint64_t header, HeapMemory memory, Finding leak);
/// Records how many bytes the program has requested, if a block's memory begins at the address.
void setRequestedBytes(uint64_t address, uint64_t bytes);
/// The block whose header or memory contains an address.
std::optional<FoundHeapBlock> findHeapBlock(uint64_t address);
/// Forgets the blocks of the heap at this address, because its program is being unloaded.
void forgetBlocksOfHeap(uint64_t heap);
/// Forgets the block with its header at an address, and returns its memory; no bytes if there is no such block.
HeapMemory removeHeapBlock(uint64_t header);
/// True if an address is in the memory of a block.
bool isInHeapBlock(uint64_t address);

/// The number of blocks recorded so far.
uint64_t countHeapBlocksEverAdded();
/// Reports the blocks that are still allocated, except the first `count` recorded ones, and forgets the reported
/// blocks.
void reportLeaksSince(uint64_t count);

} // namespace heddle::cpu
