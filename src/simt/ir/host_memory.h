// The memory of arrays that functions of the host make, as their LLVM IR sees it. No SIMT IR has it.
//
// An array's memory lies behind its owner, which counts the references to it in its first 8 bytes.
#pragma once

#include <cstdint>

namespace heddle::simt {

/// `ptr (i64 bytes, i1 zeroed)`: an owner with one reference. Ends the call when there is no memory.
inline constexpr const char *allocateFunction = "heddle_host_allocate";
/// `void (ptr owner)`: the last reference is gone.
inline constexpr const char *freeFunction = "heddle_host_free";
/// From an owner to its memory, which is aligned to this, too.
inline constexpr uint64_t ownerBytes = 64;

} // namespace heddle::simt
