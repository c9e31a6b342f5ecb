#include "runtime/cpu/check/filtered_launch.h"

#include "runtime/cpu/buffer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

namespace heddle::cpu {

namespace {

using simt::FilteredObject;
using simt::FilterPlan;

constexpr uint64_t maxCellBytes = 8;
/// Block numbers have 32 bits.
constexpr uint64_t maxBlockNumber = UINT32_MAX;

/// Memory that no launch uses.
class FilterMemoryPool {
public:
  std::unique_ptr<FilterMemory> take() {
    std::lock_guard lock(mutex_);
    if (free_.empty())
      return std::make_unique<FilterMemory>();
    std::unique_ptr<FilterMemory> last = std::move(free_.back());
    free_.pop_back();
    return last;
  }
  void giveBack(std::unique_ptr<FilterMemory> memory) {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(memory));
  }

private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<FilterMemory>> free_;
};

FilterMemoryPool &filterMemoryPool() {
  static auto &pool = *new FilterMemoryPool; // workers may outlive static destructors
  return pool;
}

uint64_t divideRoundingUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/// The room for a copy, so that the next one is aligned.
uint64_t alignedCopyBytes(uint64_t bytes) {
  return divideRoundingUp(bytes, maxCellBytes) * maxCellBytes;
}

} // namespace

uint64_t *FilterMemory::reserveCells(size_t count, uint64_t blocks) {
  if (blocks >= maxBlockNumber)
    throw std::bad_alloc();
  if (count > cellCapacity_ || nextBlock_ + blocks >= maxBlockNumber) {
    size_t capacity = std::max(count, std::exchange(cellCapacity_, 0));
    cells_.reset();
    cells_.reset(static_cast<uint64_t *>(std::calloc(capacity, sizeof(uint64_t))));
    if (!cells_)
      throw std::bad_alloc();
    cellCapacity_ = capacity;
    nextBlock_ = 1;
  }
  firstBlock_ = nextBlock_;
  nextBlock_ += blocks + 1; // one number stands for several blocks
  return cells_.get();
}

char *FilterMemory::reserveCopies(size_t bytes) {
  if (bytes > copyCapacity_) {
    copyCapacity_ = 0;
    copies_.reset();
    copies_.reset(new char[bytes]);
    copyCapacity_ = bytes;
  }
  return copies_.get();
}

std::unique_ptr<FilteredLaunch>
FilteredLaunch::prepareIfPossible(const FilterPlan &plan, const LaunchNote &note,
                                  const LaunchShape &shape, std::span<const uint64_t> arguments) {
  if (arguments.size() != plan.parameters)
    return nullptr;
  std::unique_ptr<FilteredLaunch> launch(new FilteredLaunch(plan));
  if (!launch->findDisjointRanges(note, arguments))
    return nullptr;
  launch->arguments_.assign(arguments.begin(), arguments.end());
  launch->allocateCellsAndCopies(shape);
  launch->copyUnwatchedMemory();
  return launch;
}

std::optional<uint64_t> FilteredLaunch::findTrackedArguments(const FilterPlan &plan,
                                                             const LaunchNote &note,
                                                             std::span<const uint64_t> arguments) {
  CpuAllocations *buffers = CpuAllocations::ofProcess();
  uint64_t tracked = 0;
  for (const FilteredObject &object : plan.objects) {
    if (object.isShared() || !buffers || arguments.size() != plan.parameters)
      continue;
    std::optional<Range> range = addressRangeOf(object, note, arguments);
    std::vector<UndefinedBytes::Range> undefined;
    if (range)
      buffers->appendUndefined(range->low, range->bytes(), undefined);
    if (undefined.empty())
      continue;
    if (object.isRead || object.isUpdated ||
        object.argument >= simt::LaunchFacts::maxTrackedArguments)
      return std::nullopt;
    tracked |= uint64_t(1) << object.argument;
  }
  return tracked;
}

FilteredLaunch::~FilteredLaunch() {
  if (memory_)
    filterMemoryPool().giveBack(std::move(memory_));
}

std::optional<FilteredLaunch::Range>
FilteredLaunch::addressRangeOf(const FilteredObject &object, const LaunchNote &note,
                               std::span<const uint64_t> arguments) {
  uint64_t address = arguments[object.argument];
  if (object.bounds) {
    int64_t low = int64_t(arguments[object.bounds]), high = int64_t(arguments[object.bounds + 1]);
    if (low > 0 || high < low || high - low > INT64_MAX / 2)
      return std::nullopt;
    return Range{address + uint64_t(low), address + uint64_t(high)};
  }
  auto array = std::ranges::find(note.arrays, object.argument, &NotedArray::slot);
  if (array == note.arrays.end() || array->address != address)
    return std::nullopt;
  Range range{address, address + uint64_t(array->elementBytes)};
  for (size_t axis = 0; axis < array->extents.size(); ++axis) {
    if (array->extents[axis] == 0)
      return Range{address, address};
    int64_t distance = (array->extents[axis] - 1) * array->strides[axis];
    (distance < 0 ? range.low : range.high) += uint64_t(distance);
  }
  return range;
}

bool FilteredLaunch::findDisjointRanges(const LaunchNote &note,
                                        std::span<const uint64_t> arguments) {
  for (const FilteredObject &object : plan_.objects) {
    if (object.isShared()) {
      ranges_.emplace_back();
      continue;
    }
    std::optional<Range> range = addressRangeOf(object, note, arguments);
    uint64_t address = arguments[object.argument];
    if (!range || address % object.alignment || (address - range->low) % object.cellBytes)
      return false;
    ranges_.push_back(*range);
  }
  for (size_t i = 0; i < ranges_.size(); ++i)
    for (size_t j = 0; j < ranges_.size(); ++j)
      if (i != j && plan_.objects[i].isWritten && ranges_[i].low < ranges_[j].high &&
          ranges_[j].low < ranges_[i].high)
        return false;
  return true;
}

