// Loads and stores of data that is not used again. The hint is for GPUs only: stores that bypass the caches of CPUs are
// slow. The precompiled prelude serves all devices, so this header is not a part of it. Values of more than 8 bytes have
// no hint, because wide accesses matter more.
#pragma once

#if __HEDDLE_GPU__
template <unsigned bytes> struct __heddle_word {};
template <> struct __heddle_word<1> {
  typedef unsigned char type;
};
template <> struct __heddle_word<2> {
  typedef unsigned short type;
};
template <> struct __heddle_word<4> {
  typedef unsigned type;
};
template <> struct __heddle_word<8> {
  typedef unsigned long long type;
};
template <class T> constexpr bool __heddle_is_word() {
  return sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0 && alignof(T) == sizeof(T) &&
         __is_trivially_copyable(T);
}
template <class T> __HEDDLE_BOTH_FN T __ldcs(const T *p) {
  if constexpr (__heddle_is_word<T>()) {
    typedef typename __heddle_word<sizeof(T)>::type Word;
    return __builtin_bit_cast(T, __builtin_nontemporal_load((const Word *)p));
  } else {
    return *p;
  }
}
template <class T> __HEDDLE_BOTH_FN void __stcs(T *p, T v) {
  if constexpr (__heddle_is_word<T>()) {
    typedef typename __heddle_word<sizeof(T)>::type Word;
    __builtin_nontemporal_store(__builtin_bit_cast(Word, v), (Word *)p);
  } else {
    *p = v;
  }
}
#else
template <class T> __HEDDLE_BOTH_FN T __ldcs(const T *p) { return *p; }
template <class T> __HEDDLE_BOTH_FN void __stcs(T *p, T v) { *p = v; }
#endif
