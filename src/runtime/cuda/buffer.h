// Memory that a GPU can use, of every kind.
#pragma once

#include "runtime/cuda/driver/context.h"
#include "runtime/cuda/memory/device_memory.h"

namespace heddle::cuda {

class CudaDevice;
class StreamHandle;

/// What all kinds have in common; how it is freed is each kind's own.
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

/// Memory of the device for use in any stream. Throws CompileError (Memory).
std::shared_ptr<Buffer> allocateDeviceMemory(CudaDevice &device, size_t bytes);
/// Memory of the device for the work of one stream, from the driver's pool.
std::shared_ptr<Buffer> allocateInStream(CudaDevice &device, std::shared_ptr<StreamHandle> stream,
                                         size_t bytes);
/// Host memory that is page-locked: the device sees it at the address that the host does.
std::shared_ptr<Buffer> allocateHostMemory(CudaDevice &device, size_t bytes, MemoryKind kind);
/// Memory that moves to whoever uses it. Host code may use it when the stream that used it last has been waited for.
std::shared_ptr<Buffer> allocateManagedMemory(CudaDevice &device, size_t bytes);
/// Memory of another process, by its handle.
std::shared_ptr<Buffer> openSharedMemory(CudaDevice &device, const IpcHandle &handle, size_t bytes);

} // namespace heddle::cuda
