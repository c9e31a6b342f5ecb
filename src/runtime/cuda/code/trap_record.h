// Errors that kernels report to the host: the host side of backend/nvptx/operations/error_record.h.
#pragma once

#include "backend/nvptx/operations/error_record.h"
#include "runtime/cuda/driver/context.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace heddle::cuda {

/// The kernels and sites of a module, to describe its traps.
struct TrapNames {
  std::vector<std::string> kernels;
  std::vector<simt::SiteInfo> sites;
};

/// A device's error record, in host memory that the device can access, and the modules that write to it.
class TrapRecord {
public:
  explicit TrapRecord(Context &context) : context_(context) {}

  /// Registers a module and returns its error channel. The context must be current.
  nvptx::ErrorChannel addModule(std::shared_ptr<const TrapNames> names);
  /// Unregisters a module. Keeps its error if it has not been reported yet.
  void keepErrorAndRemoveModule(const nvptx::ErrorChannel &channel) noexcept;

  /// Throws the KernelError that a kernel has reported since the last call, if any. Call after a synchronization.
  void throwReported() {
    if (record_.load(std::memory_order_acquire)) [[unlikely]]
      throwIfErrorRecorded();
  }

private:
  void throwIfErrorRecorded();
  /// Allocates the record. Called with the mutex held.
  void allocateRecord();
  /// Reads and frees a complete record. Returns null if there is none. Called with the mutex held.
  std::shared_ptr<KernelError> takeRecordedError();

  Context &context_;
  std::atomic<nvptx::ErrorRecord *> record_{nullptr};
  std::atomic<bool> hasUnseen_{false};
  std::mutex mutex_;           ///< guards the members below
  void *memory_ = nullptr;     ///< the record; like claim_ it is never freed
  uint64_t deviceAddress_ = 0; ///< device address of the record
  CUdeviceptr claim_ = 0;      ///< see ErrorChannel
  uint32_t lastModule_ = 0;
  std::map<uint32_t, std::shared_ptr<const TrapNames>> modules_;
  std::shared_ptr<KernelError> unseen_; ///< unreported error of an unregistered module
};

} // namespace heddle::cuda
