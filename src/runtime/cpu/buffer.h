// Memory of the CPU device, which is host memory.
#pragma once

#include "runtime/cpu/check/allocation_definedness.h"
#include "runtime/device.h"
#include "support/os/memory_map.h"

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace heddle::cpu {

/// The device's live buffers. While launches are checked, also the last freed ones, whose memory is not reused yet.
/// Thread-safe.
class CpuAllocations {
public:
  /// The number of unused bytes before each buffer. At least `slack` bytes follow the buffer.
  static constexpr size_t headroom = 256;
  /// As much as a block of 1024 threads writes to doubles. On a GPU, a kernel that omits the index check usually
  /// overwrites unused memory past the array without effect.
  static constexpr size_t slack = 8192;

  /// A buffer, and whether it has been freed.
  struct Found {
    AddressRange bytes;
    bool isFreed;
  };

  /// The allocations of the process's CPU device; null if there is none.
  static CpuAllocations *ofProcess();

  /// isTracked: see AllocationDefinedness.
  void add(const void *start, size_t bytes, bool isTracked);
  /// Removes a buffer and frees `memory`, its block of memory. While launches are checked, frees the block later.
  void removeAndFreeLater(const void *start, void *memory);
  bool contains(const void *address) const;
  /// The bytes of the buffer that contains an address.
  std::optional<AddressRange> find(uint64_t address) const;
  /// The buffer that contains an address, or whose headroom or slack contains it.
  std::optional<Found> findNear(uint64_t address) const;
  /// True for an address in pinned, mapped or managed memory, which the host can write without Heddle.
  bool isHostMemory(uint64_t address);
  /// The number of bytes from an address to the end of its buffer; 0 if it is in none.
  uint64_t countBytesToEnd(uint64_t address);
  uint64_t inUse() const { return inUse_; }

  // The functions below track which bytes of the buffers are defined, for `heddle check`. Other memory counts as
  // defined.

  /// Marks as defined the bytes that host code, a copy or a kernel has written. If launches are not checked, marks the
  /// whole buffer.
  void markDefined(uint64_t address, uint64_t bytes);
  /// Makes reused memory undefined. If launches are not checked, does so only for a whole buffer. Returns false if the
  /// memory is not in a buffer.
  bool markUndefined(uint64_t address, uint64_t bytes);
  void appendUndefined(uint64_t address, uint64_t bytes,
                       std::vector<UndefinedBytes::Range> &ranges);
  /// Copies the definedness of the bytes at `from` to those at `to`.
  void copyDefinedness(uint64_t to, uint64_t from, uint64_t bytes);

  /// Locked around fork(), so that the child gets a consistent, unlocked list.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

private:
  struct Allocation {
    AddressRange bytes;
    AllocationDefinedness definedness;
  };
  /// Calls `visit(allocation, address, bytes)` with the part of a range that is in a buffer. The mutex is held.
  template <class Visit> bool visitAllocationAt(uint64_t address, uint64_t bytes, Visit visit);
  void releaseOldestFreed();

  mutable std::mutex mutex_;
  std::map<uint64_t, Allocation> allocations_; ///< keyed by the first byte
  std::atomic<uint64_t> inUse_{0};             ///< sum of the sizes
  /// A freed buffer whose memory is not reused yet.
  struct Freed {
    AddressRange bytes;
    void *memory;
  };
  std::deque<Freed> freed_; ///< the oldest first
  uint64_t freedBytes_ = 0; ///< sum of their sizes
};

/// Memory that outlives the work that is pending when its buffer is destroyed, because kernels may reach it through
/// pointers that they have loaded. cudaFree() waits for such kernels, too.
class CpuBuffer final : public Buffer {
public:
  /// Alignment of every allocation, as in CUDA.
  static constexpr size_t alignment = 256;

  /// `allocations` must outlive the buffer. Throws CompileError (Memory).
  CpuBuffer(Device &device, size_t bytes, MemoryKind kind, CpuAllocations &allocations);
  ~CpuBuffer() override;

  void *address() const override { return memory_->address; }
  size_t bytes() const override { return memory_->bytes; }
  Device &device() const override { return device_; }
  bool isHostAccessible() const override { return true; }

private:
  struct Memory {
    Memory(size_t bytes, MemoryKind kind, CpuAllocations &allocations);
    ~Memory();

    CpuAllocations &allocations;
    void *block = nullptr;   ///< from the C library
    void *address = nullptr; ///< behind the headroom
    size_t bytes;
  };

  Device &device_;
  std::shared_ptr<Memory> memory_;
};

} // namespace heddle::cpu
