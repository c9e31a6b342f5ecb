#pragma once

__HEDDLE_OP(void, __heddle_warp_barrier, "simt.warp.barrier", int, unsigned)
__HEDDLE_OP(unsigned, __heddle_warp_active, "simt.warp.active", int)
__HEDDLE_OP(unsigned, __heddle_ballot, "simt.warp.ballot", int, unsigned, bool)
__HEDDLE_OP(bool, __heddle_all, "simt.warp.all", int, unsigned, bool)
__HEDDLE_OP(bool, __heddle_any, "simt.warp.any", int, unsigned, bool)
__HEDDLE_OP(unsigned, __heddle_match_any_32, "simt.warp.match.any.i32", int, unsigned, unsigned)
__HEDDLE_OP(unsigned, __heddle_match_any_64, "simt.warp.match.any.i64", int, unsigned,
            unsigned long)
__HEDDLE_OP(unsigned, __heddle_match_all_32, "simt.warp.match.all.i32", int, unsigned, unsigned)
__HEDDLE_OP(unsigned, __heddle_match_all_64, "simt.warp.match.all.i64", int, unsigned,
            unsigned long)

__HEDDLE_FN void __syncwarp(unsigned mask = 0xffffffff) { __heddle_warp_barrier(0, mask); }
__HEDDLE_FN unsigned __activemask() { return __heddle_warp_active(0); }
__HEDDLE_FN unsigned __ballot_sync(unsigned mask, int p) {
  return __heddle_ballot(0, mask, p != 0);
}
__HEDDLE_FN int __all_sync(unsigned mask, int p) { return __heddle_all(0, mask, p != 0); }
__HEDDLE_FN int __any_sync(unsigned mask, int p) { return __heddle_any(0, mask, p != 0); }

__HEDDLE_YIELDING_FN unsigned __lanemask_lt() { return (1u << __heddle_laneid()) - 1; }

// Converts a value of 4 or 8 bytes to an integer of that size, and back.
template <int size> struct __heddle_bits;
template <> struct __heddle_bits<4> {
  typedef unsigned type;
};
template <> struct __heddle_bits<8> {
  typedef unsigned long type;
};
template <class T> __HEDDLE_FN typename __heddle_bits<sizeof(T)>::type __heddle_to_bits(T v) {
  return __builtin_bit_cast(typename __heddle_bits<sizeof(T)>::type, v);
}

#define __HEDDLE_SHUFFLE(kind, operation)                                                          \
  __HEDDLE_OP(unsigned, __heddle_shuffle_##kind, "simt.warp.shuffle." operation ".i32", int,       \
              unsigned, unsigned, int, int)                                                        \
  __HEDDLE_OP(unsigned long, __heddle_shuffle_##kind, "simt.warp.shuffle." operation ".i64", int,  \
              unsigned, unsigned long, int, int)
__HEDDLE_SHUFFLE(index, "index")
__HEDDLE_SHUFFLE(up, "up")
__HEDDLE_SHUFFLE(down, "down")
__HEDDLE_SHUFFLE(xor, "xor")
#define __HEDDLE_REDUCTION(kind)                                                                   \
  __HEDDLE_OP(unsigned, __heddle_reduce_##kind, "simt.warp.reduce." #kind ".i32", int, unsigned,   \
              unsigned)
__HEDDLE_REDUCTION(add)
__HEDDLE_REDUCTION(min)
__HEDDLE_REDUCTION(max)
__HEDDLE_REDUCTION(umin)
__HEDDLE_REDUCTION(umax)
__HEDDLE_REDUCTION(and)
__HEDDLE_REDUCTION(or)
__HEDDLE_REDUCTION(xor)
#undef __HEDDLE_REDUCTION
#undef __HEDDLE_SHUFFLE

#define __HEDDLE_SHUFFLES(T)                                                                       \
  __HEDDLE_FN T __shfl_sync(unsigned mask, T v, int lane, int width = 32) {                        \
    return __builtin_bit_cast(                                                                     \
        T, __heddle_shuffle_index(0, mask, __heddle_to_bits(v), lane & 31, width));                \
  }                                                                                                \
  __HEDDLE_FN T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {               \
    return __builtin_bit_cast(                                                                     \
        T, __heddle_shuffle_up(0, mask, __heddle_to_bits(v), delta & 31, width));                  \
  }                                                                                                \
  __HEDDLE_FN T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {             \
    return __builtin_bit_cast(                                                                     \
        T, __heddle_shuffle_down(0, mask, __heddle_to_bits(v), delta & 31, width));                \
  }                                                                                                \
  __HEDDLE_FN T __shfl_xor_sync(unsigned mask, T v, int lanes, int width = 32) {                   \
    return __builtin_bit_cast(                                                                     \
        T, __heddle_shuffle_xor(0, mask, __heddle_to_bits(v), lanes & 31, width));                 \
  }                                                                                                \
  __HEDDLE_FN unsigned __match_any_sync(unsigned mask, T v) {                                      \
    if constexpr (sizeof(T) == 4)                                                                  \
      return __heddle_match_any_32(0, mask, __heddle_to_bits(v));                                  \
    else                                                                                           \
      return __heddle_match_any_64(0, mask, __heddle_to_bits(v));                                  \
  }                                                                                                \
  __HEDDLE_FN unsigned __match_all_sync(unsigned mask, T v, int *same) {                           \
    unsigned lanes;                                                                                \
    if constexpr (sizeof(T) == 4)                                                                  \
      lanes = __heddle_match_all_32(0, mask, __heddle_to_bits(v));                                 \
    else                                                                                           \
      lanes = __heddle_match_all_64(0, mask, __heddle_to_bits(v));                                 \
    *same = lanes != 0;                                                                            \
    return lanes;                                                                                  \
  }
__HEDDLE_SHUFFLES(int)
__HEDDLE_SHUFFLES(unsigned)
__HEDDLE_SHUFFLES(long)
__HEDDLE_SHUFFLES(unsigned long)
__HEDDLE_SHUFFLES(long long)
__HEDDLE_SHUFFLES(unsigned long long)
__HEDDLE_SHUFFLES(float)
__HEDDLE_SHUFFLES(double)
#undef __HEDDLE_SHUFFLES

__HEDDLE_FN int __reduce_add_sync(unsigned mask, int v) { return __heddle_reduce_add(0, mask, v); }
__HEDDLE_FN unsigned __reduce_add_sync(unsigned mask, unsigned v) {
  return __heddle_reduce_add(0, mask, v);
}
__HEDDLE_FN int __reduce_min_sync(unsigned mask, int v) { return __heddle_reduce_min(0, mask, v); }
__HEDDLE_FN unsigned __reduce_min_sync(unsigned mask, unsigned v) {
  return __heddle_reduce_umin(0, mask, v);
}
__HEDDLE_FN int __reduce_max_sync(unsigned mask, int v) { return __heddle_reduce_max(0, mask, v); }
__HEDDLE_FN unsigned __reduce_max_sync(unsigned mask, unsigned v) {
  return __heddle_reduce_umax(0, mask, v);
}
__HEDDLE_FN unsigned __reduce_and_sync(unsigned mask, unsigned v) {
  return __heddle_reduce_and(0, mask, v);
}
__HEDDLE_FN unsigned __reduce_or_sync(unsigned mask, unsigned v) {
  return __heddle_reduce_or(0, mask, v);
}
__HEDDLE_FN unsigned __reduce_xor_sync(unsigned mask, unsigned v) {
  return __heddle_reduce_xor(0, mask, v);
}
