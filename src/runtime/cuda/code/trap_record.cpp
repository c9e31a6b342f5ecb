#include "runtime/cuda/code/trap_record.h"

#include <atomic>
#include <cstring>
#include <utility>

namespace heddle::cuda {

namespace {

constexpr uint32_t free = 0;
constexpr uint32_t complete = 2;

} // namespace

nvptx::ErrorChannel TrapRecord::addModule(std::shared_ptr<const TrapNames> names) {
  std::lock_guard lock(mutex_);
  if (!record_)
    allocateRecord();
  uint32_t number = ++lastModule_;
  modules_[number] = std::move(names);
  return {claim_, deviceAddress_, number, 0};
}

void TrapRecord::allocateRecord() {
  const Driver &driver = context_.driver();
  // The next attempt reuses allocations of a failed one.
  if (!memory_)
    memory_ = context_.allocatePageLocked(sizeof(nvptx::ErrorRecord),
                                          hostAllocPortable | hostAllocMapped);
  std::memset(memory_, 0, sizeof(nvptx::ErrorRecord));
  CUdeviceptr address = 0;
  context_.check(driver.cuMemHostGetDevicePointer(&address, memory_, 0),
                 "cuMemHostGetDevicePointer");
  deviceAddress_ = address;
  if (!claim_)
    context_.check(driver.cuMemAlloc(&claim_, sizeof(uint32_t)), "cuMemAlloc");
  constexpr uint32_t nobody = 0;
  context_.writeToDevice(claim_, &nobody, sizeof nobody);
  record_.store(static_cast<nvptx::ErrorRecord *>(memory_), std::memory_order_release);
}

void TrapRecord::keepErrorAndRemoveModule(const nvptx::ErrorChannel &channel) noexcept {
  std::lock_guard lock(mutex_);
  // Set before the record is freed, so that concurrent callers wait for the lock.
  hasUnseen_ = true;
  try {
    // Report only the first error.
    if (auto error = takeRecordedError(); error && !unseen_)
      unseen_ = std::move(error);
  } catch (...) {
    // No memory to describe the error.
  }
  hasUnseen_ = unseen_ != nullptr;
  modules_.erase(channel.module);
}

void TrapRecord::throwIfErrorRecorded() {
  nvptx::ErrorRecord *record = record_.load(std::memory_order_acquire);
  if (!hasUnseen_ &&
      std::atomic_ref<uint32_t>(record->state).load(std::memory_order_acquire) != complete)
    return;
  std::shared_ptr<KernelError> error;
  {
    std::lock_guard lock(mutex_);
    error = std::exchange(unseen_, nullptr);
    hasUnseen_ = false;
    if (auto reported = takeRecordedError(); reported && !error)
      error = std::move(reported);
  }
  if (error)
    throw KernelError(*error);
}

std::shared_ptr<KernelError> TrapRecord::takeRecordedError() {
  nvptx::ErrorRecord *record = record_.load(std::memory_order_acquire);
  if (!record)
    return nullptr;
  std::atomic_ref<uint32_t> state(record->state);
  if (state.load(std::memory_order_acquire) != complete)
    return nullptr;
  nvptx::ErrorRecord copy = *record;
  state.store(free, std::memory_order_release);
  context_.runQuietly(
      [&] { context_.driver().cuMemsetD8Async(claim_, 0, sizeof(uint32_t), legacyStream()); });

  auto found = modules_.find(copy.module);
  const TrapNames *names = found == modules_.end() ? nullptr : found->second.get();
  simt::SiteInfo site{.kind = "KernelRuntimeError", .message = "kernel stopped"};
  if (names && copy.site < names->sites.size())
    site = names->sites[copy.site];
  // The record does not identify the kernel; with several kernels, use the site's function.
  std::string kernel = names && names->kernels.size() == 1 ? names->kernels[0] : site.function;
  return std::make_shared<KernelError>(kernel, site,
                                       formatTrapMessage(site, copy.operands[0], copy.operands[1]),
                                       copy.thread, copy.block);
}

} // namespace heddle::cuda
