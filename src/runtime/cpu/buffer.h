// Memory of the CPU device, which is host memory.
#pragma once

#include "runtime/device.h"

#include <atomic>
#include <map>
#include <mutex>

namespace heddle::cpu {

/// The device's live buffers. Thread-safe.
class CpuAllocations {
public:
  void add(const void *start, size_t bytes);
  void remove(const void *start);
  bool contains(const void *address) const;
  uint64_t inUse() const { return inUse_; }

  /// Locked around fork(), so that the child gets a consistent, unlocked list.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

private:
  mutable std::mutex mutex_;
  std::map<const char *, size_t> sizes_; ///< keyed by the first byte
  std::atomic<uint64_t> inUse_{0};       ///< sum of the sizes
};

class CpuBuffer final : public Buffer {
public:
  /// Alignment of every allocation, as in CUDA.
  static constexpr size_t alignment = 256;

  /// `allocations` must outlive the buffer. Throws CompileError (Memory).
  CpuBuffer(Device &device, size_t bytes, CpuAllocations &allocations);
  ~CpuBuffer() override;

  void *address() const override { return address_; }
  size_t bytes() const override { return bytes_; }
  Device &device() const override { return device_; }
  bool isHostAccessible() const override { return true; }

private:
  Device &device_;
  void *address_;
  size_t bytes_;
  CpuAllocations &allocations_;
};

} // namespace heddle::cpu
