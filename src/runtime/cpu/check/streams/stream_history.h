// The operations of streams that later ones may race with.
#pragma once

#include "runtime/cpu/check/streams/operation_accesses.h"

#include <memory>
#include <mutex>
#include <vector>

namespace heddle::cpu {

/// Remembers what operations accessed until all later operations come after them, and compares each one with those in
/// other streams that are not ordered with it. Thread-safe. Locked after the scheduler's mutex.
class StreamHistory {
public:
  /// The process's instance; never destroyed.
  static StreamHistory &instance();

  /// An operation was enqueued; its accesses follow while the object lives.
  void expect(const std::shared_ptr<const StreamOperation> &operation);
  /// All operations enqueued from now on come after these.
  void setHostClock(const StreamClock &clock);
  /// Adds an operation that has run, and publishes its races. Its launches are repeated by `runner`, and not compared if
  /// that is null.
  void add(std::shared_ptr<OperationAccesses> added, BlockRunner *runner);
  /// The memory was freed or given away again: its earlier accesses race with nothing.
  void forgetMemory(uint64_t address, uint64_t bytes);
  void clear();

  /// The most bytes that a launch's copied memory may take, and those of its recorded accesses.
  static uint64_t maxReplayBytes(const StreamOperation &operation);
  static uint64_t maxRecordedBytes(const StreamOperation &operation);

private:
  struct Conflict;
  using Operations = std::vector<std::shared_ptr<OperationAccesses>>;

  StreamHistory();
  std::vector<Conflict> findConflicts(const std::shared_ptr<OperationAccesses> &added);
  /// Takes the operations out that no later one can race with, and the oldest ones if there are too many.
  void takeOld(Operations &taken);

  std::mutex mutex_;
  Operations operations_; ///< in the order in which they ended
  std::vector<std::weak_ptr<const StreamOperation>> expected_;
  StreamClock host_;
  size_t keptCount_ = 0;  ///< operations at the end of the last takeOld()
  uint64_t newBytes_ = 0; ///< memory of those added since
};

} // namespace heddle::cpu
