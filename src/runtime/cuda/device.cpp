#include "runtime/cuda/device.h"

#include "runtime/cuda/buffer.h"
#include "runtime/cuda/code/module.h"
#include "runtime/cuda/event.h"
#include "runtime/cuda/graph/capture.h"
#include "runtime/cuda/host_work.h"
#include "runtime/driver_error.h"
#include "simt/ir/owned_module.h"
#include "support/diagnostic.h"
#include "support/os/standard_output.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace heddle::cuda {

namespace {

struct Attribute {
  std::string_view name;
  int number;
};

constexpr Attribute attributes[] = {
#define HEDDLE_ATTRIBUTE(name, number, value) {#name, number},
#include "runtime/device_attributes.def"
};

/// The driver's pool may keep 1 / poolShare of the device's memory while it is unused.
constexpr uint64_t poolShare = 4;

std::string queryDeviceName(const Driver &driver, CUdevice device) {
  char name[256] = "";
  driver.cuDeviceGetName(name, sizeof name, device);
  return name;
}

} // namespace

CudaDevice::CudaDevice(const Driver &driver, CUdevice handle, unsigned index)
    : driver_(driver), handle_(handle), index_(index), name_(queryDeviceName(driver, handle)),
      context_(driver, handle, index, name_), order_(context_), staging_(context_),
      traps_(context_) {
  capability_ = {queryAttribute(attribute::capabilityMajor),
                 queryAttribute(attribute::capabilityMinor)};
  size_t bytes = 0;
  driver_.cuDeviceTotalMem(&bytes, handle_);
  totalBytes_ = bytes;
  residentThreads_ = uint64_t(queryAttribute(attribute::multiprocessorCount)) *
                     queryAttribute(attribute::maxThreadsPerMultiprocessor);
  limits_.maxThreadsPerBlock = queryAttribute(attribute::maxThreadsPerBlock);
  limits_.maxBlock = {uint32_t(queryAttribute(attribute::maxBlockDimX)),
                      uint32_t(queryAttribute(attribute::maxBlockDimX + 1)),
                      uint32_t(queryAttribute(attribute::maxBlockDimX + 2))};
  limits_.maxGrid = {uint32_t(queryAttribute(attribute::maxGridDimX)),
                     uint32_t(queryAttribute(attribute::maxGridDimX + 1)),
                     uint32_t(queryAttribute(attribute::maxGridDimX + 2))};
  limits_.maxSharedBytesPerBlock = queryAttribute(attribute::maxSharedMemoryPerBlockOptin);
  deviceMemory_ = std::make_unique<DeviceMemory>(context_, order_, totalBytes_);
  auto stream = [&](uint64_t number) {
    auto handle = std::make_shared<StreamHandle>(context_, streamOfHandle(number));
    return std::make_shared<CudaStream>(*this, std::move(handle), StreamKind::Blocking);
  };
  default_ = stream(legacyStreamHandle);
  perThread_ = stream(perThreadStreamHandle);
}

int CudaDevice::queryAttribute(int attribute) const {
  int value = 0;
  driver_.cuDeviceGetAttribute(&value, attribute, handle_);
  return value;
}

std::string CudaDevice::uuid() const {
  CUuuid id{};
  driver_.cuDeviceGetUuid(&id, handle_);
  constexpr const char *digits = "0123456789abcdef";
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      text += '-';
    text += digits[id.bytes[i] >> 4];
    text += digits[id.bytes[i] & 15];
  }
  return text;
}

std::optional<int64_t> CudaDevice::attribute(std::string_view name) const {
  auto found = std::find_if(std::begin(attributes), std::end(attributes),
                            [&](const Attribute &a) { return a.name == name; });
  int value = 0;
  if (found == std::end(attributes) ||
      driver_.cuDeviceGetAttribute(&value, found->number, handle_) != result::success)
    return std::nullopt;
  return value;
}

std::vector<std::string_view> CudaDevice::attributeNames() const {
  std::vector<std::string_view> names;
  int value = 0;
  for (const Attribute &a : attributes)
    if (driver_.cuDeviceGetAttribute(&value, a.number, handle_) == result::success)
      names.push_back(a.name);
  return names;
}

// Memory.

MemoryInfo CudaDevice::memoryInfo() const {
  Context::Use use(context_);
  MemoryInfo info;
  size_t free = 0, total = 0;
  context_.check(driver_.cuMemGetInfo(&free, &total), "cuMemGetInfo");
  info.total = total;
  info.free = std::min<uint64_t>(free + deviceMemory_->cachedBytes() + poolIdleBytes(), total);
  return info;
}

