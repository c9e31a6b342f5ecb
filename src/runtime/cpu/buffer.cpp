#include "runtime/cpu/buffer.h"

#include "support/diagnostic.h"

#include <cstdlib>

namespace heddle::cpu {

namespace {

/// From this size on, allocations check the available memory. The system would overcommit and kill the process on use;
/// smaller allocations fail by themselves.
constexpr size_t checkedBytes = size_t(16) << 20;

/// Padding after each allocation, as much as a block of 1024 threads writes to doubles. On a GPU a kernel that omits
/// the index check usually overwrites unused memory past the array without effect.
constexpr size_t slack = 8192;

[[noreturn]] void throwOutOfMemory(size_t bytes, uint64_t free) {
  throw CompileError(ErrorKind::Memory, "cannot allocate " + std::to_string(bytes) +
                                            " bytes: " + std::to_string(free) + " bytes are free");
}

} // namespace

void CpuAllocations::add(const void *start, size_t bytes) {
  std::lock_guard lock(mutex_);
  sizes_.emplace(static_cast<const char *>(start), bytes);
  inUse_ += bytes;
}

void CpuAllocations::remove(const void *start) {
  std::lock_guard lock(mutex_);
  auto found = sizes_.find(static_cast<const char *>(start));
  inUse_ -= found->second;
  sizes_.erase(found);
}

bool CpuAllocations::contains(const void *address) const {
  std::lock_guard lock(mutex_);
  auto *byte = static_cast<const char *>(address);
  auto after = sizes_.upper_bound(byte);
  return after != sizes_.begin() && byte < std::prev(after)->first + std::prev(after)->second;
}

CpuBuffer::CpuBuffer(Device &device, size_t bytes, CpuAllocations &allocations)
    : device_(device), bytes_(bytes), allocations_(allocations) {
  if (bytes >= checkedBytes) {
    uint64_t free = device.memory().free;
    if (bytes > free)
      throwOutOfMemory(bytes, free);
  }
  size_t whole = (bytes + alignment - 1) / alignment * alignment + slack;
  address_ = std::aligned_alloc(alignment, whole);
  if (!address_)
    throwOutOfMemory(bytes, device.memory().free);
  try {
    allocations_.add(address_, bytes_);
  } catch (...) {
    std::free(address_);
    throw;
  }
}

CpuBuffer::~CpuBuffer() {
  allocations_.remove(address_);
  std::free(address_);
}

} // namespace heddle::cpu
