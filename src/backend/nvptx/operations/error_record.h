// How a kernel on a GPU reports an error to the host: the ABI between compiled code and the CUDA runtime.
//
// A module that can report has one variable of 24 bytes, `heddle_errors` (an ErrorChannel), in global memory. The
// loader fills it. A thread that traps takes the claim, a word of the device's own memory (atomic operations on the
// host's are no part of CUDA on most machines), with a compare-and-swap, writes to the record what happened, and leaves
// the kernel; threads that trap later only leave. The record lies in host memory that the device sees, so that the host
// reads it after a synchronization without a call to the driver.
#pragma once

#include <cstdint>

namespace heddle::nvptx {

inline constexpr const char *errorChannelName = "heddle_errors";

struct ErrorRecord {
  uint32_t state;  ///< 0 free, 2 complete: the kernel goes 0 -> 2 (with release), the host 2 -> 0
  uint32_t module; ///< ErrorChannel::module of the module that reports
  uint32_t site;   ///< index into its !simt.sites
  uint32_t thread[3];
  uint32_t block[3];
  uint32_t unused;
  int64_t operands[2]; ///< index and extent of simt.trap.index; 0 for others
};
static_assert(sizeof(ErrorRecord) == 56);

struct ErrorChannel {
  uint64_t claim;  ///< device address of a u32: 0 free, 1 taken; the host frees it with the record
  uint64_t record; ///< device address of an ErrorRecord
  uint32_t module; ///< any number that tells the module
  uint32_t unused;
};
static_assert(sizeof(ErrorChannel) == 24);

} // namespace heddle::nvptx
