// The C library's functions of memory that CUDA has in kernels.
#pragma once

__HEDDLE_FN void *memcpy(void *to, const void *from, size_t n) { return __builtin_memcpy(to, from, n); }
__HEDDLE_FN void *memmove(void *to, const void *from, size_t n) { return __builtin_memmove(to, from, n); }
__HEDDLE_FN void *memset(void *to, int byte, size_t n) { return __builtin_memset(to, byte, n); }

namespace std {
using ::memcpy;
using ::memmove;
using ::memset;
} // namespace std
