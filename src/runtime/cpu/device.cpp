#include "runtime/cpu/device.h"

#include "runtime/cpu/blocks/cooperative_run.h"
#include "runtime/cpu/check/streams/stream_history.h"
#include "runtime/cpu/code/module.h"
#include "runtime/cpu/event.h"
#include "runtime/cpu/queue/scheduler.h"
#include "simt/check/checking.h"
#include "support/diagnostic.h"
#include "support/os/machine.h"
#include "support/os/threads.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace heddle::cpu {

namespace {

/// The shared memory limit of a block for the compute capability that this device reports (CUDA C++ Programming Guide,
/// technical specifications of compute capability 9.0: 227 KiB).
constexpr uint32_t sharedBytesPerBlock = 232448;
/// The suggested block size: large enough that the cost of entering a block is negligible, small enough for many
/// chunks.
constexpr uint32_t blockSize = 256;

/// Host properties used in attribute values.
struct HostFacts {
  int64_t processors = ThreadPool::configuredWorkerCount();
  int64_t clockKilohertz = int64_t(os::clockKilohertz());
  int64_t cacheBytes = int64_t(os::lastLevelCacheBytes());
  std::pair<int, int> capability;
};

constexpr std::string_view names[] = {
#define HEDDLE_ATTRIBUTE(name, number, value) #name,
#include "runtime/device_attributes.def"
};

/// The allocations of the process's CPU device, which is never destroyed.
CpuAllocations *allocationsOfProcess = nullptr;

void lockAllocations() { allocationsOfProcess->lock(); }
void unlockAllocations() { allocationsOfProcess->unlock(); }

} // namespace

CpuAllocations *CpuAllocations::ofProcess() { return allocationsOfProcess; }

CpuDevice::CpuDevice(unsigned index) : index_(index), name_(os::processorName()) {
  allocationsOfProcess = &allocations_;
  os::atFork(lockAllocations, unlockAllocations, unlockAllocations);
  limits_.maxSharedBytesPerBlock = sharedBytesPerBlock;
  default_ = std::make_unique<CpuStream>(*this, Scheduler::instance().defaultStream());
}

std::string CpuDevice::uuid() const {
  std::string id = os::machineId();
  for (size_t at : {20, 16, 12, 8})
    id.insert(at, "-");
  return "CPU-" + id;
}

std::pair<int, int> CpuDevice::computeCapability() const { return {9, 0}; }

