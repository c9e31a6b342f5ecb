// Remembers stream operations with which later ones may race.
#pragma once

#include "runtime/cpu/check/streams/operation_accesses.h"

#include <memory>
#include <mutex>
#include <vector>

namespace heddle::cpu {

/// Remembers the accesses of each operation until all later operations are ordered after it, and compares each new
/// operation with unordered ones in other streams. Thread-safe. Lock order: the scheduler's mutex first.
class StreamHistory {
public:
  /// The process's instance; never destroyed.
  static StreamHistory &instance();

  /// Records that an operation was enqueued. Its accesses may follow until the object is destroyed.
  void recordEnqueued(const std::shared_ptr<const StreamOperation> &operation);
  /// Sets the operations that happen before all operations enqueued from now on.
  void setHostClock(const StreamClock &clock);
  /// Adds an operation that has run, and publishes its races. Repeats launches on `runner` for the comparison; does not
  /// compare launches if it is null.
  void addAndReportRaces(std::shared_ptr<OperationAccesses> added, BlockRunner *runner);
  /// Forgets accesses to memory that was freed or reused: later operations cannot race with them.
  void forgetMemory(uint64_t address, uint64_t bytes);
  void clear();

  // The maximum number of bytes that the copied memory and the recorded accesses of a launch may take.
  static uint64_t maxReplayBytes(const StreamOperation &operation);
  static uint64_t maxRecordedBytes(const StreamOperation &operation);

private:
  struct Conflict;
  using Operations = std::vector<std::shared_ptr<OperationAccesses>>;

  StreamHistory();
  std::vector<Conflict> findConflicts(const std::shared_ptr<OperationAccesses> &added);
  /// Moves operations to `taken`: those with which no later operation can race, and the oldest ones if there are too
  /// many.
  void takeOperationsOrderedBeforeAll(Operations &taken);

  std::mutex mutex_;
  Operations operations_; ///< in the order in which they ended
  std::vector<std::weak_ptr<const StreamOperation>> expected_;
  StreamClock host_;
  size_t keptCount_ = 0;  ///< operations at the end of the last takeOperationsOrderedBeforeAll()
  uint64_t newBytes_ = 0; ///< memory of the operations added since then
};

} // namespace heddle::cpu
