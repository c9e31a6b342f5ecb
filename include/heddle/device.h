/// \file
/// Devices, and the order of work on them: streams and events.
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

/// Bytes of a device's memory.
struct MemoryInfo {
  std::uint64_t free = 0;
  std::uint64_t total = 0;
};

/// A GPU, or the CPU with all its cores.
class HEDDLE_EXPORT Device {
public:
  /// The CPU. Its memory is the host's.
  static Device cpu();
  /// The GPU of that number, as NVIDIA's driver counts. Throws Error (Argument) that says why there is none.
  static Device cuda(unsigned number = 0);
  /// What $HEDDLE_DEVICE names (cpu, cuda, cuda:1), else the first GPU, else the CPU.
  static Device preferred();
  /// The GPUs of this machine, then the CPU.
  static std::vector<Device> all();
  /// Why all() has no GPU, one sentence; empty when it has.
  static std::string noGpuReason();

  bool isCpu() const;
  /// The position in all().
  unsigned index() const;
  std::string name() const;
  /// (9, 0) for an H100. Kernels on the CPU see one, too.
  std::pair<int, int> computeCapability() const;
  /// A device attribute by CUDA's name without its prefix, "MULTIPROCESSOR_COUNT"; nothing for a name that CUDA does not
  /// have.
  std::optional<std::int64_t> attribute(const std::string &name) const;
  MemoryInfo memory() const;

  /// Waits for all work on the device. Throws the first error of a kernel that nobody has seen.
  void synchronize() const;

  friend bool operator==(const Device &a, const Device &b) { return a.native_ == b.native_; }
  friend bool operator!=(const Device &a, const Device &b) { return a.native_ != b.native_; }

private:
  friend struct detail::Access;
  explicit Device(void *native) : native_(native) {}
  void *native_;
};

/// A point in a stream's work.
class HEDDLE_EXPORT Event {
public:
  explicit Event(const Device &device);
  Event(const Event &) = default; // and no move: what was moved from would be no event
  Event &operator=(const Event &) = default;

  /// Whether everything before its last record() has run; true when it was never recorded.
  bool done() const;
  /// Waits for that.
  void synchronize() const;
  /// Milliseconds from `earlier` to this event. Throws Error (Argument) when either was not recorded, or has not
  /// happened yet.
  double millisecondsSince(const Event &earlier) const;

private:
  friend struct detail::Access;
  std::shared_ptr<void> native_;
};

/// Work in order. Every call but synchronize() may return before the work is done.
///
/// Work of the default stream begins when all that was enqueued before it, in any stream, is done; and work of other
/// streams when what was enqueued before it in the default stream is.
class HEDDLE_EXPORT Stream {
public:
  /// A new stream. Its work runs beside that of other streams.
  explicit Stream(const Device &device);
  Stream(const Stream &) = default;
  Stream &operator=(const Stream &) = default;
  /// The stream of work that names none.
  static Stream defaultOf(const Device &device);

  Device device() const;
  /// Whether all work has run.
  bool done() const;
  /// Waits for all work enqueued so far. Throws the first error of a kernel since the last time.
  void synchronize() const;
  /// Makes `event` stand for the work enqueued so far.
  void record(const Event &event) const;
  /// Later work of this stream waits for the event.
  void wait(const Event &event) const;
  /// The driver's handle, a CUstream; on the CPU a number that tells the stream.
  std::uint64_t nativeHandle() const;

private:
  friend struct detail::Access;
  explicit Stream(std::shared_ptr<void> native) : native_(std::move(native)) {}
  std::shared_ptr<void> native_;
};

HEDDLE_END_NAMESPACE
