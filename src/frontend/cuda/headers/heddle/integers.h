#pragma once

__HEDDLE_BOTH_FN int __popc(unsigned x) { return __builtin_popcount(x); }
__HEDDLE_BOTH_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__HEDDLE_BOTH_FN int __clz(int x) { return x ? __builtin_clz(x) : 32; }
__HEDDLE_BOTH_FN int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
__HEDDLE_BOTH_FN int __ffs(int x) { return x ? __builtin_ctz(x) + 1 : 0; }
__HEDDLE_BOTH_FN int __ffsll(long long x) { return x ? __builtin_ctzll(x) + 1 : 0; }
__HEDDLE_BOTH_FN unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
__HEDDLE_BOTH_FN unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
__HEDDLE_BOTH_FN unsigned __byte_perm(unsigned x, unsigned y, unsigned selectors) {
  unsigned long bytes = (unsigned long)y << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned s = selectors >> (4 * i) & 0xf;
    unsigned byte = (unsigned)(bytes >> (8 * (s & 7))) & 0xff;
    result |= (s & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << (8 * i);
  }
  return result;
}
__HEDDLE_BOTH_FN unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)((((unsigned long)hi << 32 | lo) << (n & 31)) >> 32);
}
__HEDDLE_BOTH_FN unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)(((unsigned long)hi << 32 | lo) >> (n & 31));
}
__HEDDLE_BOTH_FN unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
  return n >= 32 ? lo : __funnelshift_l(lo, hi, n);
}
__HEDDLE_BOTH_FN unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
  return n >= 32 ? hi : __funnelshift_r(lo, hi, n);
}
__HEDDLE_BOTH_FN int __mulhi(int x, int y) { return (int)(((long)x * y) >> 32); }
__HEDDLE_BOTH_FN unsigned __umulhi(unsigned x, unsigned y) {
  return (unsigned)(((unsigned long)x * y) >> 32);
}
__HEDDLE_BOTH_FN long long __mul64hi(long long x, long long y) {
  return (long long)(((__int128)x * y) >> 64);
}
__HEDDLE_BOTH_FN unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)(((unsigned __int128)x * y) >> 64);
}
__HEDDLE_BOTH_FN int __mul24(int x, int y) { return ((x << 8) >> 8) * ((y << 8) >> 8); }
__HEDDLE_BOTH_FN unsigned __umul24(unsigned x, unsigned y) {
  return (x & 0xffffff) * (y & 0xffffff);
}
__HEDDLE_BOTH_FN int __hadd(int x, int y) { return (int)(((long)x + y) >> 1); }
__HEDDLE_BOTH_FN int __rhadd(int x, int y) { return (int)(((long)x + y + 1) >> 1); }
__HEDDLE_BOTH_FN unsigned __uhadd(unsigned x, unsigned y) {
  return (unsigned)(((unsigned long)x + y) >> 1);
}
__HEDDLE_BOTH_FN unsigned __urhadd(unsigned x, unsigned y) {
  return (unsigned)(((unsigned long)x + y + 1) >> 1);
}
__HEDDLE_BOTH_FN unsigned __sad(int x, int y, unsigned z) {
  return (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x) + z;
}
__HEDDLE_BOTH_FN unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return (x > y ? x - y : y - x) + z;
}
__HEDDLE_BOTH_FN int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i)
    c += (int)(signed char)(a >> (8 * i)) * (int)(signed char)(b >> (8 * i));
  return c;
}
__HEDDLE_BOTH_FN unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i)
    c += (a >> (8 * i) & 0xff) * (b >> (8 * i) & 0xff);
  return c;
}

// Returns the position of the n-th set bit, where n is the magnitude of `offset`. Counts from bit `base`, inclusive,
// upwards for a positive and downwards for a negative `offset`. If `offset` is 0, returns `base` if its bit is set.
// Returns 0xffffffff if there is no such bit.
__HEDDLE_BOTH_FN unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0)
    return base < 32 && mask >> base & 1 ? base : 0xffffffff;
  int step = offset > 0 ? 1 : -1, left = offset > 0 ? offset : -offset;
  for (int at = (int)base; at >= 0 && at < 32; at += step)
    if (mask >> at & 1 && --left == 0)
      return (unsigned)at;
  return 0xffffffff;
}

// Legacy names.
__HEDDLE_YIELDING_BOTH_FN int mulhi(int x, int y) { return __mulhi(x, y); }
__HEDDLE_YIELDING_BOTH_FN unsigned umulhi(unsigned x, unsigned y) { return __umulhi(x, y); }
__HEDDLE_YIELDING_BOTH_FN long long mul64hi(long long x, long long y) { return __mul64hi(x, y); }
__HEDDLE_YIELDING_BOTH_FN unsigned long long umul64hi(unsigned long long x, unsigned long long y) {
  return __umul64hi(x, y);
}
__HEDDLE_YIELDING_BOTH_FN int mul24(int x, int y) { return __mul24(x, y); }
__HEDDLE_YIELDING_BOTH_FN unsigned umul24(unsigned x, unsigned y) { return __umul24(x, y); }

// Loads and stores with a cache hint, which affects only speed.
template <class T> __HEDDLE_BOTH_FN T __ldg(const T *p) { return *p; }
template <class T> __HEDDLE_BOTH_FN T __ldca(const T *p) { return *p; }
template <class T> __HEDDLE_BOTH_FN T __ldcg(const T *p) { return *p; }
template <class T> __HEDDLE_BOTH_FN T __ldlu(const T *p) { return *p; }
// Volatile: each access is performed exactly once.
template <class W, class T> __HEDDLE_BOTH_FN void __heddle_copy_words(T *to, const T *from) {
  for (int i = 0; i < int(sizeof(T) / sizeof(W)); ++i)
    ((volatile W *)to)[i] = ((const volatile W *)from)[i];
}
template <class T> __HEDDLE_BOTH_FN void __heddle_copy_volatile(T *to, const T *from) {
  if (sizeof(T) % 8 == 0 && alignof(T) >= 8)
    __heddle_copy_words<unsigned long long>(to, from);
  else if (sizeof(T) % 4 == 0 && alignof(T) >= 4)
    __heddle_copy_words<unsigned>(to, from);
  else if (sizeof(T) % 2 == 0 && alignof(T) >= 2)
    __heddle_copy_words<unsigned short>(to, from);
  else
    __heddle_copy_words<unsigned char>(to, from);
}
template <class T> __HEDDLE_BOTH_FN T __ldcv(const T *p) {
  T v;
  __heddle_copy_volatile(&v, p);
  return v;
}
template <class T> __HEDDLE_BOTH_FN void __stcg(T *p, T v) { *p = v; }
template <class T> __HEDDLE_BOTH_FN void __stwb(T *p, T v) { *p = v; }
template <class T> __HEDDLE_BOTH_FN void __stwt(T *p, T v) { __heddle_copy_volatile(p, &v); }
