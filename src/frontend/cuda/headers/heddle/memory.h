// C library memory functions that CUDA supports in kernels.
#pragma once

__HEDDLE_FN void *memcpy(void *to, const void *from, size_t n) {
  return __builtin_memcpy(to, from, n);
}
__HEDDLE_FN void *memmove(void *to, const void *from, size_t n) {
  return __builtin_memmove(to, from, n);
}
__HEDDLE_FN void *memset(void *to, int byte, size_t n) { return __builtin_memset(to, byte, n); }
__HEDDLE_FN int memcmp(const void *x, const void *y, size_t n) {
  const unsigned char *a = (const unsigned char *)x, *b = (const unsigned char *)y;
  for (size_t i = 0; i < n; ++i)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}
__HEDDLE_FN size_t strlen(const char *text) {
  size_t n = 0;
  while (text[n])
    ++n;
  return n;
}

// Memory until the function returns. The compiler must see a limit of the size.
#define alloca(bytes) __builtin_alloca(bytes)

namespace std {
using ::memcmp;
using ::memcpy;
using ::memmove;
using ::memset;
using ::strlen;
} // namespace std
