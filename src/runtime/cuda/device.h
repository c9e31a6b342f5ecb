// NVIDIA GPUs as devices.
#pragma once

#include "runtime/cuda/code/trap_record.h"
#include "runtime/cuda/memory/device_memory.h"
#include "runtime/cuda/memory/staging.h"
#include "runtime/cuda/stream.h"
#include "runtime/device.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::cuda {

/// Appends every GPU that the driver shows to `devices`, in the driver's order. Returns why there is none, one sentence
/// (no driver, too old a driver, its error); empty when there is one. Never throws: a machine without a GPU is no error.
std::string addDevices(std::vector<std::unique_ptr<Device>> &devices);

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
  /// What this runtime keeps for reuse counts as free.
  MemoryInfo memory() const override;
  const LaunchLimits &limits() const override { return limits_; }

  /// Device memory is usable in every stream at once, and may be shared with other processes.
  std::shared_ptr<Buffer> allocate(size_t bytes, MemoryKind kind) override;
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

  // For the other files of this runtime.
  Context &context() const { return context_; }
  StreamOrder &order() { return order_; }
  DeviceMemory &deviceMemory() { return *deviceMemory_; }
  Staging &staging() { return staging_; }
  TrapRecord &traps() { return traps_; }
  /// Some kernel that was loaded may print. The driver writes that out when one of its own functions waits, and the
  /// runtime waits by asking again and again: it then calls one that has nothing left to wait for, with the process's
  /// output diverted, so that a notebook gets the lines in order.
  bool prints() const { return prints_; }
  void notePrints() { prints_ = true; }
  /// Whether the driver allocates in stream order. The context must be current.
  bool hasPool();
  /// Threads that run at the same time.
  uint64_t residentThreads() const { return residentThreads_; }
  /// Gives what is kept for reuse back to the driver: memory has run out. Waits for the GPU.
  void emptyCaches();

private:
  int number(int attribute) const;
  CUmemoryPool openPool();
  uint64_t poolIdleBytes() const;
  const CudaKernel &mine(const Kernel &kernel) const;

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
  std::atomic<CUmemoryPool> pool_{nullptr}; ///< null where the driver has none

  StreamOrder order_;
  std::unique_ptr<DeviceMemory> deviceMemory_;
  Staging staging_;
  TrapRecord traps_;
  std::shared_ptr<CudaStream> default_;
  std::shared_ptr<CudaStream> perThread_;
  std::mutex externalMutex_; ///< guards external_
  std::map<uint64_t, std::weak_ptr<CudaStream>> external_;
  mutable std::mutex peersMutex_;     ///< guards peers_
  std::vector<const Device *> peers_; ///< whose memory this device reaches
  std::mutex spareMutex_;             ///< guards spareEvents_
  std::vector<std::unique_ptr<EventHandle>> spareEvents_;
};

} // namespace heddle::cuda
