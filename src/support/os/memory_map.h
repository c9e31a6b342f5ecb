// Maps memory, and queries the mapped memory of the process.
#pragma once

#include <cstdint>
#include <optional>

namespace heddle {

/// The addresses [first, end).
struct AddressRange {
  uint64_t first, end;
};

/// The largest range around the address in which every byte is readable, and also writable if `writable` is set;
/// nullopt if the address itself is not. Returns the whole address space if the operating system cannot tell.
std::optional<AddressRange> findMappedRange(uint64_t address, bool writable);

/// True if every byte in [first, end) is readable, and also writable if `writable` is set. Returns true for an empty
/// range, and if the operating system cannot tell.
bool isMappedMemory(uint64_t first, uint64_t end, bool writable);

/// Maps zero-filled memory, in huge pages if available. Returns null if memory is exhausted.
void *mapMemory(uint64_t bytes);

void unmapMemory(void *memory, uint64_t bytes);

} // namespace heddle
