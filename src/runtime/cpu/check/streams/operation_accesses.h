// The accesses of a stream operation: memory ranges and, for launches, threads.
#pragma once

#include "runtime/cpu/blocks/block_runner.h"
#include "runtime/cpu/check/shadow_memory.h"
#include "runtime/cpu/check/streams/launch_replay.h"
#include "runtime/cpu/check/streams/stream_order.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace heddle::cpu {

/// Memory that an operation may access.
struct AccessedRange {
  uint64_t low = 0, high = 0;
  bool isRead = false, isWritten = false; ///< an atomic writes

  bool conflictsWith(const AccessedRange &other) const {
    return low < other.high && other.low < high && (isWritten || other.isWritten);
  }
};

/// A launch whose accesses are compared with those of operations in other streams.
struct ComparedLaunch {
  std::shared_ptr<CpuModule> module;
  CpuKernel *kernel = nullptr;
  LaunchShape shape;
};

/// The accesses of a launch. If it ran in the filter form, they are unknown until it is repeated.
class LaunchAccesses {
public:
  LaunchAccesses(ComparedLaunch launch, RecordedAccesses accesses)
      : launch_(std::move(launch)), bytes_(countBytes(accesses)), accesses_(std::move(accesses)) {}
  /// replay: null if the launch cannot be repeated.
  LaunchAccesses(ComparedLaunch launch, std::unique_ptr<LaunchReplay> replay)
      : launch_(std::move(launch)), bytes_(replay ? replay->bytes() : 0),
        replay_(std::move(replay)) {}

  const ComparedLaunch &launch() const { return launch_; }
  /// Returns the accesses. Repeats the launch on `runner` if they are unknown; returns null if that fails. Thread-safe.
  const RecordedAccesses *getOrReplayAccesses(BlockRunner &runner);
  /// The memory that the recorded accesses, or the copies for a repetition, currently take.
  uint64_t bytes() const { return bytes_; }

private:
  static uint64_t countBytes(const RecordedAccesses &accesses);

  const ComparedLaunch launch_;
  std::atomic<uint64_t> bytes_;
  std::mutex mutex_;
  std::unique_ptr<LaunchReplay> replay_;
  std::optional<RecordedAccesses> accesses_;
};

/// An operation and its accesses.
struct OperationAccesses {
  enum class Kind { Launch, Copy, Fill };

  Kind kind = Kind::Launch;
  StreamOperation operation;
  std::vector<AccessedRange> ranges;      ///< guarded by the history's mutex
  std::unique_ptr<LaunchAccesses> launch; ///< null for copies and fills
};

/// The ranges of all accesses.
std::vector<AccessedRange> listAccessedRanges(const ShadowMemory &accesses);
/// Returns the parts of the ranges that are in device memory.
std::vector<AccessedRange> clipToDeviceMemory(std::span<const AccessedRange> ranges);
/// Removes the memory [low, high) from the ranges.
void removeRange(std::vector<AccessedRange> &ranges, uint64_t low, uint64_t high);

} // namespace heddle::cpu
