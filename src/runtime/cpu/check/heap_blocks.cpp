#include "runtime/cpu/check/heap_blocks.h"

#include "runtime/cpu/check/allocation_definedness.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace heddle::cpu {

namespace {

struct HeapBlock {
  uint64_t number;
  HeapMemory memory;
  Finding leak;
};

std::mutex heapMutex;
uint64_t heapBlockCount = 0;
std::map<uint64_t, HeapBlock> heapBlocks;   ///< by the address of the header
std::map<uint64_t, HeapMemory> freedBlocks; ///< the same, for freed blocks
uint64_t uncheckedBefore = 0; ///< launches that were not checked when `freedBlocks` was last used

/// The memory of the block at an address; no bytes if the address is in none. memoryOf: of an element of `blocks`.
template <class Blocks, class MemoryOf>
HeapMemory findMemory(const Blocks &blocks, uint64_t address, MemoryOf memoryOf) {
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin())
    return {};
  HeapMemory memory = memoryOf(std::prev(after)->second);
  return address - memory.address < memory.bytes ? memory : HeapMemory();
}

/// Launches that are not checked may allocate the freed blocks again.
void forgetOldFreedBlocks() {
  uint64_t launches = uncheckedLaunches;
  if (std::exchange(uncheckedBefore, launches) != launches)
    freedBlocks.clear();
}

} // namespace

void addHeapBlock(uint64_t header, HeapMemory memory, Finding leak) {
  std::lock_guard lock(heapMutex);
  heapBlocks.insert_or_assign(header, HeapBlock{heapBlockCount++, memory, std::move(leak)});
  freedBlocks.erase(header);
}

HeapMemory removeHeapBlock(uint64_t header) {
  std::lock_guard lock(heapMutex);
  auto removed = heapBlocks.extract(header);
  if (!removed)
    return {};
  forgetOldFreedBlocks();
  freedBlocks[header] = removed.mapped().memory;
  return removed.mapped().memory;
}

bool isInHeapBlock(uint64_t address) {
  std::lock_guard lock(heapMutex);
  return findMemory(heapBlocks, address, [](const HeapBlock &b) { return b.memory; }).bytes > 0;
}

bool isInFreedHeapBlock(uint64_t address) {
  std::lock_guard lock(heapMutex);
  forgetOldFreedBlocks();
  return findMemory(freedBlocks, address, [](const HeapMemory &m) { return m; }).bytes > 0;
}

uint64_t countHeapBlocks() {
  std::lock_guard lock(heapMutex);
  return heapBlockCount;
}

void addLeaks(uint64_t count) {
  std::vector<HeapBlock> left;
  {
    std::lock_guard lock(heapMutex);
    std::erase_if(heapBlocks, [&](auto &entry) {
      bool isNew = entry.second.number >= count;
      if (isNew)
        left.push_back(std::move(entry.second));
      return isNew;
    });
  }
  std::ranges::sort(left, {}, &HeapBlock::number);
  std::vector<Finding> leaks;
  for (HeapBlock &block : left)
    leaks.push_back(std::move(block.leak));
  addFindings(std::move(leaks));
}

} // namespace heddle::cpu
