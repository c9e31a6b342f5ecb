#include "runtime/cpu/buffer.h"

#include "runtime/cpu/check/streams/stream_history.h"
#include "runtime/cpu/queue/scheduler.h"
#include "simt/check/checking.h"
#include "support/diagnostic.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace heddle::cpu {

namespace {

/// From this size on, allocations check the available memory. The system would overcommit and kill the process on use;
/// smaller allocations fail by themselves.
constexpr size_t checkedBytes = size_t(16) << 20;

/// While launches are checked, freed memory up to this size is kept from reuse, so that uses of it are found.
constexpr uint64_t maxFreedBytes = uint64_t(64) << 20;

uint64_t sizeOfRange(AddressRange range) { return range.end - range.first; }

/// The entry of the buffer that contains an address, or the end.
template <class Buffers> auto findBuffer(Buffers &buffers, uint64_t address) {
  auto after = buffers.upper_bound(address);
  bool isInside = after != buffers.begin() && address < std::prev(after)->second.bytes.end;
  return isInside ? std::prev(after) : buffers.end();
}

bool isInOrNearBuffer(AddressRange buffer, uint64_t address) {
  return buffer.first - CpuAllocations::headroom <= address &&
         address < buffer.end + CpuAllocations::slack;
}

[[noreturn]] void throwOutOfMemory(size_t bytes, uint64_t free) {
  throw CompileError(ErrorKind::Memory, "cannot allocate " + std::to_string(bytes) +
                                            " bytes: " + std::to_string(free) + " bytes are free");
}

} // namespace

void CpuAllocations::add(const void *start, size_t bytes, bool isTracked) {
  std::lock_guard lock(mutex_);
  auto first = reinterpret_cast<uint64_t>(start);
  AllocationDefinedness definedness(first, bytes, isTracked);
  allocations_.emplace(first, Allocation{{first, first + bytes}, std::move(definedness)});
  inUse_ += bytes;
}

void CpuAllocations::removeAndFreeLater(const void *start, void *memory) {
  std::lock_guard lock(mutex_);
  auto found = allocations_.find(reinterpret_cast<uint64_t>(start));
  AddressRange bytes = found->second.bytes;
  inUse_ -= sizeOfRange(bytes);
  allocations_.erase(found);
  freed_.push_back({bytes, memory});
  freedBytes_ += sizeOfRange(bytes);
  while (!freed_.empty() && (!simt::isChecking || freedBytes_ > maxFreedBytes))
    releaseOldestFreed();
}

void CpuAllocations::releaseOldestFreed() {
  const Freed &oldest = freed_.front();
  freedBytes_ -= sizeOfRange(oldest.bytes);
  std::free(oldest.memory);
  freed_.pop_front();
}

std::optional<AddressRange> CpuAllocations::find(uint64_t address) const {
  std::lock_guard lock(mutex_);
  auto found = findBuffer(allocations_, address);
  return found == allocations_.end() ? std::nullopt : std::optional(found->second.bytes);
}

std::optional<CpuAllocations::Found> CpuAllocations::findNear(uint64_t address) const {
  std::lock_guard lock(mutex_);
  auto next = allocations_.upper_bound(address);
  if (next != allocations_.begin() && isInOrNearBuffer(std::prev(next)->second.bytes, address))
    return Found{std::prev(next)->second.bytes, /*isFreed=*/false};
  if (next != allocations_.end() && isInOrNearBuffer(next->second.bytes, address))
    return Found{next->second.bytes, /*isFreed=*/false};
  for (const Freed &freed : freed_)
    if (isInOrNearBuffer(freed.bytes, address))
      return Found{freed.bytes, /*isFreed=*/true};
  return std::nullopt;
}

bool CpuAllocations::isHostMemory(uint64_t address) {
  std::lock_guard lock(mutex_);
  bool isTracked = true;
  visitAllocationAt(address, 1, [&](Allocation &allocation, uint64_t, uint64_t) {
    isTracked = allocation.definedness.isTracked();
  });
  return !isTracked;
}

bool CpuAllocations::contains(const void *address) const {
  return find(reinterpret_cast<uint64_t>(address)).has_value();
}

template <class Visit>
bool CpuAllocations::visitAllocationAt(uint64_t address, uint64_t bytes, Visit visit) {
  auto found = findBuffer(allocations_, address);
  if (found == allocations_.end())
    return false;
  visit(found->second, address, std::min(bytes, found->second.bytes.end - address));
  return true;
}

uint64_t CpuAllocations::countBytesToEnd(uint64_t address) {
  std::optional<AddressRange> found = find(address);
  return found ? found->end - address : 0;
}

void CpuAllocations::markDefined(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  visitAllocationAt(address, bytes, [](Allocation &allocation, uint64_t from, uint64_t length) {
    allocation.definedness.markDefined(from,
                                       simt::isChecking ? length : sizeOfRange(allocation.bytes));
  });
}

bool CpuAllocations::markUndefined(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  return visitAllocationAt(address, bytes,
                           [](Allocation &allocation, uint64_t from, uint64_t length) {
                             if (simt::isChecking || length == sizeOfRange(allocation.bytes))
                               allocation.definedness.markUndefined(from, length);
                           });
}

void CpuAllocations::appendUndefined(uint64_t address, uint64_t bytes,
                                     std::vector<UndefinedBytes::Range> &ranges) {
  std::lock_guard lock(mutex_);
  visitAllocationAt(address, bytes, [&](Allocation &allocation, uint64_t from, uint64_t length) {
    allocation.definedness.appendUndefined(from, length, ranges);
  });
}

void CpuAllocations::copyDefinedness(uint64_t to, uint64_t from, uint64_t bytes) {
  std::vector<UndefinedBytes::Range> undefined;
  if (simt::isChecking)
    appendUndefined(from, bytes, undefined);
  markDefined(to, bytes);
  for (auto [address, length] : undefined)
    markUndefined(address - from + to, length);
}

CpuBuffer::Memory::Memory(size_t bytes, MemoryKind kind, CpuAllocations &allocations)
    : allocations(allocations), bytes(bytes) {
  constexpr size_t unused = CpuAllocations::headroom + CpuAllocations::slack;
  static_assert(CpuAllocations::headroom % alignment == 0 && unused % alignment == 0);
  block = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment + unused);
  if (!block)
    throw std::bad_alloc();
  address = static_cast<char *>(block) + CpuAllocations::headroom;
  try {
    allocations.add(address, bytes, /*isTracked=*/kind == MemoryKind::Device);
  } catch (...) {
    std::free(block);
    throw;
  }
}

CpuBuffer::Memory::~Memory() {
  if (simt::isChecking)
    StreamHistory::instance().forgetMemory(reinterpret_cast<uint64_t>(address), bytes);
  allocations.removeAndFreeLater(address, block);
}

CpuBuffer::CpuBuffer(Device &device, size_t bytes, MemoryKind kind, CpuAllocations &allocations)
    : device_(device) {
  if (bytes >= checkedBytes) {
    uint64_t free = device.memoryInfo().free;
    if (bytes > free)
      throwOutOfMemory(bytes, free);
  }
  try {
    memory_ = std::make_shared<Memory>(bytes, kind, allocations);
  } catch (const std::bad_alloc &) {
    throwOutOfMemory(bytes, device.memoryInfo().free);
  }
}

CpuBuffer::~CpuBuffer() {
  try {
    Scheduler::instance().keepAliveUntilAllWorkDone(memory_);
  } catch (const std::exception &) {
    // No memory or no thread to keep it.
  }
}

} // namespace heddle::cpu
