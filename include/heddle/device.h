/// \file
/// Devices, streams and events.
#pragma once

#include "heddle/export.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

HEDDLE_BEGIN_NAMESPACE

namespace detail {
struct Access;
}

/// A device's memory sizes, in bytes.
struct MemoryInfo {
  std::uint64_t free = 0;
  std::uint64_t total = 0;
};

/// A GPU, or the CPU with all its cores.
class HEDDLE_EXPORT Device {
public:
  /// The CPU, which uses host memory.
  static Device cpu();
  /// The GPU with this CUDA device ordinal. Throws Error (Argument) with the reason if there is no such GPU.
  static Device cuda(unsigned number = 0);
  /// The device named by $HEDDLE_DEVICE (cpu, cuda, cuda:1), else the first GPU, else the CPU.
  static Device preferred();
  /// The GPUs of this machine, then the CPU.
  static std::vector<Device> all();
  /// One sentence that explains why all() has no GPU; empty if it has one.
  static std::string noGpuReason();

  bool isCpu() const;
  /// The position in all().
  unsigned index() const;
  std::string name() const;
  /// (9, 0) for an H100. The CPU also reports a compute capability.
  std::pair<int, int> computeCapability() const;
  /// The value of a CUDA device attribute; nullopt for unknown names. `name` omits CUDA's prefix:
  /// "MULTIPROCESSOR_COUNT".
  std::optional<std::int64_t> attribute(const std::string &name) const;
  MemoryInfo memory() const;

  /// Waits for all work on the device. Throws the first kernel error that has not been reported yet.
  void synchronize() const;

  friend bool operator==(const Device &a, const Device &b) { return a.native_ == b.native_; }
  friend bool operator!=(const Device &a, const Device &b) { return a.native_ != b.native_; }

private:
  friend struct detail::Access;
  explicit Device(void *native) : native_(native) {}
  void *native_;
};

/// Marks a point in a stream's work.
class HEDDLE_EXPORT Event {
public:
  explicit Event(const Device &device);
  Event(const Event &) = default; // not movable: a moved-from object would refer to no event
  Event &operator=(const Event &) = default;

  /// True if all work before the last record() has finished, or if the event was never recorded.
  bool done() const;
  /// Waits until done().
  void synchronize() const;
  /// Milliseconds from `earlier` to this event. Throws Error (Argument) if either event was not recorded or has not
  /// completed.
  double millisecondsSince(const Event &earlier) const;

private:
  friend struct detail::Access;
  std::shared_ptr<void> native_;
};

/// Work that runs in order. Every call except synchronize() may return before the work is done.
///
/// The default stream behaves as CUDA's legacy default stream: its work waits for all work enqueued earlier in any
/// stream, and work in other streams waits for work enqueued earlier in the default stream.
class HEDDLE_EXPORT Stream {
public:
  /// Creates a stream that runs concurrently with other streams.
  explicit Stream(const Device &device);
  Stream(const Stream &) = default;
  Stream &operator=(const Stream &) = default;
  /// The device's default stream, used by calls that name no stream.
  static Stream defaultOf(const Device &device);

  Device device() const;
  /// True if all work in the stream has finished.
  bool done() const;
  /// Waits for all work enqueued so far. Throws the first kernel error since the last call.
  void synchronize() const;
  /// Records `event` after the work enqueued so far.
  void record(const Event &event) const;
  /// Makes later work in this stream wait for the event.
  void wait(const Event &event) const;
  /// The driver's CUstream; on the CPU a number that identifies the stream.
  std::uint64_t nativeHandle() const;

private:
  friend struct detail::Access;
  explicit Stream(std::shared_ptr<void> native) : native_(std::move(native)) {}
  std::shared_ptr<void> native_;
};

HEDDLE_END_NAMESPACE
