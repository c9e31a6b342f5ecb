// Errors that kernels report to the host: the host's side of backend/nvptx/operations/error_record.h.
#pragma once

#include "backend/nvptx/operations/error_record.h"
#include "runtime/cuda/driver/context.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace heddle::cuda {

/// What is needed to say what a module's traps mean.
struct TrapNames {
  std::vector<std::string> kernels;
  std::vector<simt::SiteInfo> sites;
};

/// A device's one error record, in host memory that the device sees, and the modules that write to it.
class TrapRecord {
public:
  explicit TrapRecord(Context &context) : context_(context) {}

  /// What to put into a new module's channel. The context must be current.
  nvptx::ErrorChannel add(std::shared_ptr<const TrapNames> names);
  /// The module is gone; what it reported and nobody has seen is kept.
  void remove(const nvptx::ErrorChannel &channel) noexcept;

  /// Throws the KernelError that a kernel has reported since the last call, if any. For after a synchronization.
  void throwReported() {
    if (record_.load(std::memory_order_acquire)) [[unlikely]]
      throwIfComplete();
  }

private:
  void throwIfComplete();
  /// Makes the record. Called with the mutex held.
  void open();
  /// Reads and frees a complete record. Null when there is none. Called with the mutex held.
  std::shared_ptr<KernelError> take();

  Context &context_;
  std::atomic<nvptx::ErrorRecord *> record_{nullptr};
  std::atomic<bool> hasUnseen_{false};
  std::mutex mutex_;           ///< guards what follows
  void *memory_ = nullptr;     ///< the record; like claim_ it lives as long as the process
  uint64_t deviceAddress_ = 0; ///< of the record
  CUdeviceptr claim_ = 0;      ///< see ErrorChannel
  uint32_t lastModule_ = 0;
  std::map<uint32_t, std::shared_ptr<const TrapNames>> modules_;
  std::shared_ptr<KernelError> unseen_; ///< of a module that is gone
};

} // namespace heddle::cuda