std::shared_ptr<Buffer> CudaDevice::allocate(size_t bytes, MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Device:
    return allocateDeviceMemory(*this, bytes);
  case MemoryKind::Pinned:
  case MemoryKind::Mapped:
    return allocateHostMemory(*this, bytes, kind);
  case MemoryKind::Managed:
    if (!queryAttribute(attribute::managedMemory))
      throw CompileError(ErrorKind::Unsupported, context_.label() + " has no managed memory");
    return allocateManagedMemory(*this, bytes);
  }
  throw CompileError(ErrorKind::Internal, "memory of an unknown kind");
}

bool CudaDevice::hasPool() {
  std::call_once(poolOpened_, [&] { pool_ = openPool(); });
  return pool_.load(std::memory_order_relaxed) != nullptr;
}

CUmemoryPool CudaDevice::openPool() {
  CUmemoryPool pool = nullptr;
  if (!queryAttribute(attribute::memoryPoolsSupported) ||
      driver_.cuDeviceGetDefaultMemPool(&pool, handle_) != result::success)
    return nullptr;
  // By default the pool frees everything at each synchronization, and the next launch allocates again. Other libraries
  // also use the pool, so a larger threshold that they have set stays.
  uint64_t threshold = 0;
  uint64_t wanted = totalBytes_ / poolShare;
  if (driver_.cuMemPoolGetAttribute(pool, pool::releaseThreshold, &threshold) == result::success &&
      threshold < wanted)
    driver_.cuMemPoolSetAttribute(pool, pool::releaseThreshold, &wanted);
  return pool;
}

uint64_t CudaDevice::poolIdleBytes() const {
  CUmemoryPool pool = pool_;
  uint64_t reserved = 0, used = 0;
  if (!pool || driver_.cuMemPoolGetAttribute(pool, pool::reservedBytes, &reserved) != 0 ||
      driver_.cuMemPoolGetAttribute(pool, pool::usedBytes, &used) != 0)
    return 0;
  return reserved > used ? reserved - used : 0;
}

void CudaDevice::freeCachedMemory() {
  waitForHelperTasks();
  Context::Use use(context_);
  AllowedInCapture allowed(driver_);
  // The pool cannot free memory whose stream has not finished.
  if (!isInCapture())
    context_.check(driver_.cuCtxSynchronize(), "cuCtxSynchronize");
  deviceMemory_->trim();
  if (CUmemoryPool pool = pool_)
    driver_.cuMemPoolTrimTo(pool, 0);
}

void CudaDevice::pin(void *address, size_t bytes) {
  if (!bytes)
    return;
  Context::Use use(context_);
  AllowedInCapture allowed(driver_);
  context_.check(
      driver_.cuMemHostRegister(address, bytes, hostRegisterPortable | hostRegisterMapped),
      "cuMemHostRegister");
}

void CudaDevice::unpin(void *address) {
  Context::Use use(context_);
  AllowedInCapture allowed(driver_);
  context_.check(driver_.cuMemHostUnregister(address), "cuMemHostUnregister");
}

bool CudaDevice::canAccess(const Device &other) const {
  auto *theirs = dynamic_cast<const CudaDevice *>(&other);
  if (!theirs)
    return false;
  int can = 0;
  return theirs == this ||
         (driver_.cuDeviceCanAccessPeer(&can, handle_, theirs->handle_) == result::success && can);
}

bool CudaDevice::hasAccess(const Device &other) const {
  std::lock_guard lock(peersMutex_);
  return &other == this || std::find(peers_.begin(), peers_.end(), &other) != peers_.end();
}

void CudaDevice::enableAccess(const Device &other) {
  if (!canAccess(other))
    throw CompileError(ErrorKind::Value, context_.label() + " cannot reach the memory of " +
                                             other.name() + " (" + std::string(other.type()) + ")");
  auto &theirs = static_cast<const CudaDevice &>(other);
  if (hasAccess(other))
    return;
  theirs.deviceMemory_->markReachable();
  CUmemoryPool theirPool = nullptr;
  {
    Context::Use use(theirs.context_); // creates the peer's context
    theirPool = const_cast<CudaDevice &>(theirs).hasPool() ? theirs.pool_.load() : nullptr;
  }
  Context::Use use(context_);
  CUresult code = driver_.cuCtxEnablePeerAccess(theirs.context_.handle(), 0);
  if (code != result::peerAccessAlreadyEnabled)
    context_.check(code, "cuCtxEnablePeerAccess");
  CUmemAccessDesc access{{pool::locationDevice, handle_}, pool::readWrite};
  if (theirPool)
    context_.check(driver_.cuMemPoolSetAccess(theirPool, &access, 1), "cuMemPoolSetAccess");
  std::lock_guard lock(peersMutex_);
  peers_.push_back(&other);
}

