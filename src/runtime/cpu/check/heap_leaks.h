// Leaks of device heaps: memory from malloc or new in kernels that no launch frees.
#pragma once

#include "runtime/cpu/check/findings.h"

namespace heddle::cpu {

/// Records a block of a heap. leak: the finding if no launch frees the block. The block outlives its launch.
void addHeapBlock(uint64_t address, Finding leak);
/// Forgets the block at an address, if there is one.
void removeHeapBlock(uint64_t address);

/// The number of blocks recorded so far.
uint64_t countHeapBlocks();
/// Adds the findings of the blocks that were recorded after the first `count` ones and are still allocated, and forgets
/// these blocks.
void addLeaks(uint64_t count);

} // namespace heddle::cpu
