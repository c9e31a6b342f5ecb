// The host processor as a device.
#pragma once

#include "runtime/cpu/buffer.h"
#include "runtime/cpu/stream.h"
#include "runtime/device.h"

#include <atomic>

namespace heddle::cpu {

class CpuDevice final : public Device {
public:
  explicit CpuDevice(unsigned index);

  unsigned index() const override { return index_; }
  std::string_view type() const override { return "cpu"; }
  std::string name() const override { return name_; }
  /// "CPU-" and the machine id formatted as a UUID.
  std::string uuid() const override;
  /// Always (9, 0): the CPU device supports the features of that capability on every processor, so that scripts take
  /// the same path everywhere.
  std::pair<int, int> computeCapability() const override;
  std::optional<int64_t> attribute(std::string_view name) const override;
  std::vector<std::string_view> attributeNames() const override;
  /// `free` is the machine's available memory, but at most the total minus the device's buffers, because the system
  /// counts untouched pages of these buffers as available.
  MemoryInfo memoryInfo() const override;
  const LaunchLimits &limits() const override { return limits_; }

  std::shared_ptr<Buffer> allocate(size_t bytes, MemoryKind kind) override;
  bool ownsMemory(const void *address) const override { return allocations_.contains(address); }
  std::optional<std::pair<uint64_t, uint64_t>> allocationAt(uint64_t address) override;
  bool usesHostMemory() const override { return true; }
  using Device::createStream;
  std::shared_ptr<Stream> createStream(StreamKind kind) override;
  std::shared_ptr<Stream> externalStream(uint64_t handle) override;
  std::shared_ptr<Stream> perThreadStream() override;
  Stream &defaultStream() override { return *default_; }
  std::shared_ptr<Event> createEvent(bool timing) override;
  std::shared_ptr<Module> load(simt::OwnedModule code, const CompileOptions &options) override;
  void synchronize() override;
  uint32_t suggestedBlockSize(const Kernel &kernel, uint32_t dynamicSharedBytes) const override;
  uint32_t activeBlocksPerMultiprocessor(const Kernel &kernel, uint32_t blockThreads,
                                         uint32_t dynamicSharedBytes) const override;
  uint64_t maxCooperativeBlocks(const Kernel &kernel, uint32_t blockThreads,
                                uint32_t dynamicSharedBytes) const override;

private:
  unsigned index_;
  std::string name_;
  LaunchLimits limits_;
  std::unique_ptr<CpuStream> default_;
  CpuAllocations allocations_;
};

/// Waits for enqueued work at the end of the process, with a timeout ($HEDDLE_EXIT_TIMEOUT). Throws Interrupted.
void waitForWorkAtExit();
/// Returns the first kernel error on the CPU device that no call has reported, and marks all errors as reported; null
/// if there is none.
std::shared_ptr<const KernelError> takeUnseenError();
/// Tells `heddle check` that host code writes or copies to memory of the CPU device.
void recordHostWriteForCheck(const void *address, size_t bytes);
void recordHostCopyForCheck(const void *to, const void *from, size_t bytes);
/// Tells `heddle check`, in stream order, that a memory pool has reused memory, so that its contents are undefined.
void markUndefinedInStreamOrder(Stream &stream, const void *address, size_t bytes);
/// Tells `heddle check` that host code accesses memory of the CPU device in the order of a stream. Takes the calling
/// thread's note. isDone: the program knows that the access is complete.
void recordHostWorkForCheck(Stream &stream, const void *address, size_t bytes, bool writes,
                            bool isDone);
/// Forgets the stream operations that `heddle check` compares with later ones. All work must have ended.
void forgetStreamHistory();
/// Cancels all work on the CPU device and ends its threads. Later work starts new threads.
void shutDown();

} // namespace heddle::cpu