std::optional<std::pair<uint64_t, uint64_t>> CudaDevice::allocationAt(uint64_t address) {
  Context::Use use(context_);
  CUdeviceptr base = 0;
  size_t bytes = 0;
  if (driver_.cuMemGetAddressRange(&base, &bytes, address) != result::success)
    return std::nullopt;
  return std::pair{uint64_t(base), uint64_t(base) + bytes};
}

IpcHandle CudaDevice::exportMemory(const void *address) {
  Context::Use use(context_);
  CUdeviceptr base = 0;
  size_t bytes = 0;
  CUipcMemHandle handle{};
  auto at = cuda::toDevicePointer(address);
  if (driver_.cuMemGetAddressRange(&base, &bytes, at) != result::success)
    throw CompileError(ErrorKind::Value, "the address is in no memory of " + context_.label());
  CUresult code = driver_.cuIpcGetMemHandle(&handle, base);
  if (code == result::invalidValue || code == result::invalidHandle || code == result::notSupported)
    throw CompileError(ErrorKind::Unsupported,
                       "this memory of " + context_.label() +
                           " cannot be shared with other processes (cuIpcGetMemHandle: " +
                           driver_.nameOfErrorCode(code) +
                           "): only that of cuda.device_array() and cuda.to_device() can");
  context_.check(code, "cuIpcGetMemHandle");
  deviceMemory_->markExported(base);
  IpcHandle exported;
  std::memcpy(exported.data(), handle.reserved, exported.size());
  return exported;
}

std::shared_ptr<Buffer> CudaDevice::importMemory(const IpcHandle &handle, size_t bytes) {
  return openSharedMemory(*this, handle, bytes);
}

// Streams.

std::shared_ptr<Stream> CudaDevice::createStream(StreamKind kind) {
  Context::Use use(context_);
  auto handle = std::make_shared<StreamHandle>(context_, kind);
  order_.useBlockingStream();
  return std::make_shared<CudaStream>(*this, std::move(handle), kind);
}

std::shared_ptr<Stream> CudaDevice::externalStream(uint64_t handle) {
  if (handle <= legacyStreamHandle)
    return default_;
  if (handle == perThreadStreamHandle)
    return perThreadStream();
  std::lock_guard lock(externalMutex_);
  std::weak_ptr<CudaStream> &known = external_[handle];
  if (auto stream = known.lock())
    return stream;
  Context::Use use(context_);
  order_.useBlockingStream();
  // To ask for the flags of a stream that captures would end the capture. They do not matter for a graph: no events of
  // StreamOrder belong into it.
  if (isCapturing(context_, streamOfHandle(handle)))
    return std::make_shared<CudaStream>(
        *this, std::make_shared<StreamHandle>(context_, streamOfHandle(handle)),
        StreamKind::Blocking);
  unsigned flags = 0;
  context_.check(driver_.cuStreamGetFlags(streamOfHandle(handle), &flags), "cuStreamGetFlags");
  auto stream = std::make_shared<CudaStream>(
      *this, std::make_shared<StreamHandle>(context_, streamOfHandle(handle)),
      flags & streamNonBlocking ? StreamKind::NonBlocking : StreamKind::Blocking);
  std::erase_if(external_, [](const auto &entry) { return entry.second.expired(); });
  external_[handle] = stream;
  return stream;
}

std::shared_ptr<Stream> CudaDevice::perThreadStream() {
  order_.useBlockingStream();
  return perThread_;
}

Stream &CudaDevice::defaultStream() { return *default_; }

std::shared_ptr<Event> CudaDevice::createEvent(bool timing) {
  return std::make_shared<CudaEvent>(*this, timing);
}

void CudaDevice::synchronize() {
  rejectWaitOnDriverThread();
  Context::Use use(context_);
  if (isInCapture())
    throw CompileError(ErrorKind::Value, "nobody can wait for the device while a stream captures: "
                                         "end the capture first");
  std::unique_ptr<EventHandle> reached;
  {
    std::lock_guard lock(spareMutex_);
    if (!spareEvents_.empty()) {
      reached = std::move(spareEvents_.back());
      spareEvents_.pop_back();
    }
  }
  if (!reached)
    reached = std::make_unique<EventHandle>(context_, false);
  // The legacy default stream waits for all blocking streams, and this wait can be interrupted.
  context_.check(driver_.cuEventRecord(reached->get(), legacyStream()), "cuEventRecord");
  waitUntil([&] { return reached->isComplete(); });
  {
    std::optional<os::DivertedOutput> diverted;
    if (prints_)
      diverted.emplace();
    // Also wait for non-blocking streams of other libraries.
    context_.check(driver_.cuCtxSynchronize(), "cuCtxSynchronize");
  }
  {
    std::lock_guard lock(spareMutex_);
    spareEvents_.push_back(std::move(reached));
  }
  freeHeldUpMemory(context_);
  traps_.throwReported();
}

