#include "support/os/memory_map.h"

#include <cstdlib>
#include <fstream>
#include <string>

namespace heddle {

bool isMappedMemory(uint64_t first, uint64_t end, bool writable) {
  if (first >= end)
    return true;
  std::ifstream maps("/proc/self/maps");
  if (!maps)
    return true;
  // A line begins with "55f0c000-55f0d000 rw-p"; lines are sorted by address.
  uint64_t known = first;
  for (std::string line; known < end && std::getline(maps, line);) {
    char *at;
    uint64_t low = std::strtoull(line.c_str(), &at, 16);
    uint64_t high = std::strtoull(at + 1, &at, 16);
    bool allowed = at[1] == 'r' && (!writable || at[2] == 'w');
    if (allowed && low <= known && known < high)
      known = high;
  }
  return known >= end;
}

} // namespace heddle
