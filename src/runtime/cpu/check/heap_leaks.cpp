#include "runtime/cpu/check/heap_leaks.h"

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
std::map<uint64_t, HeapBlock> heapBlocks; ///< by the address of the header

} // namespace

void addHeapBlock(uint64_t header, HeapMemory memory, Finding leak) {
  std::lock_guard lock(heapMutex);
  heapBlocks.insert_or_assign(header, HeapBlock{heapBlockCount++, memory, std::move(leak)});
}

HeapMemory removeHeapBlock(uint64_t header) {
  std::lock_guard lock(heapMutex);
  auto removed = heapBlocks.extract(header);
  return removed ? removed.mapped().memory : HeapMemory();
}

bool isInHeapBlock(uint64_t address) {
  std::lock_guard lock(heapMutex);
  auto after = heapBlocks.upper_bound(address);
  if (after == heapBlocks.begin())
    return false;
  const HeapMemory &memory = std::prev(after)->second.memory;
  return address - memory.address < memory.bytes;
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
