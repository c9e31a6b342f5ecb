// Loads and stores of data that is not used again. The hint is for GPUs only: stores that bypass the caches of CPUs are
// slow. The precompiled prelude serves all devices, so this header is not a part of it. A value of 16 bytes is two or four
// words, which the back end accesses together. Values of other sizes have no hint.
#pragma once

#if __HEDDLE_GPU__
// The types that hold a word. Stores have floating-point types, because LLVM splits stores of integers that consist of
// several members, which loses the hint.
template <unsigned _bytes> struct __heddle_word {};
template <> struct __heddle_word<1> {
  typedef unsigned char __loaded, __stored;
};
template <> struct __heddle_word<2> {
  typedef unsigned short __loaded, __stored;
};
template <> struct __heddle_word<4> {
  typedef unsigned __loaded;
  typedef float __stored;
};
template <> struct __heddle_word<8> {
  typedef unsigned long long __loaded;
  typedef double __stored;
};
template <class _T> constexpr bool __heddle_has_wide_members(decltype(_T::x) *) {
  return sizeof(_T::x) == 8;
}
template <class _T> constexpr bool __heddle_has_wide_members(...) { return false; }
template <class _T> constexpr unsigned __heddle_word_size() {
  return sizeof(_T) < 16 ? sizeof(_T) : __heddle_has_wide_members<_T>(nullptr) ? 8 : 4;
}
template <class _T> constexpr bool __heddle_has_hint() {
  return sizeof(_T) <= 16 && (sizeof(_T) & (sizeof(_T) - 1)) == 0 && alignof(_T) == sizeof(_T) &&
         __is_trivially_copyable(_T);
}
template <class _T> __HEDDLE_BOTH_FN _T __ldcs(const _T *__from) {
  if constexpr (!__heddle_has_hint<_T>()) {
    return *__from;
  } else {
    typedef typename __heddle_word<__heddle_word_size<_T>()>::__loaded _Word;
    struct _Words {
      _Word __at[sizeof(_T) / sizeof(_Word)];
    } __v;
    typedef _Word _First __attribute__((aligned(sizeof(_T))));
    __v.__at[0] = __builtin_nontemporal_load((const _First *)__from);
#pragma unroll
    for (unsigned __i = 1; __i < sizeof(_T) / sizeof(_Word); ++__i)
      __v.__at[__i] = __builtin_nontemporal_load((const _Word *)__from + __i);
    return __builtin_bit_cast(_T, __v);
  }
}
template <class _T> __HEDDLE_BOTH_FN void __stcs(_T *__to, _T __v) {
  if constexpr (!__heddle_has_hint<_T>()) {
    *__to = __v;
  } else {
    typedef typename __heddle_word<__heddle_word_size<_T>()>::__stored _Word;
    struct _Words {
      _Word __at[sizeof(_T) / sizeof(_Word)];
    };
    typedef _Word _First __attribute__((aligned(sizeof(_T))));
    _Words __words = __builtin_bit_cast(_Words, __v);
    __builtin_nontemporal_store(__words.__at[0], (_First *)__to);
#pragma unroll
    for (unsigned __i = 1; __i < sizeof(_T) / sizeof(_Word); ++__i)
      __builtin_nontemporal_store(__words.__at[__i], (_Word *)__to + __i);
  }
}
#else
template <class _T> __HEDDLE_BOTH_FN _T __ldcs(const _T *__from) { return *__from; }
template <class _T> __HEDDLE_BOTH_FN void __stcs(_T *__to, _T __v) { *__to = __v; }
#endif
