#include "support/os/memory_map.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/mman.h>

namespace heddle {

std::optional<AddressRange> findMappedRange(uint64_t address, bool writable) {
  std::ifstream maps("/proc/self/maps");
  if (!maps)
    return AddressRange{0, ~uint64_t(0)};
  // A line begins with "55f0c000-55f0d000 rw-p"; lines are sorted by address.
  AddressRange range{0, 0};
  for (std::string line; std::getline(maps, line);) {
    char *at;
    uint64_t low = std::strtoull(line.c_str(), &at, 16);
    uint64_t high = std::strtoull(at + 1, &at, 16);
    if (at[1] != 'r' || (writable && at[2] != 'w'))
      continue;
    if (low != range.end) {
      if (low > address)
        break;
      range.first = low;
    }
    range.end = high;
  }
  if (address < range.first || address >= range.end)
    return std::nullopt;
  return range;
}

bool isMappedMemory(uint64_t first, uint64_t end, bool writable) {
  if (first >= end)
    return true;
  std::optional<AddressRange> range = findMappedRange(first, writable);
  return range && end <= range->end;
}

void *mapMemory(uint64_t bytes) {
  void *memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
#ifdef MADV_HUGEPAGE
  madvise(memory, bytes, MADV_HUGEPAGE); // only a hint
#endif
  return memory;
}

void unmapMemory(void *memory, uint64_t bytes) { munmap(memory, bytes); }

} // namespace heddle
