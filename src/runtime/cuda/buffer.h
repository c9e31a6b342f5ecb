// Memory that a GPU can access: device, page-locked, managed and shared.
#pragma once

#include "runtime/cuda/driver/context.h"
#include "runtime/cuda/memory/device_memory.h"

namespace heddle::cuda {

class CudaDevice;
class StreamHandle;

/// Base class of all kinds of memory; subclasses free it.
class CudaBuffer : public Buffer {
public:
  void *address() const override { return address_; }
  size_t bytes() const override { return bytes_; }
  Device &device() const override;

protected:
  CudaBuffer(CudaDevice &device, size_t bytes) : device_(device), bytes_(bytes) {}

  CudaDevice &device_;
  void *address_ = nullptr;
  const size_t bytes_;
};

/// Allocates device memory that every stream can use immediately. Throws CompileError (Memory).
std::shared_ptr<Buffer> allocateDeviceMemory(CudaDevice &device, size_t bytes);
/// Allocates device memory from the driver's pool, in stream order.
std::shared_ptr<Buffer> allocateInStream(CudaDevice &device, std::shared_ptr<StreamHandle> stream,
                                         size_t bytes);
/// Allocates page-locked host memory. Host and device use the same address.
std::shared_ptr<Buffer> allocateHostMemory(CudaDevice &device, size_t bytes, MemoryKind kind);
/// Allocates managed memory. Host code may access it after waiting for the last stream that used it.
std::shared_ptr<Buffer> allocateManagedMemory(CudaDevice &device, size_t bytes);
/// Opens memory that another process has exported.
std::shared_ptr<Buffer> openSharedMemory(CudaDevice &device, const IpcHandle &handle, size_t bytes);

} // namespace heddle::cuda