std::optional<int64_t> CpuDevice::attribute(std::string_view name) const {
  static const HostFacts host{.capability = computeCapability()};
  const LaunchLimits &limits = limits_;
#define HEDDLE_ATTRIBUTE(attribute, number, value)                                                 \
  if (name == #attribute)                                                                          \
    return int64_t(value);
#include "runtime/device_attributes.def"
  return std::nullopt;
}

std::vector<std::string_view> CpuDevice::attributeNames() const {
  return {std::begin(names), std::end(names)};
}

MemoryInfo CpuDevice::memoryInfo() const {
  os::Memory m = os::usableMemory();
  uint64_t mine = allocations_.inUse();
  uint64_t left = m.total > mine ? m.total - mine : 0;
  return {std::min(m.available, left), m.total};
}

std::shared_ptr<Buffer> CpuDevice::allocate(size_t bytes, MemoryKind kind) {
  auto make = [&] { return std::make_shared<CpuBuffer>(*this, bytes, kind, allocations_); };
  try {
    return make();
  } catch (const CompileError &) {
    if (!Scheduler::instance().waitForWorkThatKeepsMemory()) // may free memory
      throw;
  }
  return make();
}

std::optional<std::pair<uint64_t, uint64_t>> CpuDevice::allocationAt(uint64_t address) {
  std::optional<AddressRange> found = allocations_.find(address);
  return found ? std::optional(std::pair(found->first, found->end)) : std::nullopt;
}

std::shared_ptr<Stream> CpuDevice::createStream(StreamKind kind) {
  return std::make_shared<CpuStream>(*this, kind);
}

std::shared_ptr<Stream> CpuDevice::externalStream(uint64_t handle) {
  constexpr uint64_t legacy = 1,
                     perThread = 2; // CUDA's values; 0 is also the legacy default stream
  Scheduler &scheduler = Scheduler::instance();
  if (handle == perThread)
    return perThreadStream();
  std::shared_ptr<StreamState> state =
      handle <= legacy ? scheduler.defaultStream() : scheduler.streamAt(handle);
  if (!state)
    throw CompileError(ErrorKind::Value, "0x" + llvm::utohexstr(handle, /*LowerCase=*/true) +
                                             " is not the handle of an existing stream; make one "
                                             "with cuda.stream()");
  return std::make_shared<CpuStream>(*this, std::move(state));
}

std::shared_ptr<Stream> CpuDevice::perThreadStream() {
  thread_local std::shared_ptr<Stream> stream = createStream();
  return stream;
}

std::shared_ptr<Event> CpuDevice::createEvent(bool timing) {
  return std::make_shared<CpuEvent>(timing);
}

std::shared_ptr<Module> CpuDevice::load(simt::OwnedModule code, const CompileOptions &options) {
  return CpuModule::load(std::move(code), options);
}

void CpuDevice::synchronize() { Scheduler::instance().synchronize(); }

uint32_t CpuDevice::suggestedBlockSize(const Kernel &kernel, uint32_t) const {
  return std::min(blockSize, kernel.maxThreadsPerBlock());
}

uint32_t CpuDevice::activeBlocksPerMultiprocessor(const Kernel &, uint32_t, uint32_t) const {
  return 1; // a block runs on one pool thread
}

uint64_t CpuDevice::maxCooperativeBlocks(const Kernel &, uint32_t, uint32_t) const {
  return heddle::cpu::maxCooperativeBlocks;
}

void waitForWorkAtExit() { Scheduler::instance().waitForWorkAtExit(); }

std::shared_ptr<const KernelError> takeUnseenError() {
  return Scheduler::instance().takeUnseenError();
}

void recordHostWriteForCheck(const void *address, size_t bytes) {
  if (CpuAllocations *buffers = CpuAllocations::ofProcess())
    buffers->markDefined(reinterpret_cast<uint64_t>(address), bytes);
}

void recordHostCopyForCheck(const void *to, const void *from, size_t bytes) {
  if (CpuAllocations *buffers = CpuAllocations::ofProcess())
    buffers->copyDefinedness(reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from),
                             bytes);
}

void markUndefinedInStreamOrder(Stream &stream, const void *address, size_t bytes) {
  CpuAllocations *buffers = CpuAllocations::ofProcess();
  auto start = reinterpret_cast<uint64_t>(address);
  if (!buffers || !buffers->contains(address) || stream.isCapturing())
    return;
  StreamHistory::instance().forgetMemory(start, bytes);
  auto &mine = static_cast<CpuStream &>(stream); // the memory is the CPU device's
  if (mine.isIdle())                             // host code may write before a callback would run
    buffers->markUndefined(start, bytes);
  else if (simt::isChecking)
    stream.callInOrder([=] { buffers->markUndefined(start, bytes); });
}

void recordHostWorkForCheck(Stream &stream, const void *address, size_t bytes, bool writes,
                            bool isDone) {
  auto *mine = dynamic_cast<CpuStream *>(&stream);
  if (mine && simt::isChecking)
    Scheduler::instance().recordHostWork(mine->state(), address, bytes, writes, isDone,
                                         takeLaunchNote());
}

void forgetStreamHistory() {
  StreamHistory::instance().clear();
  Scheduler::instance().restartStreamNames();
}

void shutDown() { Scheduler::instance().shutDown(); }

} // namespace heddle::cpu
