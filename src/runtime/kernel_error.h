// Errors in running kernels.
#pragma once

#include "simt/ir/sites.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace heddle {

/// The index along each axis of an unknown thread or block.
inline constexpr uint32_t unknownIndex = UINT32_MAX;

/// Thrown when a kernel stops because of a trap, a fault, a barrier that some threads did not reach, or exhausted
/// memory or stack. `site` gives the source location and the Python exception class; `thread` and `block` identify the
/// thread.
class KernelError : public std::runtime_error {
public:
  KernelError(std::string kernel, simt::SiteInfo site, std::string message,
              const uint32_t (&thread)[3], const uint32_t (&block)[3]);

  const std::string &kernel() const { return kernel_; }
  const simt::SiteInfo &site() const { return site_; }
  /// The site's message with all values filled in.
  const std::string &message() const { return message_; }
  const uint32_t *thread() const { return thread_; }
  const uint32_t *block() const { return block_; }

private:
  std::string kernel_;
  simt::SiteInfo site_;
  std::string message_;
  uint32_t thread_[3];
  uint32_t block_[3];
};

/// Fills in the placeholders of the site's message (simt/ir/sites.h). `arguments` holds the launch's argument slots; it
/// may be null if the message uses no argument.
std::string formatTrapMessage(const simt::SiteInfo &site, int64_t index, int64_t extent,
                              const uint64_t *arguments = nullptr);

/// The error reported if memory is exhausted while an error is described. Names no kernel, thread or block. Allocated
/// at the first call.
const std::shared_ptr<const KernelError> &outOfMemoryError();

/// Thrown when the interrupt check ends a wait or a kernel.
class Interrupted : public std::runtime_error {
public:
  /// `stillRuns`: the work may still be running and using its memory. `note`: an optional sentence for the user about
  /// the running work.
  explicit Interrupted(bool stillRuns = true, std::string note = "")
      : std::runtime_error("interrupted"), stillRuns_(stillRuns), note_(std::move(note)) {}
  bool stillRuns() const { return stillRuns_; }
  const std::string &note() const { return note_; }

private:
  bool stillRuns_;
  std::string note_;
};

/// The error for threads whose work was stopped because another thread's wait was interrupted.
KernelError makeInterruptError();

} // namespace heddle
