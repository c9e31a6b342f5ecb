// Atomics of 16 bytes. They are not a part of the precompiled prelude, which serves all GPUs.
#pragma once

__HEDDLE_OP(unsigned __int128, __heddle_atomic_cas, "simt.atomic.cas.i128.p0", unsigned __int128 *,
            unsigned __int128, unsigned __int128, int)
__HEDDLE_OP(unsigned __int128, __heddle_atomic_exch, "simt.atomic.exch.i128.p0",
            unsigned __int128 *, unsigned __int128, int)

/// _T, if it is a type of 16 bytes that atomics accept.
template <class _T, bool = sizeof(_T) == 16 && alignof(_T) >= 16 && __is_trivially_copyable(_T)>
struct __heddle_wide {};
template <class _T> struct __heddle_wide<_T, true> {
  typedef _T type;
  typedef unsigned __int128 bits;
  static constexpr bool exists = __HEDDLE_GPU__ == 0 || __HEDDLE_GPU__ >= 900;
};

#define __HEDDLE_WIDE_ATOMICS(suffix, scope)                                                       \
  template <class _T>                                                                              \
  __HEDDLE_FN typename __heddle_wide<_T>::type atomicCAS##suffix(_T *__p, _T __expected, _T __v) { \
    static_assert(__heddle_wide<_T>::exists,                                                       \
                  "atomicCAS" #suffix " of 16 bytes needs compute capability 9.0");                \
    using __bits = typename __heddle_wide<_T>::bits;                                               \
    return __builtin_bit_cast(_T, __heddle_atomic_cas((__bits *)__p,                               \
                                                      __builtin_bit_cast(__bits, __expected),      \
                                                      __builtin_bit_cast(__bits, __v), scope));    \
  }                                                                                                \
  template <class _T>                                                                              \
  __HEDDLE_FN typename __heddle_wide<_T>::type atomicExch##suffix(_T *__p, _T __v) {               \
    static_assert(__heddle_wide<_T>::exists,                                                       \
                  "atomicExch" #suffix " of 16 bytes needs compute capability 9.0");               \
    using __bits = typename __heddle_wide<_T>::bits;                                               \
    return __builtin_bit_cast(                                                                     \
        _T, __heddle_atomic_exch((__bits *)__p, __builtin_bit_cast(__bits, __v), scope));          \
  }
__HEDDLE_WIDE_ATOMICS(, 1)
__HEDDLE_WIDE_ATOMICS(_block, 0)
__HEDDLE_WIDE_ATOMICS(_system, 2)
#undef __HEDDLE_WIDE_ATOMICS
