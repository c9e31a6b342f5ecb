// Memory of the CPU device: the host's.
#pragma once

#include "runtime/device.h"

#include <atomic>

namespace heddle::cpu {

class CpuBuffer final : public Buffer {
public:
  /// Every allocation starts at a multiple of this, as CUDA's do.
  static constexpr size_t alignment = 256;

  /// `inUse` counts the bytes of all buffers of the device; it must outlive the buffer. Throws CompileError (Memory).
  CpuBuffer(Device &device, size_t bytes, std::atomic<uint64_t> &inUse);
  ~CpuBuffer() override;

  void *address() const override { return address_; }
  size_t bytes() const override { return bytes_; }
  Device &device() const override { return device_; }
  bool hostAccessible() const override { return true; }

private:
  Device &device_;
  void *address_;
  size_t bytes_;
  std::atomic<uint64_t> &inUse_;
};

} // namespace heddle::cpu
