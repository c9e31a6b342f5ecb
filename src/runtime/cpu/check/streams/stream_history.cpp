#include "runtime/cpu/check/streams/stream_history.h"

#include "runtime/cpu/check/streams/stream_races.h"
#include "support/os/threads.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <utility>

namespace heddle::cpu {

namespace {

/// Operations of one stream that are remembered.
constexpr size_t maxOperationsPerStream = 32;
/// Limits on the memory that remembered launches take: all together, the copies of one, and those of one in a program
/// that uses one stream only, whose recorded accesses may also take less.
constexpr uint64_t maxBytes = uint64_t(4) << 30, maxCopiedBytes = uint64_t(1) << 30,
                   maxLonelyCopiedBytes = uint64_t(256) << 10,
                   maxLonelyRecordedBytes = uint64_t(16) << 20;
/// Old operations are looked for when there are so many new ones, or their memory is as large.
constexpr size_t maxNewOperations = 16;
constexpr uint64_t maxNewBytes = uint64_t(64) << 20;

} // namespace

struct StreamHistory::Conflict {
  std::shared_ptr<OperationAccesses> earlier;
  std::vector<CommonMemory> memory; ///< `first` is that of `earlier`
};

StreamHistory &StreamHistory::instance() {
  static auto &history = *new StreamHistory;
  return history;
}

StreamHistory::StreamHistory() {
  auto unlock = [] { instance().mutex_.unlock(); };
  os::atFork([] { instance().mutex_.lock(); }, unlock, unlock);
}

uint64_t StreamHistory::maxReplayBytes(const StreamOperation &operation) {
  return operation.hasOnlyOneStreamInUse ? maxLonelyCopiedBytes : maxCopiedBytes;
}

uint64_t StreamHistory::maxRecordedBytes(const StreamOperation &operation) {
  return operation.hasOnlyOneStreamInUse ? maxLonelyRecordedBytes : maxBytes;
}

void StreamHistory::recordEnqueued(const std::shared_ptr<const StreamOperation> &operation) {
  std::lock_guard lock(mutex_);
  if (expected_.size() == expected_.capacity())
    std::erase_if(expected_, [](const auto &one) { return one.expired(); });
  expected_.push_back(operation);
}

void StreamHistory::setHostClock(const StreamClock &clock) {
  std::lock_guard lock(mutex_);
  host_ = clock;
}

void StreamHistory::addAndReportRaces(std::shared_ptr<OperationAccesses> added,
                                      BlockRunner *runner) {
  // The sources and targets of copies in ordinary host memory are often temporary.
  if (!added->launch)
    added->ranges = clipToDeviceMemory(added->ranges);
  std::vector<Conflict> conflicts;
  Operations old; // destroyed without the mutex, because modules may be unloaded
  {
    std::lock_guard lock(mutex_);
    conflicts = findConflicts(added);
    operations_.push_back(added);
    newBytes_ += added->launch ? added->launch->bytes() : 0;
    if (operations_.size() >= keptCount_ + maxNewOperations || newBytes_ > maxNewBytes)
      takeOperationsOrderedBeforeAll(old);
  }
  for (const Conflict &conflict : conflicts) {
    bool isFirst = conflict.earlier->operation.number < added->operation.number;
    std::vector<CommonMemory> memory = conflict.memory;
    if (!isFirst)
      for (CommonMemory &common : memory)
        std::swap(common.first, common.second);
    addFindings(findStreamRaces(isFirst ? *conflict.earlier : *added,
                                isFirst ? *added : *conflict.earlier, memory, runner));
  }
}

std::vector<StreamHistory::Conflict>
StreamHistory::findConflicts(const std::shared_ptr<OperationAccesses> &added) {
  std::vector<Conflict> conflicts;
  for (const auto &earlier : operations_) {
    if (earlier->operation.isOrderedWith(added->operation))
      continue;
    std::vector<CommonMemory> memory;
    for (const AccessedRange &theirs : earlier->ranges)
      for (const AccessedRange &mine : added->ranges)
        if (theirs.conflictsWith(mine)) {
          memory.push_back({theirs, mine});
          for (AccessedRange *range : {&memory.back().first, &memory.back().second}) {
            range->low = std::max(theirs.low, mine.low);
            range->high = std::min(theirs.high, mine.high);
          }
        }
    if (!memory.empty())
      conflicts.push_back({earlier, std::move(memory)});
  }
  return conflicts;
}

void StreamHistory::takeOperationsOrderedBeforeAll(Operations &taken) {
  auto isOrderedBeforeAll = [&](const StreamOperation &one) {
    return host_.covers(one.stream, one.number) &&
           std::ranges::all_of(expected_, [&](const auto &other) {
             auto later = other.lock();
             return !later || later->number == one.number ||
                    later->before.covers(one.stream, one.number);
           });
  };
  std::map<uint32_t, size_t> counts;
  uint64_t bytes = 0;
  Operations kept;
  for (auto &operation : std::views::reverse(operations_)) {
    uint64_t size = operation->launch ? operation->launch->bytes() : 0;
    bool isOld = isOrderedBeforeAll(operation->operation) ||
                 ++counts[operation->operation.stream] > maxOperationsPerStream ||
                 bytes + size > maxBytes;
    bytes += isOld ? 0 : size;
    (isOld ? taken : kept).push_back(std::move(operation));
  }
  operations_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  keptCount_ = operations_.size();
  newBytes_ = 0;
}

void StreamHistory::forgetMemory(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  for (const auto &operation : operations_)
    removeRange(operation->ranges, address, address + bytes);
}

void StreamHistory::clear() {
  Operations old;
  std::lock_guard lock(mutex_);
  old.swap(operations_);
  expected_.clear();
  keptCount_ = newBytes_ = 0;
}

} // namespace heddle::cpu