bool CudaDevice::isInCapture() {
  return context_.captures().any() || isCapturing(context_, legacyStream());
}

bool CudaDevice::isWorkDone() {
  AllowedInCapture allowed(driver_);
  CUresult code = driver_.cuStreamQuery(legacyStream()); // of all blocking streams
  if (code == result::notReady)
    return false;
  context_.check(code, "cuStreamQuery");
  return order_.isWorkDone();
}

void CudaDevice::runWhenRuntimeIsIdle(std::function<void()> task) noexcept {
  pollUntilIdleAndRun(std::move(task), Pace());
}

void CudaDevice::pollUntilIdleAndRun(std::function<void()> task, Pace pace) noexcept {
  // Polls between other tasks: an event in the default stream would make streams wait for each other.
  runOnHelperThread([this, task = std::move(task), pace]() mutable {
    try {
      Context::Use use(context_);
      ActiveCaptures::Lock lock = context_.captures().preventCaptures();
      if (isInCapture())
        return context_.captures().keep(lock, [this, task = std::move(task)]() mutable {
          runWhenRuntimeIsIdle(std::move(task));
        });
      bool isDone = isWorkDone();
      lock.unlock();
      if (!isDone) {
        pace.pause();
        return pollUntilIdleAndRun(std::move(task), pace);
      }
    } catch (...) {
      // The context is lost: nothing runs any more.
    }
    task();
  });
}

// Kernels.

std::shared_ptr<Module> CudaDevice::load(simt::OwnedModule code, const CompileOptions &options) {
  return CudaModule::load(*this, std::move(code), options);
}

const CudaKernel &CudaDevice::requireKernelOfThisGpu(const Kernel &kernel) const {
  auto &mine = static_cast<const CudaKernel &>(kernel);
  if (&mine.context() != &context_)
    throw CompileError(ErrorKind::Value, "kernel " + mine.name() + " is loaded on " +
                                             mine.context().label() + ", not on " +
                                             context_.label());
  return mine;
}

uint32_t CudaDevice::suggestedBlockSize(const Kernel &kernel, uint32_t dynamicSharedBytes) const {
  const CudaKernel &k = requireKernelOfThisGpu(kernel);
  Context::Use use(context_);
  k.allowDynamicShared(dynamicSharedBytes);
  int grid = 0, block = 0;
  context_.check(driver_.cuOccupancyMaxPotentialBlockSize(&grid, &block, k.function(), nullptr,
                                                          dynamicSharedBytes, 0),
                 "cuOccupancyMaxPotentialBlockSize");
  return std::max(block, 1);
}

uint32_t CudaDevice::activeBlocksPerMultiprocessor(const Kernel &kernel, uint32_t blockThreads,
                                                   uint32_t dynamicSharedBytes) const {
  const CudaKernel &k = requireKernelOfThisGpu(kernel);
  Context::Use use(context_);
  k.allowDynamicShared(dynamicSharedBytes);
  int blocks = 0;
  context_.check(driver_.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                     &blocks, k.function(), int(blockThreads), dynamicSharedBytes),
                 "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return std::max(blocks, 0);
}

uint64_t CudaDevice::maxCooperativeBlocks(const Kernel &kernel, uint32_t blockThreads,
                                          uint32_t dynamicSharedBytes) const {
  if (!queryAttribute(attribute::cooperativeLaunch))
    return 0;
  return uint64_t(activeBlocksPerMultiprocessor(kernel, blockThreads, dynamicSharedBytes)) *
         queryAttribute(attribute::multiprocessorCount);
}

void CudaDevice::startProfiler() {
  Context::Use use(context_);
  if (driver_.cuProfilerStart)
    context_.check(driver_.cuProfilerStart(), "cuProfilerStart");
}

void CudaDevice::stopProfiler() {
  Context::Use use(context_);
  if (driver_.cuProfilerStop)
    context_.check(driver_.cuProfilerStop(), "cuProfilerStop");
}

std::string appendGpusOrExplain(std::vector<std::unique_ptr<Device>> &devices) {
  std::string whyNot;
  const Driver *driver = loadDriver(whyNot);
  if (!driver)
    return whyNot;
  int count = 0;
  if (CUresult failed = driver->cuDeviceGetCount(&count))
    return "the NVIDIA driver lists no GPUs: cuDeviceGetCount: " + driver->nameOfErrorCode(failed) +
           ": " + driver->descriptionOfErrorCode(failed);
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice handle = 0;
    if (driver->cuDeviceGet(&handle, ordinal) == result::success)
      devices.push_back(std::make_unique<CudaDevice>(*driver, handle, unsigned(devices.size())));
  }
  return devices.empty() ? "the NVIDIA driver shows no GPU (CUDA_VISIBLE_DEVICES may hide them)"
                         : "";
}

} // namespace heddle::cuda
