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

AddressRange rangeOf(const char *first, size_t bytes) {
  auto address = reinterpret_cast<uint64_t>(first);
  return {address, address + bytes};
}

bool isNear(AddressRange buffer, uint64_t address) {
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
  AllocationDefinedness definedness(reinterpret_cast<uint64_t>(start), bytes, isTracked);
  allocations_.emplace(static_cast<const char *>(start), Allocation{bytes, std::move(definedness)});
  inUse_ += bytes;
}

void CpuAllocations::remove(const void *start, void *memory) {
  std::lock_guard lock(mutex_);
  auto found = allocations_.find(static_cast<const char *>(start));
  AddressRange bytes = rangeOf(found->first, found->second.bytes);
  inUse_ -= found->second.bytes;
  allocations_.erase(found);
  freed_.push_back({bytes, memory});
  freedBytes_ += bytes.end - bytes.first;
  while (!freed_.empty() && (!simt::isChecking || freedBytes_ > maxFreedBytes))
    releaseOldestFreed();
}

void CpuAllocations::releaseOldestFreed() {
  const Freed &oldest = freed_.front();
  freedBytes_ -= oldest.bytes.end - oldest.bytes.first;
  std::free(oldest.memory);
  freed_.pop_front();
}

std::optional<AddressRange> CpuAllocations::find(uint64_t address) const {
  std::optional<Found> found = findNear(address);
  bool isInside =
      found && !found->isFreed && found->bytes.first <= address && address < found->bytes.end;
  return isInside ? std::optional(found->bytes) : std::nullopt;
}

std::optional<CpuAllocations::Found> CpuAllocations::findNear(uint64_t address) const {
  std::lock_guard lock(mutex_);
  auto next = allocations_.upper_bound(reinterpret_cast<const char *>(address));
  auto found = [&](auto at) -> std::optional<Found> {
    AddressRange bytes = rangeOf(at->first, at->second.bytes);
    return isNear(bytes, address) ? std::optional(Found{bytes, /*isFreed=*/false}) : std::nullopt;
  };
  if (next != allocations_.begin())
    if (std::optional<Found> before = found(std::prev(next)))
      return before;
  if (next != allocations_.end())
    if (std::optional<Found> after = found(next))
      return after;
  for (const Freed &freed : freed_)
    if (isNear(freed.bytes, address))
      return Found{freed.bytes, /*isFreed=*/true};
  return std::nullopt;
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
  return find(reinterpret_cast<uint64_t>(address)).has_value();
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
  allocations.remove(address, block);
}

CpuBuffer::CpuBuffer(Device &device, size_t bytes, MemoryKind kind, CpuAllocations &allocations)
    : device_(device) {
  if (bytes >= checkedBytes) {
    uint64_t free = device.memory().free;
    if (bytes > free)
      throwOutOfMemory(bytes, free);
  }
  try {
    memory_ = std::make_shared<Memory>(bytes, kind, allocations);
  } catch (const std::bad_alloc &) {
    throwOutOfMemory(bytes, device.memory().free);
  }
}

CpuBuffer::~CpuBuffer() {
  try {
    Scheduler::instance().keepUntilDone(memory_);
  } catch (const std::exception &) {
    // No memory or no thread to keep it.
  }
}

} // namespace heddle::cpu
