#include "runtime/cpu/check/heap_blocks.h"

#include "runtime/cpu/check/allocation_definedness.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace heddle::cpu {

namespace {

struct HeapBlock {
  uint64_t number;
  uint64_t heap; ///< its address; 0 if the program is unloaded
  HeapMemory memory;
  uint64_t requested; ///< bytes
  Finding leak;
};

using HeapBlocks = std::map<uint64_t, HeapBlock>; ///< by the address of the header

std::mutex heapMutex;
std::atomic<uint64_t> heapBlockCount{0};
HeapBlocks heapBlocks, freedBlocks;
uint64_t uncheckedBefore = 0; ///< launches that were not checked when the blocks were last used

/// The block whose header or memory contains an address; null if there is none.
HeapBlock *findBlock(HeapBlocks &blocks, uint64_t address) {
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin())
    return nullptr;
  HeapBlock &block = std::prev(after)->second;
  bool isInside = block.heap && address < block.memory.address + block.memory.bytes;
  return isInside ? &block : nullptr;
}

/// Launches that are not checked may allocate the freed blocks again, and free and allocate the others.
void forgetUncheckedChanges() {
  uint64_t launches = uncheckedLaunches;
  if (std::exchange(uncheckedBefore, launches) == launches)
    return;
  freedBlocks.clear();
  for (auto &[header, block] : heapBlocks)
    block.requested = block.memory.bytes;
}

} // namespace

void addHeapBlock(uint64_t heap, uint64_t header, HeapMemory memory, Finding leak) {
  std::lock_guard lock(heapMutex);
  forgetUncheckedChanges();
  heapBlocks.insert_or_assign(
      header, HeapBlock{heapBlockCount++, heap, memory, memory.bytes, std::move(leak)});
  freedBlocks.erase(header);
}

void setRequestedBytes(uint64_t address, uint64_t bytes) {
  if (!heapBlockCount)
    return;
  std::lock_guard lock(heapMutex);
  HeapBlock *block = findBlock(heapBlocks, address);
  if (block && block->memory.address == address)
    block->requested = bytes;
}

std::optional<FoundHeapBlock> findHeapBlock(uint64_t address) {
  if (!heapBlockCount)
    return std::nullopt;
  std::lock_guard lock(heapMutex);
  forgetUncheckedChanges();
  for (HeapBlocks *blocks : {&heapBlocks, &freedBlocks})
    if (HeapBlock *block = findBlock(*blocks, address))
      return FoundHeapBlock{{block->memory.address, block->requested}, blocks == &freedBlocks};
  return std::nullopt;
}

void forgetBlocksOfHeap(uint64_t heap) {
  if (!heapBlockCount)
    return;
  std::lock_guard lock(heapMutex);
  std::erase_if(freedBlocks, [&](const auto &entry) { return entry.second.heap == heap; });
  for (auto &[header, block] : heapBlocks)
    if (block.heap == heap)
      block.heap = 0;
}

HeapMemory removeHeapBlock(uint64_t header) {
  std::lock_guard lock(heapMutex);
  auto removed = heapBlocks.extract(header);
  if (!removed)
    return {};
  forgetUncheckedChanges();
  HeapMemory memory = removed.mapped().memory;
  freedBlocks.insert(std::move(removed));
  return memory;
}

bool isInHeapBlock(uint64_t address) {
  std::lock_guard lock(heapMutex);
  const HeapBlock *block = findBlock(heapBlocks, address);
  return block && block->memory.address <= address;
}

uint64_t countHeapBlocksEverAdded() { return heapBlockCount; }

void reportLeaksSince(uint64_t count) {
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
