#include "runtime/cpu/buffer.h"

#include "runtime/cpu/check/streams/stream_history.h"
#include "simt/check/checking.h"
#include "support/diagnostic.h"

#include <algorithm>
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

void CpuAllocations::add(const void *start, size_t bytes, bool isTracked) {
  std::lock_guard lock(mutex_);
  AllocationDefinedness definedness(reinterpret_cast<uint64_t>(start), bytes, isTracked);
  allocations_.emplace(static_cast<const char *>(start), Allocation{bytes, std::move(definedness)});
  inUse_ += bytes;
}

void CpuAllocations::remove(const void *start) {
  std::lock_guard lock(mutex_);
  auto found = allocations_.find(static_cast<const char *>(start));
  inUse_ -= found->second.bytes;
  allocations_.erase(found);
}

bool CpuAllocations::isHostMemory(uint64_t address) {
  std::lock_guard lock(mutex_);
  bool isTracked = true;
  visitRange(address, 1, [&](Allocation &allocation, uint64_t, uint64_t) {
    isTracked = allocation.definedness.isTracked();
  });
  return !isTracked;
}

bool CpuAllocations::contains(const void *address) const {
  std::lock_guard lock(mutex_);
  auto *byte = static_cast<const char *>(address);
  auto after = allocations_.upper_bound(byte);
  return after != allocations_.begin() &&
         byte < std::prev(after)->first + std::prev(after)->second.bytes;
}

template <class Visit>
bool CpuAllocations::visitRange(uint64_t address, uint64_t bytes, Visit visit) {
  auto after = allocations_.upper_bound(reinterpret_cast<const char *>(address));
  if (after == allocations_.begin())
    return false;
  auto &[first, allocation] = *std::prev(after);
  uint64_t offset = address - reinterpret_cast<uint64_t>(first);
  if (offset >= allocation.bytes)
    return false;
  visit(allocation, address, std::min<uint64_t>(bytes, allocation.bytes - offset));
  return true;
}

uint64_t CpuAllocations::countBytesFrom(uint64_t address) {
  std::lock_guard lock(mutex_);
  uint64_t count = 0;
  visitRange(address, UINT64_MAX,
             [&](const Allocation &, uint64_t, uint64_t bytes) { count = bytes; });
  return count;
}

void CpuAllocations::define(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  visitRange(address, bytes, [](Allocation &allocation, uint64_t from, uint64_t length) {
    allocation.definedness.define(from, simt::isChecking ? length : allocation.bytes);
  });
}

bool CpuAllocations::forget(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  return visitRange(address, bytes, [](Allocation &allocation, uint64_t from, uint64_t length) {
    if (simt::isChecking || length == allocation.bytes)
      allocation.definedness.forget(from, length);
  });
}

void CpuAllocations::appendUndefined(uint64_t address, uint64_t bytes,
                                     std::vector<UndefinedBytes::Range> &ranges) {
  std::lock_guard lock(mutex_);
  visitRange(address, bytes, [&](Allocation &allocation, uint64_t from, uint64_t length) {
    allocation.definedness.appendUndefined(from, length, ranges);
  });
}

void CpuAllocations::copyDefinedness(uint64_t to, uint64_t from, uint64_t bytes) {
  std::vector<UndefinedBytes::Range> undefined;
  if (simt::isChecking)
    appendUndefined(from, bytes, undefined);
  define(to, bytes);
  for (auto [address, length] : undefined)
    forget(address - from + to, length);
}

CpuBuffer::CpuBuffer(Device &device, size_t bytes, MemoryKind kind, CpuAllocations &allocations)
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
    allocations_.add(address_, bytes_, /*isTracked=*/kind == MemoryKind::Device);
  } catch (...) {
    std::free(address_);
    throw;
  }
}

CpuBuffer::~CpuBuffer() {
  allocations_.remove(address_);
  if (simt::isChecking)
    StreamHistory::instance().forgetMemory(reinterpret_cast<uint64_t>(address_), bytes_);
  std::free(address_);
}

} // namespace heddle::cpu
