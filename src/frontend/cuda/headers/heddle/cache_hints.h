// Loads and stores of data that is not used again. The hint is for GPUs only: stores that bypass the caches of CPUs are
// slow. The precompiled prelude serves all devices, so this header is not a part of it. Values of more than 8 bytes have
// no hint, because wide accesses matter more.
#pragma once

#if __HEDDLE_GPU__
template <class _T> constexpr bool __heddle_is_word() {
  return sizeof(_T) <= 8 && (sizeof(_T) & (sizeof(_T) - 1)) == 0 && alignof(_T) == sizeof(_T) &&
         __is_trivially_copyable(_T);
}
template <class _T> __HEDDLE_BOTH_FN _T __ldcs(const _T *__from) {
  if constexpr (__heddle_is_word<_T>()) {
    return __builtin_bit_cast(_T, __builtin_nontemporal_load((const __bits_of<_T> *)__from));
  } else {
    return *__from;
  }
}
template <class _T> __HEDDLE_BOTH_FN void __stcs(_T *__to, _T __v) {
  if constexpr (__heddle_is_word<_T>()) {
    __builtin_nontemporal_store(__builtin_bit_cast(__bits_of<_T>, __v), (__bits_of<_T> *)__to);
  } else {
    *__to = __v;
  }
}
#else
template <class _T> __HEDDLE_BOTH_FN _T __ldcs(const _T *__from) { return *__from; }
template <class _T> __HEDDLE_BOTH_FN void __stcs(_T *__to, _T __v) { *__to = __v; }
#endif
