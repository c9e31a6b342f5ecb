#include "runtime/cpu/check/streams/operation_accesses.h"

#include "runtime/cpu/buffer.h"

#include <algorithm>

namespace heddle::cpu {

const RecordedAccesses *LaunchAccesses::getOrReplayAccesses(BlockRunner &runner) {
  std::lock_guard lock(mutex_);
  if (replay_) {
    accesses_ = replay_->run(*launch_.kernel, launch_.shape, runner);
    replay_ = nullptr;
    bytes_ = accesses_ ? countBytes(*accesses_) : 0;
  }
  return accesses_ ? &*accesses_ : nullptr;
}

uint64_t LaunchAccesses::countBytes(const RecordedAccesses &accesses) {
  return accesses.memory.countPages() * ShadowMemory::bytesPerPage;
}

std::vector<AccessedRange> listAccessedRanges(const ShadowMemory &accesses) {
  std::map<uint64_t, AccessedRange> pages;
  accesses.forEachAccessed([&](uint64_t address, uint64_t bytes, const Cell &cell) {
    auto [entry, isNew] = pages.try_emplace(address / ShadowMemory::pageBytes);
    AccessedRange &range = entry->second;
    range.low = isNew ? address : std::min(range.low, address);
    range.high = std::max(range.high, address + bytes);
    range.isRead |= cell.read.exists() || cell.reads;
    range.isWritten |= cell.write.exists() || cell.atomics;
  });
  std::vector<AccessedRange> ranges;
  for (const auto &[number, page] : pages) {
    AccessedRange *last = ranges.empty() ? nullptr : &ranges.back();
    if (last && last->high == page.low && last->isRead == page.isRead &&
        last->isWritten == page.isWritten)
      last->high = page.high;
    else
      ranges.push_back(page);
  }
  return ranges;
}

std::vector<AccessedRange> clipToDeviceMemory(std::span<const AccessedRange> ranges) {
  std::vector<AccessedRange> kept;
  CpuAllocations *buffers = CpuAllocations::ofProcess();
  for (AccessedRange range : ranges)
    if (uint64_t bytes = buffers ? buffers->countBytesToEnd(range.low) : 0; bytes) {
      range.high = std::min(range.high, range.low + bytes);
      kept.push_back(range);
    }
  return kept;
}

void removeRange(std::vector<AccessedRange> &ranges, uint64_t low, uint64_t high) {
  std::vector<AccessedRange> kept;
  for (const AccessedRange &range : ranges) {
    AccessedRange before = range, after = range;
    before.high = std::min(range.high, low);
    after.low = std::max(range.low, high);
    for (const AccessedRange &part : {before, after})
      if (part.low < part.high)
        kept.push_back(part);
  }
  ranges = std::move(kept);
}

} // namespace heddle::cpu
