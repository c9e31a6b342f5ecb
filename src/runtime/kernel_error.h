// Errors of running kernels.
#pragma once

#include "simt/ir/sites.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace heddle {

/// In the place of the index of a thread or block that is not known.
inline constexpr uint32_t unknownIndex = UINT32_MAX;

/// A kernel stopped: a trap, a barrier that not every thread of the block reached, a stack that ran out.
/// `site` says where in the user's source and which Python exception it is; `thread` and `block` say who.
class KernelError : public std::runtime_error {
public:
  KernelError(std::string kernel, simt::SiteInfo site, std::string message,
              const uint32_t (&thread)[3], const uint32_t (&block)[3]);

  const std::string &kernel() const { return kernel_; }
  const simt::SiteInfo &site() const { return site_; }
  /// The site's message with its values filled in.
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

/// The site's message with {index}, {unsigned index}, {extent} and {argument N} filled in. `arguments`: the launch's slots; null where no
/// message names one.
std::string messageAt(const simt::SiteInfo &site, int64_t index, int64_t extent,
                      const uint64_t *arguments = nullptr);

/// What stands in for an error that there is no memory for, made at the first call: no kernel, thread or block is named.
const std::shared_ptr<const KernelError> &errorWithoutMemory();

/// A wait was given up, or a kernel left, because the interrupt check said so.
class Interrupted : public std::runtime_error {
public:
  /// `stillRuns`: what was waited for may go on, and use its memory.
  /// `note`: a sentence for the user about that, or nothing.
  explicit Interrupted(bool stillRuns = true, std::string note = "")
      : std::runtime_error("interrupted"), stillRuns_(stillRuns), note_(std::move(note)) {}
  bool stillRuns() const { return stillRuns_; }
  const std::string &note() const { return note_; }

private:
  bool stillRuns_;
  std::string note_;
};

/// The error of threads that wait for work which an interrupt of another thread's wait has stopped.
KernelError stoppedByInterrupt();

} // namespace heddle
