#include "runtime/cpu/check/heap_leaks.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

namespace heddle::cpu {

namespace {

struct HeapBlock {
  uint64_t number;
  Finding leak;
};

std::mutex heapMutex;
uint64_t heapBlockCount = 0;
std::unordered_map<uint64_t, HeapBlock> heapBlocks; ///< by address

} // namespace

void addHeapBlock(uint64_t address, Finding leak) {
  std::lock_guard lock(heapMutex);
  heapBlocks.insert_or_assign(address, HeapBlock{heapBlockCount++, std::move(leak)});
}

void removeHeapBlock(uint64_t address) {
  std::lock_guard lock(heapMutex);
  heapBlocks.erase(address);
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
