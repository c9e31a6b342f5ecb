// NVIDIA GPUs as devices.
#pragma once

#include "runtime/cuda/code/trap_record.h"
#include "runtime/cuda/memory/device_memory.h"
#include "runtime/cuda/memory/staging.h"
#include "runtime/cuda/pace.h"
#include "runtime/cuda/stream.h"
#include "runtime/device.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::cuda {

/// Appends all GPUs to `devices`, in the driver's order. Returns one sentence that explains why there is none (no
/// driver, an old driver, a driver error); empty if there is one. Throws nothing.
std::string appendGpusOrExplain(std::vector<std::unique_ptr<Device>> &devices);

class CudaKernel;

class CudaDevice final : public Device {
public:
  CudaDevice(const Driver &driver, CUdevice handle, unsigned index);

  unsigned index() const override { return index_; }
  std::string_view type() const override { return "cuda"; }
  std::string name() const override { return name_; }
  /// "GPU-" and the driver's UUID, as nvidia-smi shows it.
  std::string uuid() const override;
  std::pair<int, int> computeCapability() const override { return capability_; }
  std::optional<int64_t> attribute(std::string_view name) const override;
  std::vector<std::string_view> attributeNames() const override;
  /// Memory that this runtime keeps for reuse counts as free.
  MemoryInfo memoryInfo() const override;
  const LaunchLimits &limits() const override { return limits_; }

  /// Device memory is usable in all streams and can be shared with other processes.
  std::shared_ptr<Buffer> allocate(size_t bytes, MemoryKind kind) override;
  std::optional<std::pair<uint64_t, uint64_t>> allocationAt(uint64_t address) override;
  bool usesHostMemory() const override { return false; }
  using Device::createStream;
  std::shared_ptr<Stream> createStream(StreamKind kind) override;
  std::shared_ptr<Stream> externalStream(uint64_t handle) override;
  std::shared_ptr<Stream> perThreadStream() override;
  Stream &defaultStream() override;
  std::shared_ptr<Event> createEvent(bool timing) override;
  std::shared_ptr<Module> load(simt::OwnedModule code, const CompileOptions &options) override;
  void synchronize() override;
  uint32_t suggestedBlockSize(const Kernel &kernel, uint32_t dynamicSharedBytes) const override;
  uint32_t activeBlocksPerMultiprocessor(const Kernel &kernel, uint32_t blockThreads,
                                         uint32_t dynamicSharedBytes) const override;
  uint64_t maxCooperativeBlocks(const Kernel &kernel, uint32_t blockThreads,
                                uint32_t dynamicSharedBytes) const override;
  void pin(void *address, size_t bytes) override;
  void unpin(void *address) override;
  bool canAccess(const Device &other) const override;
  void enableAccess(const Device &other) override;
  bool hasAccess(const Device &other) const override;
  IpcHandle exportMemory(const void *address) override;
  std::shared_ptr<Buffer> importMemory(const IpcHandle &handle, size_t bytes) override;
  void startProfiler() override;
  void stopProfiler() override;
  int driverVersion() const override { return driver_.version; }

  // The device's primary context, for the other files in this folder.
  Context &context() const { return context_; }
  StreamOrder &order() { return order_; }
  DeviceMemory &deviceMemory() { return *deviceMemory_; }
  Staging &staging() { return staging_; }
  TrapRecord &traps() { return traps_; }
  /// True if a loaded kernel may print. The driver writes the text only inside its synchronization functions, whereas
  /// the runtime polls. The runtime therefore calls one of these functions after each wait, with the process's output
  /// diverted, so that a notebook shows the lines in order.
  bool mayPrint() const { return prints_; }
  void setMayPrint() { prints_ = true; }
  /// True if the driver supports stream-ordered allocation. The context must be current.
  bool hasPool();
  /// The maximum number of resident threads.
  uint64_t residentThreads() const { return residentThreads_; }
  /// Runs `task` later, when no work that this runtime has enqueued is left.
  void runWhenRuntimeIsIdle(std::function<void()> task) noexcept;
  /// True if a wait for the device would end a capture: one of this runtime, or of a blocking stream.
  bool isInCapture();
  /// Returns all memory kept for reuse to the driver. Called when memory is exhausted; waits for the GPU.
  void freeCachedMemory();

private:
  int queryAttribute(int attribute) const;
  CUmemoryPool openPool();
  /// True if no stream of this runtime has work. The context must be current.
  bool isWorkDone();
  void pollUntilIdleAndRun(std::function<void()> task, Pace pace) noexcept;
  uint64_t poolIdleBytes() const;
  /// Casts a kernel. Throws CompileError (Value) if it is loaded on another GPU.
  const CudaKernel &requireKernelOfThisGpu(const Kernel &kernel) const;

  const Driver &driver_;
  const CUdevice handle_;
  const unsigned index_;
  const std::string name_;
  mutable Context context_;
  std::pair<int, int> capability_;
  uint64_t totalBytes_ = 0;
  uint64_t residentThreads_ = 0;
  std::atomic<bool> prints_ = false;
  LaunchLimits limits_;
  std::once_flag poolOpened_;
  std::atomic<CUmemoryPool> pool_{nullptr}; ///< null if the driver has none

  StreamOrder order_;
  std::unique_ptr<DeviceMemory> deviceMemory_;
  Staging staging_;
  TrapRecord traps_;
  std::shared_ptr<CudaStream> default_;
  std::shared_ptr<CudaStream> perThread_;
  std::mutex externalMutex_; ///< guards external_
  std::map<uint64_t, std::weak_ptr<CudaStream>> external_;
  mutable std::mutex peersMutex_;     ///< guards peers_
  std::vector<const Device *> peers_; ///< devices with enabled peer access
  std::mutex spareMutex_;             ///< guards spareEvents_
  std::vector<std::unique_ptr<EventHandle>> spareEvents_;
};

} // namespace heddle::cuda
