// Finds leaks in device heaps: memory from malloc or new in kernels that no launch frees.
#pragma once

#include "runtime/cpu/check/findings.h"

namespace heddle::cpu {

/// Records a block of a device heap, which outlives its launch. leak: the finding to report if no launch frees the
/// block.
void addHeapBlock(uint64_t address, Finding leak);
/// Forgets the block at an address, if there is one.
void removeHeapBlock(uint64_t address);

/// The number of blocks recorded so far.
uint64_t countHeapBlocks();
/// Reports the blocks that are still allocated, except the first `count` recorded ones, and forgets the reported
/// blocks.
void addLeaks(uint64_t count);

} // namespace heddle::cpu
