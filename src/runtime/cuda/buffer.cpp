#include "runtime/cuda/buffer.h"

#include "runtime/cuda/device.h"
#include "runtime/cuda/graph/capture.h"
#include "runtime/cuda/host_work.h"
#include "runtime/cuda/memory/stream_handle.h"
#include "support/diagnostic.h"

#include <algorithm>
#include <cstring>

namespace heddle::cuda {

namespace {

void *toPointer(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

/// Frees memory later, when the GPU no longer uses it.
void freeAddress(Context &context, CUdeviceptr address) {
  freeOutsideCaptures(context, [&context, address] { context.driver().cuMemFree(address); });
}

class BlockBuffer final : public CudaBuffer {
public:
  BlockBuffer(CudaDevice &device, size_t bytes) : CudaBuffer(device, bytes) {
    Context::Use use(device.context());
    auto block = device.deviceMemory().takeCachedOrAllocate(bytes);
    if (!block) {
      device.freeCachedMemory();
      block = device.deviceMemory().takeCachedOrAllocate(bytes);
    }
    if (!block)
      device.context().throwAllocationError(bytes, "device memory");
    block_ = *block;
    address_ = toPointer(block_.address);
  }
  ~BlockBuffer() override {
    if (!isExiting() && !isDriverUnusable())
      device_.deviceMemory().freeToCache(block_);
  }
  bool isHostAccessible() const override { return false; }
  bool isFreedAfterWorkOf(const Stream &stream) const override {
    return &stream.device() == &device_; // see StreamOrder
  }

private:
  DeviceMemory::Block block_;
};

class PoolBuffer final : public CudaBuffer {
public:
  PoolBuffer(CudaDevice &device, std::shared_ptr<StreamHandle> stream, size_t bytes)
      : CudaBuffer(device, bytes), stream_(std::move(stream)) {
    Context &context = device.context();
    Context::Use use(context);
    AllowedInCapture allowed(context.driver());
    CUdeviceptr address = 0;
    auto allocate = [&] {
      return context.driver().cuMemAllocAsync(&address, std::max<size_t>(bytes, 1), stream_->get());
    };
    CUresult code = allocate();
    if (code == result::outOfMemory) {
      device.freeCachedMemory();
      code = allocate();
    }
    if (code == result::outOfMemory)
      context.throwAllocationError(bytes, "device memory");
    context.check(code, "cuMemAllocAsync");
    address_ = toPointer(address);
  }
  ~PoolBuffer() override {
    Context &context = device_.context();
    freeSoon(context, [&context, stream = std::move(stream_), address = address_] {
      AllowedInCapture allowed(context.driver());
      if (isCapturing(context, stream->get())) // the driver refuses to free memory in a graph
        freeAddress(context, toDevicePointer(address));
      else
        context.driver().cuMemFreeAsync(toDevicePointer(address), stream->get());
    });
  }
  bool isHostAccessible() const override { return false; }
  bool isFreedAfterWorkOf(const Stream &stream) const override {
    return &stream.device() == &device_ &&
           stream.nativeHandle() == reinterpret_cast<uint64_t>(stream_->get());
  }

private:
  std::shared_ptr<StreamHandle> stream_;
};

/// Page-locked host memory. Freed later, because the driver waits for the device and destructors must not wait.
class HostBuffer final : public CudaBuffer {
public:
  HostBuffer(CudaDevice &device, size_t bytes, unsigned flags) : CudaBuffer(device, bytes) {
    Context &context = device.context();
    Context::Use use(context);
    address_ = context.allocatePageLocked(std::max<size_t>(bytes, 1), flags);
  }
  ~HostBuffer() override {
    Context &context = device_.context();
    freeOutsideCaptures(
        context, [&context, address = address_] { context.driver().cuMemFreeHost(address); });
  }
  bool isHostAccessible() const override { return true; }
};

class ManagedBuffer final : public CudaBuffer {
public:
  ManagedBuffer(CudaDevice &device, size_t bytes) : CudaBuffer(device, bytes) {
    Context &context = device.context();
    Context::Use use(context);
    CUdeviceptr address = 0;
    AllowedInCapture allowed(context.driver());
    CUresult code =
        context.driver().cuMemAllocManaged(&address, std::max<size_t>(bytes, 1), memAttachGlobal);
    if (code == result::outOfMemory)
      context.throwAllocationError(bytes, "managed memory");
    context.check(code, "cuMemAllocManaged");
    address_ = toPointer(address);
  }
  ~ManagedBuffer() override { freeAddress(device_.context(), toDevicePointer(address_)); }
  bool isHostAccessible() const override { return true; }
};

class SharedBuffer final : public CudaBuffer {
public:
  SharedBuffer(CudaDevice &device, const IpcHandle &handle, size_t bytes)
      : CudaBuffer(device, bytes) {
    Context &context = device.context();
    Context::Use use(context);
    CUipcMemHandle theirs;
    std::memcpy(theirs.reserved, handle.data(), handle.size());
    CUdeviceptr address = 0;
    AllowedInCapture allowed(context.driver());
    context.check(context.driver().cuIpcOpenMemHandle(&address, theirs, ipcLazyPeerAccess),
                  "cuIpcOpenMemHandle");
    CUdeviceptr base = 0;
    size_t whole = 0;
    if (context.driver().cuMemGetAddressRange(&base, &whole, address) == result::success &&
        bytes > base + whole - address) {
      context.runQuietly([&] { context.driver().cuIpcCloseMemHandle(address); });
      throw CompileError(ErrorKind::Value,
                         "the handle refers to " + std::to_string(base + whole - address) +
                             " bytes of another process, not to " + std::to_string(bytes));
    }
    address_ = toPointer(address);
  }
  ~SharedBuffer() override {
    Context &context = device_.context();
    freeOutsideCaptures(context, [&context, address = address_] {
      context.driver().cuIpcCloseMemHandle(toDevicePointer(address));
    });
  }
  bool isHostAccessible() const override { return false; }
};

} // namespace

Device &CudaBuffer::device() const { return device_; }

std::shared_ptr<Buffer> allocateDeviceMemory(CudaDevice &device, size_t bytes) {
  return std::make_shared<BlockBuffer>(device, bytes);
}

std::shared_ptr<Buffer> allocateInStream(CudaDevice &device, std::shared_ptr<StreamHandle> stream,
                                         size_t bytes) {
  return std::make_shared<PoolBuffer>(device, std::move(stream), bytes);
}

std::shared_ptr<Buffer> allocateHostMemory(CudaDevice &device, size_t bytes, MemoryKind kind) {
  unsigned flags = hostAllocPortable | (kind == MemoryKind::Mapped ? hostAllocMapped : 0);
  return std::make_shared<HostBuffer>(device, bytes, flags);
}

std::shared_ptr<Buffer> allocateManagedMemory(CudaDevice &device, size_t bytes) {
  return std::make_shared<ManagedBuffer>(device, bytes);
}

std::shared_ptr<Buffer> openSharedMemory(CudaDevice &device, const IpcHandle &handle,
                                         size_t bytes) {
  return std::make_shared<SharedBuffer>(device, handle, bytes);
}

} // namespace heddle::cuda