void FilteredLaunch::allocateCellsAndCopies(const LaunchShape &shape) {
  size_t cells = 0, sharedCells = 0, copied = 0;
  std::vector<size_t> counts;
  for (size_t i = 0; i < plan_.objects.size(); ++i) {
    const FilteredObject &object = plan_.objects[i];
    uint64_t bytes = object.kind == FilteredObject::Kind::Shared          ? object.bytes
                     : object.kind == FilteredObject::Kind::DynamicShared ? shape.dynamicSharedBytes
                                                                          : ranges_[i].bytes();
    counts.push_back(object.needsCells ? divideRoundingUp(bytes, object.cellBytes) : 0);
    (object.isShared() ? sharedCells : cells) += counts.back() * 2;
    if (object.mustBeRestored())
      copied += alignedCopyBytes(bytes);
  }
  memory_ = filterMemoryPool().take();
  uint64_t *next = memory_->reserveCells(std::max<size_t>(cells, 1), shape.grid.count());
  char *nextCopy = memory_->reserveCopies(copied);
  sharedCells_.resize(sharedCells);
  uint32_t *nextShared = sharedCells_.data();
  arguments_.push_back(memory_->firstBlock() << FilterPlan::blockShift);
  for (size_t i = 0; i < plan_.objects.size(); ++i) {
    const FilteredObject &object = plan_.objects[i];
    writeCells_.push_back(object.needsCells && !object.isShared() ? next : nullptr);
    saved_.push_back(object.needsCells && object.mustBeRestored() ? nextCopy : nullptr);
    if (!object.needsCells)
      continue;
    uint64_t offset = object.isShared() ? 0 : arguments_[object.argument] - ranges_[i].low;
    for (unsigned plane = 0; plane < 2; ++plane) {
      arguments_.push_back(object.isShared()
                               ? reinterpret_cast<uint64_t>(nextShared)
                               : reinterpret_cast<uint64_t>(next + offset / object.cellBytes));
      (object.isShared() ? void(nextShared += counts[i]) : void(next += counts[i]));
    }
    arguments_.push_back(reinterpret_cast<uint64_t>(nextCopy + offset));
    if (saved_[i])
      nextCopy += alignedCopyBytes(ranges_[i].bytes());
  }
  copiesStart_ = nextCopy;
}

void FilteredLaunch::copyUnwatchedMemory() {
  char *next = copiesStart_;
  for (size_t i = 0; i < plan_.objects.size(); ++i) {
    size_t bytes = ranges_[i].bytes();
    if (!plan_.objects[i].mustBeRestored() || plan_.objects[i].needsCells)
      continue;
    auto *memory = reinterpret_cast<char *>(ranges_[i].low);
    copies_.push_back({memory, next, bytes});
    std::memcpy(next, memory, bytes);
    next += bytes;
  }
}

std::vector<FilteredArray> FilteredLaunch::listArrays() const {
  std::vector<FilteredArray> arrays;
  for (size_t i = 0; i < plan_.objects.size(); ++i) {
    const FilteredObject &object = plan_.objects[i];
    if (!object.isShared())
      arrays.push_back({object.argument, ranges_[i].low, ranges_[i].high,
                        object.isRead || object.isUpdated, object.isWritten});
  }
  return arrays;
}

void FilteredLaunch::clearSharedCells() {
  if (!sharedCells_.empty())
    std::memset(sharedCells_.data(), 0, sharedCells_.size() * sizeof(uint32_t));
}

template <class Visit> void FilteredLaunch::forEachWrittenRun(size_t object, Visit visit) const {
  uint64_t count = divideRoundingUp(ranges_[object].bytes(), plan_.objects[object].cellBytes);
  auto isWritten = [&](uint64_t cell) {
    return writeCells_[object][cell] >> FilterPlan::blockShift >= memory_->firstBlock();
  };
  for (uint64_t cell = 0; cell < count; ++cell) {
    uint64_t first = cell;
    while (cell < count && isWritten(cell))
      ++cell;
    if (cell > first)
      visit(first, cell);
  }
}

void FilteredLaunch::restoreMemory() {
  for (const Copy &copy : copies_)
    std::memcpy(copy.memory, copy.copy, copy.bytes);
  for (size_t i = 0; i < plan_.objects.size(); ++i) {
    if (!saved_[i])
      continue;
    uint64_t cellBytes = plan_.objects[i].cellBytes, bytes = ranges_[i].bytes();
    forEachWrittenRun(i, [&](uint64_t first, uint64_t end) {
      uint64_t begin = first * cellBytes;
      std::memcpy(reinterpret_cast<char *>(ranges_[i].low) + begin, saved_[i] + begin,
                  std::min(end * cellBytes, bytes) - begin);
    });
  }
}

void FilteredLaunch::markWrittenBytesDefined(uint64_t trackedArguments) const {
  CpuAllocations *buffers = CpuAllocations::ofProcess();
  for (size_t i = 0; i < plan_.objects.size(); ++i) {
    const FilteredObject &object = plan_.objects[i];
    if (!object.isShared() && (trackedArguments >> object.argument & 1))
      forEachWrittenRun(i, [&](uint64_t first, uint64_t end) {
        buffers->markDefined(ranges_[i].low + first * object.cellBytes,
                             (end - first) * object.cellBytes);
      });
  }
}

} // namespace heddle::cpu
