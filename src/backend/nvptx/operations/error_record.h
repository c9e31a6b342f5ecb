// Reports errors from a kernel on a GPU to the host: the ABI between compiled code and the CUDA runtime.
//
// A module that can report errors has a 24-byte variable in global memory, `heddle_errors` (an ErrorChannel), which the
// loader initializes. A thread that traps acquires the claim, a word in device memory, with a compare-and-swap. (Most
// machines do not support atomics on host memory from CUDA.) It then fills in the record and exits; threads that trap
// later only exit. The record is in host memory that the device can access, so that the host reads it after a
// synchronization without a driver call.
#pragma once

#include <cstdint>

namespace heddle::nvptx {

inline constexpr const char *errorChannelName = "heddle_errors";

struct ErrorRecord {
  uint32_t state;  ///< 0 free, 2 complete: the kernel sets 2 (with release), the host resets 0
  uint32_t module; ///< ErrorChannel::module of the reporting module
  uint32_t site;   ///< index into the module's !simt.sites
  uint32_t thread[3];
  uint32_t block[3];
  uint32_t unused;
  int64_t operands[2]; ///< index and extent of simt.trap.index, else 0
};
static_assert(sizeof(ErrorRecord) == 56);

struct ErrorChannel {
  uint64_t claim;  ///< device address of a u32: 0 free, 1 taken; the host frees it with the record
  uint64_t record; ///< device address of an ErrorRecord
  uint32_t module; ///< identifies the module
  uint32_t unused;
};
static_assert(sizeof(ErrorChannel) == 24);

} // namespace heddle::nvptx
