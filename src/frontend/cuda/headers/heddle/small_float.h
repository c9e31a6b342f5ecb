// The class of a 16-bit float, its pair, and the functions shared by __half and __nv_bfloat16. Included once for each:
// __HEDDLE_NUMBER is the class, __HEDDLE_PAIR its pair, __HEDDLE_RAW and __HEDDLE_RAW_PAIR their raw bits,
// __HEDDLE_STORAGE the type in Clang, and __HEDDLE_LLVM its name in LLVM.

struct __HEDDLE_RAW {
  unsigned short x;
};
struct __align__(4) __HEDDLE_RAW_PAIR {
  unsigned short x, y;
};

struct __HEDDLE_NUMBER {
  __HEDDLE_STORAGE __v;

  __HEDDLE_NUMBER() = default;
  __HEDDLE_LIB explicit __HEDDLE_NUMBER(__HEDDLE_STORAGE v) : __v(v) {}
  __HEDDLE_LIB __HEDDLE_NUMBER(float v) : __v((__HEDDLE_STORAGE)v) {}
  __HEDDLE_LIB __HEDDLE_NUMBER(double v) : __v((__HEDDLE_STORAGE)v) {}
  template <class T, class = __heddle_integral<T>>
  __HEDDLE_LIB __HEDDLE_NUMBER(T v) : __v((__HEDDLE_STORAGE)__heddle_to_odd(v)) {}
  __HEDDLE_LIB __HEDDLE_NUMBER(__HEDDLE_RAW raw)
      : __v(__builtin_bit_cast(__HEDDLE_STORAGE, raw.x)) {}
  __HEDDLE_LIB operator float() const { return (float)__v; }
  __HEDDLE_LIB operator __HEDDLE_RAW() const { return {__builtin_bit_cast(unsigned short, __v)}; }

  __HEDDLE_LIB14 __HEDDLE_NUMBER &operator+=(__HEDDLE_NUMBER y) {
    return *this = __HEDDLE_NUMBER(__v + y.__v);
  }
  __HEDDLE_LIB14 __HEDDLE_NUMBER &operator-=(__HEDDLE_NUMBER y) {
    return *this = __HEDDLE_NUMBER(__v - y.__v);
  }
  __HEDDLE_LIB14 __HEDDLE_NUMBER &operator*=(__HEDDLE_NUMBER y) {
    return *this = __HEDDLE_NUMBER(__v * y.__v);
  }
  __HEDDLE_LIB14 __HEDDLE_NUMBER &operator/=(__HEDDLE_NUMBER y) {
    return *this = __HEDDLE_NUMBER(__v / y.__v);
  }
  __HEDDLE_LIB14 __HEDDLE_NUMBER &operator++() { return *this += __HEDDLE_NUMBER(1.0f); }
  __HEDDLE_LIB14 __HEDDLE_NUMBER &operator--() { return *this -= __HEDDLE_NUMBER(1.0f); }
  __HEDDLE_LIB14 __HEDDLE_NUMBER operator++(int) {
    __HEDDLE_NUMBER before = *this;
    ++*this;
    return before;
  }
  __HEDDLE_LIB14 __HEDDLE_NUMBER operator--(int) {
    __HEDDLE_NUMBER before = *this;
    --*this;
    return before;
  }
};

struct __align__(4) __HEDDLE_PAIR {
  __HEDDLE_NUMBER x, y;

  __HEDDLE_PAIR() = default;
  __HEDDLE_LIB __HEDDLE_PAIR(__HEDDLE_NUMBER x, __HEDDLE_NUMBER y) : x(x), y(y) {}
  __HEDDLE_LIB __HEDDLE_PAIR(__HEDDLE_RAW_PAIR raw)
      : x(__HEDDLE_RAW{raw.x}), y(__HEDDLE_RAW{raw.y}) {}
};

__HEDDLE_BOTH __HEDDLE_NUMBER operator+(__HEDDLE_NUMBER x) { return x; }
__HEDDLE_BOTH __HEDDLE_NUMBER operator-(__HEDDLE_NUMBER x) { return __HEDDLE_NUMBER(-x.__v); }
__HEDDLE_BOTH __HEDDLE_PAIR operator+(__HEDDLE_PAIR x) { return x; }
__HEDDLE_BOTH __HEDDLE_PAIR operator-(__HEDDLE_PAIR x) { return {-x.x, -x.y}; }

#define __HEDDLE_ARITHMETIC(op, name)                                                              \
  __HEDDLE_BOTH __HEDDLE_NUMBER operator op(__HEDDLE_NUMBER x, __HEDDLE_NUMBER y) {                \
    return __HEDDLE_NUMBER(x.__v op y.__v);                                                        \
  }                                                                                                \
  __HEDDLE_BOTH __HEDDLE_PAIR operator op(__HEDDLE_PAIR x, __HEDDLE_PAIR y) {                      \
    return {x.x op y.x, x.y op y.y};                                                               \
  }                                                                                                \
  __HEDDLE_FN __HEDDLE_PAIR &operator op## = (__HEDDLE_PAIR & x, __HEDDLE_PAIR y) {                \
    return x = x op y;                                                                             \
  }                                                                                                \
  __HEDDLE_BOTH __HEDDLE_NUMBER __h##name(__HEDDLE_NUMBER x, __HEDDLE_NUMBER y) { return x op y; } \
  __HEDDLE_BOTH __HEDDLE_PAIR __h##name##2(__HEDDLE_PAIR x, __HEDDLE_PAIR y) { return x op y; }
__HEDDLE_ARITHMETIC(+, add)
__HEDDLE_ARITHMETIC(-, sub)
__HEDDLE_ARITHMETIC(*, mul)
__HEDDLE_ARITHMETIC(/, div)
#undef __HEDDLE_ARITHMETIC
__HEDDLE_BOTH __HEDDLE_PAIR __h2div(__HEDDLE_PAIR x, __HEDDLE_PAIR y) { return x / y; }

// Computed in float: products are exact there, and rounding sums twice gives correct results. Never contracted to FMAs.
__HEDDLE_BOTH __HEDDLE_NUMBER __hadd_rn(__HEDDLE_NUMBER x, __HEDDLE_NUMBER y) {
  return (float)x + (float)y;
}
__HEDDLE_BOTH __HEDDLE_NUMBER __hsub_rn(__HEDDLE_NUMBER x, __HEDDLE_NUMBER y) {
  return (float)x - (float)y;
}
__HEDDLE_BOTH __HEDDLE_NUMBER __hmul_rn(__HEDDLE_NUMBER x, __HEDDLE_NUMBER y) {
  return (float)x * (float)y;
}
__HEDDLE_BOTH __HEDDLE_PAIR __hadd2_rn(__HEDDLE_PAIR x, __HEDDLE_PAIR y) {
  return {__hadd_rn(x.x, y.x), __hadd_rn(x.y, y.y)};
}
__HEDDLE_BOTH __HEDDLE_PAIR __hsub2_rn(__HEDDLE_PAIR x, __HEDDLE_PAIR y) {
  return {__hsub_rn(x.x, y.x), __hsub_rn(x.y, y.y)};
}
__HEDDLE_BOTH __HEDDLE_PAIR __hmul2_rn(__HEDDLE_PAIR x, __HEDDLE_PAIR y) {
  return {__hmul_rn(x.x, y.x), __hmul_rn(x.y, y.y)};
}

__HEDDLE_BOTH __HEDDLE_NUMBER __hneg(__HEDDLE_NUMBER x) { return -x; }
__HEDDLE_BOTH __HEDDLE_PAIR __hneg2(__HEDDLE_PAIR x) { return -x; }
__HEDDLE_BOTH __HEDDLE_NUMBER __habs(__HEDDLE_NUMBER x) {
  return __HEDDLE_RAW{(unsigned short)(((__HEDDLE_RAW)x).x & 0x7fff)};
}
__HEDDLE_BOTH __HEDDLE_PAIR __habs2(__HEDDLE_PAIR x) { return {__habs(x.x), __habs(x.y)}; }

__HEDDLE_OP(__HEDDLE_STORAGE, __heddle_fma, "llvm.fma." __HEDDLE_LLVM, __HEDDLE_STORAGE,
            __HEDDLE_STORAGE, __HEDDLE_STORAGE)
__HEDDLE_FN __HEDDLE_NUMBER __hfma(__HEDDLE_NUMBER x, __HEDDLE_NUMBER y, __HEDDLE_NUMBER z) {
  return __HEDDLE_NUMBER(__heddle_fma(x.__v, y.__v, z.__v));
}
__HEDDLE_FN __HEDDLE_PAIR __hfma2(__HEDDLE_PAIR x, __HEDDLE_PAIR y, __HEDDLE_PAIR z) {
  return {__hfma(x.x, y.x, z.x), __hfma(x.y, y.y, z.y)};
}
// x * y + z for complex numbers, whose imaginary part is the second number.
__HEDDLE_FN __HEDDLE_PAIR __hcmadd(__HEDDLE_PAIR x, __HEDDLE_PAIR y, __HEDDLE_PAIR z) {
  return {__hfma(-x.y, y.y, __hfma(x.x, y.x, z.x)), __hfma(x.y, y.x, __hfma(x.x, y.y, z.y))};
}

// Clamp results to [0, 1], with NaN as 0 (_sat), or to at least 0, with NaN unchanged (_relu).
__HEDDLE_FN __HEDDLE_NUMBER __heddle_saturated(__HEDDLE_NUMBER x) { return __saturatef(x); }
__HEDDLE_FN __HEDDLE_PAIR __heddle_saturated(__HEDDLE_PAIR x) {
  return {__heddle_saturated(x.x), __heddle_saturated(x.y)};
}
__HEDDLE_FN __HEDDLE_NUMBER __heddle_rectified(__HEDDLE_NUMBER x) {
  return x.__v < (__HEDDLE_STORAGE)0.0f ? __HEDDLE_NUMBER(0.0f) : x;
}
__HEDDLE_FN __HEDDLE_PAIR __heddle_rectified(__HEDDLE_PAIR x) {
  return {__heddle_rectified(x.x), __heddle_rectified(x.y)};
}
#define __HEDDLE_SATURATED(T, s)                                                                   \
  __HEDDLE_FN T __hadd##s##_sat(T x, T y) { return __heddle_saturated(x + y); }                    \
  __HEDDLE_FN T __hsub##s##_sat(T x, T y) { return __heddle_saturated(x - y); }                    \
  __HEDDLE_FN T __hmul##s##_sat(T x, T y) { return __heddle_saturated(x * y); }                    \
  __HEDDLE_FN T __hfma##s##_sat(T x, T y, T z) { return __heddle_saturated(__hfma##s(x, y, z)); }  \
  __HEDDLE_FN T __hfma##s##_relu(T x, T y, T z) { return __heddle_rectified(__hfma##s(x, y, z)); }
__HEDDLE_SATURATED(__HEDDLE_NUMBER, )
__HEDDLE_SATURATED(__HEDDLE_PAIR, 2)
#undef __HEDDLE_SATURATED

__HEDDLE_BOTH bool __hisnan(__HEDDLE_NUMBER x) { return x.__v != x.__v; }
__HEDDLE_BOTH int __hisinf(__HEDDLE_NUMBER x) {
  return (float)x == __builtin_inff() ? 1 : (float)x == -__builtin_inff() ? -1 : 0;
}

// If an operand is NaN, the ordered functions (__heq, __hlt, ...) return false and the unordered ones (suffix u) return
// true.
#define __HEDDLE_COMPARISON(op, name)                                                              \
  __HEDDLE_BOTH bool operator op(__HEDDLE_NUMBER x, __HEDDLE_NUMBER y) { return x.__v op y.__v; }  \
  __HEDDLE_BOTH bool operator op(__HEDDLE_PAIR x, __HEDDLE_PAIR y) {                               \
    return x.x op y.x && x.y op y.y;                                                               \
  }                                                                                                \
  __HEDDLE_COMPARISON_OF(name, __hisnan(x) || __hisnan(y) ? false : x.__v op y.__v)                \
  __HEDDLE_COMPARISON_OF(name##u, __hisnan(x) || __hisnan(y) ? true : x.__v op y.__v)
#define __HEDDLE_COMPARISON_OF(name, condition)                                                    \
  __HEDDLE_BOTH bool __h##name(__HEDDLE_NUMBER x, __HEDDLE_NUMBER y) { return condition; }         \
  __HEDDLE_BOTH __HEDDLE_PAIR __h##name##2(__HEDDLE_PAIR x, __HEDDLE_PAIR y) {                     \
    return {__HEDDLE_NUMBER(__h##name(x.x, y.x) ? 1.0f : 0.0f),                                    \
            __HEDDLE_NUMBER(__h##name(x.y, y.y) ? 1.0f : 0.0f)};                                   \
  }                                                                                                \
  __HEDDLE_BOTH bool __hb##name##2(__HEDDLE_PAIR x, __HEDDLE_PAIR y) {                             \
    return __h##name(x.x, y.x) && __h##name(x.y, y.y);                                             \
  }                                                                                                \
  __HEDDLE_BOTH unsigned __h##name##2_mask(__HEDDLE_PAIR x, __HEDDLE_PAIR y) {                     \
    return (__h##name(x.x, y.x) ? 0xffffu : 0u) | (__h##name(x.y, y.y) ? 0xffff0000u : 0u);        \
  }
__HEDDLE_COMPARISON(==, eq)
__HEDDLE_COMPARISON(!=, ne)
__HEDDLE_COMPARISON(<, lt)
__HEDDLE_COMPARISON(<=, le)
__HEDDLE_COMPARISON(>, gt)
__HEDDLE_COMPARISON(>=, ge)
#undef __HEDDLE_COMPARISON
#undef __HEDDLE_COMPARISON_OF
__HEDDLE_BOTH __HEDDLE_PAIR __hisnan2(__HEDDLE_PAIR x) {
  return {__HEDDLE_NUMBER(__hisnan(x.x) ? 1.0f : 0.0f),
          __HEDDLE_NUMBER(__hisnan(x.y) ? 1.0f : 0.0f)};
}

#define __HEDDLE_EXTREME(name, function)                                                           \
  __HEDDLE_FN __HEDDLE_NUMBER __h##name(__HEDDLE_NUMBER x, __HEDDLE_NUMBER y) {                    \
    return function((float)x, (float)y);                                                           \
  }                                                                                                \
  __HEDDLE_FN __HEDDLE_NUMBER __h##name##_nan(__HEDDLE_NUMBER x, __HEDDLE_NUMBER y) {              \
    return __hisnan(x) ? x : __hisnan(y) ? y : __h##name(x, y);                                    \
  }                                                                                                \
  __HEDDLE_FN __HEDDLE_PAIR __h##name##2(__HEDDLE_PAIR x, __HEDDLE_PAIR y) {                       \
    return {__h##name(x.x, y.x), __h##name(x.y, y.y)};                                             \
  }                                                                                                \
  __HEDDLE_FN __HEDDLE_PAIR __h##name##2_nan(__HEDDLE_PAIR x, __HEDDLE_PAIR y) {                   \
    return {__h##name##_nan(x.x, y.x), __h##name##_nan(x.y, y.y)};                                 \
  }                                                                                                \
  __HEDDLE_YIELDING_FN __HEDDLE_NUMBER name(__HEDDLE_NUMBER x, __HEDDLE_NUMBER y) {                \
    return __h##name(x, y);                                                                        \
  }
__HEDDLE_EXTREME(min, __heddle_fmin)
__HEDDLE_EXTREME(max, __heddle_fmax)
#undef __HEDDLE_EXTREME

#define __HEDDLE_FUNCTION(name, result)                                                            \
  __HEDDLE_FN __HEDDLE_NUMBER h##name(__HEDDLE_NUMBER h) {                                         \
    float x = h;                                                                                   \
    return __HEDDLE_NUMBER((float)(result));                                                       \
  }                                                                                                \
  __HEDDLE_FN __HEDDLE_PAIR h2##name(__HEDDLE_PAIR x) { return {h##name(x.x), h##name(x.y)}; }
__HEDDLE_FUNCTION(sqrt, __heddle_sqrt(x))
__HEDDLE_FUNCTION(rsqrt, __heddle_rsqrt(x))
__HEDDLE_FUNCTION(rcp, 1.0f / x)
__HEDDLE_FUNCTION(exp, __heddle_exp(x))
__HEDDLE_FUNCTION(exp2, __heddle_exp2(x))
__HEDDLE_FUNCTION(exp10, __heddle_exp10(x))
__HEDDLE_FUNCTION(log, __heddle_log(x))
__HEDDLE_FUNCTION(log2, __heddle_log2(x))
__HEDDLE_FUNCTION(log10, __heddle_log10(x))
__HEDDLE_FUNCTION(sin, __heddle_sin(x))
__HEDDLE_FUNCTION(cos, __heddle_cos(x))
__HEDDLE_FUNCTION(tanh, __heddle_tanh(x))
__HEDDLE_FUNCTION(tanh_approx, __heddle_tanh(x))
__HEDDLE_FUNCTION(floor, __heddle_floor(x))
__HEDDLE_FUNCTION(ceil, __heddle_ceil(x))
__HEDDLE_FUNCTION(trunc, __heddle_trunc(x))
__HEDDLE_FUNCTION(rint, __heddle_rint(x))
#undef __HEDDLE_FUNCTION

// The bits of one number or a pair, for shuffles and atomics.
__HEDDLE_BOTH unsigned __heddle_bits_of(__HEDDLE_NUMBER x) {
  return __builtin_bit_cast(unsigned short, x);
}
__HEDDLE_BOTH unsigned __heddle_bits_of(__HEDDLE_PAIR x) { return __builtin_bit_cast(unsigned, x); }
__HEDDLE_BOTH __HEDDLE_NUMBER __heddle_of_bits(unsigned bits, __HEDDLE_NUMBER) {
  return __HEDDLE_RAW{(unsigned short)bits};
}
__HEDDLE_BOTH __HEDDLE_PAIR __heddle_of_bits(unsigned bits, __HEDDLE_PAIR) {
  return __builtin_bit_cast(__HEDDLE_PAIR, bits);
}

#define __HEDDLE_SHUFFLES(T)                                                                       \
  __HEDDLE_FN T __shfl_sync(unsigned mask, T v, int lane, int width = 32) {                        \
    return __heddle_of_bits(::__shfl_sync(mask, __heddle_bits_of(v), lane, width), v);             \
  }                                                                                                \
  __HEDDLE_FN T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {               \
    return __heddle_of_bits(::__shfl_up_sync(mask, __heddle_bits_of(v), delta, width), v);         \
  }                                                                                                \
  __HEDDLE_FN T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {             \
    return __heddle_of_bits(::__shfl_down_sync(mask, __heddle_bits_of(v), delta, width), v);       \
  }                                                                                                \
  __HEDDLE_FN T __shfl_xor_sync(unsigned mask, T v, int lanes, int width = 32) {                   \
    return __heddle_of_bits(::__shfl_xor_sync(mask, __heddle_bits_of(v), lanes, width), v);        \
  }
__HEDDLE_SHUFFLES(__HEDDLE_NUMBER)
__HEDDLE_SHUFFLES(__HEDDLE_PAIR)
#undef __HEDDLE_SHUFFLES

// The loop compares bits instead of numbers, so that it also ends if the sum is NaN.
#define __HEDDLE_ATOMIC_ADD(T, I)                                                                  \
  __HEDDLE_FN T atomicAdd(T *p, T v) {                                                             \
    I old = *(const volatile I *)p;                                                                \
    for (;;) {                                                                                     \
      T before = __heddle_of_bits(old, v);                                                         \
      I seen = ::atomicCAS((I *)p, old, (I)__heddle_bits_of(before + v));                          \
      if (seen == old)                                                                             \
        return before;                                                                             \
      old = seen;                                                                                  \
    }                                                                                              \
  }
__HEDDLE_ATOMIC_ADD(__HEDDLE_NUMBER, unsigned short)
__HEDDLE_ATOMIC_ADD(__HEDDLE_PAIR, unsigned)
#undef __HEDDLE_ATOMIC_ADD

// Conversions named after both types.
#define __HEDDLE_FROM_INTEGER(I, name, number)                                                     \
  __HEDDLE_BOTH __HEDDLE_NUMBER __##name##2##number##_rn(I x) { return x; }                        \
  __HEDDLE_FN __HEDDLE_NUMBER __##name##2##number##_rd(I x) {                                      \
    return __heddle_rounded_down<__HEDDLE_NUMBER>(__heddle_to_odd(x));                             \
  }                                                                                                \
  __HEDDLE_FN __HEDDLE_NUMBER __##name##2##number##_ru(I x) {                                      \
    return __heddle_rounded_up<__HEDDLE_NUMBER>(__heddle_to_odd(x));                               \
  }                                                                                                \
  __HEDDLE_FN __HEDDLE_NUMBER __##name##2##number##_rz(I x) {                                      \
    return __heddle_rounded_to_zero<__HEDDLE_NUMBER>(__heddle_to_odd(x));                          \
  }                                                                                                \
  __HEDDLE_FN I __##number##2##name##_rn(__HEDDLE_NUMBER x) { return (I)__heddle_rint((float)x); } \
  __HEDDLE_FN I __##number##2##name##_rd(__HEDDLE_NUMBER x) {                                      \
    return (I)__heddle_floor((float)x);                                                            \
  }                                                                                                \
  __HEDDLE_FN I __##number##2##name##_ru(__HEDDLE_NUMBER x) { return (I)__heddle_ceil((float)x); } \
  __HEDDLE_FN I __##number##2##name##_rz(__HEDDLE_NUMBER x) { return (I)__heddle_trunc((float)x); }
#define __HEDDLE_CONVERSIONS(number)                                                               \
  __HEDDLE_FROM_INTEGER(int, int, number)                                                          \
  __HEDDLE_FROM_INTEGER(unsigned, uint, number)                                                    \
  __HEDDLE_FROM_INTEGER(short, short, number)                                                      \
  __HEDDLE_FROM_INTEGER(unsigned short, ushort, number)                                            \
  __HEDDLE_FROM_INTEGER(long long, ll, number)                                                     \
  __HEDDLE_FROM_INTEGER(unsigned long long, ull, number)                                           \
  __HEDDLE_FN signed char __##number##2char_rz(__HEDDLE_NUMBER x) {                                \
    return (signed char)min(max((int)(float)x, -128), 127);                                        \
  }                                                                                                \
  __HEDDLE_FN unsigned char __##number##2uchar_rz(__HEDDLE_NUMBER x) {                             \
    return (unsigned char)min(max((int)(float)x, 0), 255);                                         \
  }                                                                                                \
  __HEDDLE_BOTH float __##number##2float(__HEDDLE_NUMBER x) { return x; }                          \
  __HEDDLE_BOTH __HEDDLE_NUMBER __float2##number(float x) { return x; }                            \
  __HEDDLE_BOTH __HEDDLE_NUMBER __float2##number##_rn(float x) { return x; }                       \
  __HEDDLE_FN __HEDDLE_NUMBER __float2##number##_rd(float x) {                                     \
    return __heddle_rounded_down<__HEDDLE_NUMBER>(x);                                              \
  }                                                                                                \
  __HEDDLE_FN __HEDDLE_NUMBER __float2##number##_ru(float x) {                                     \
    return __heddle_rounded_up<__HEDDLE_NUMBER>(x);                                                \
  }                                                                                                \
  __HEDDLE_FN __HEDDLE_NUMBER __float2##number##_rz(float x) {                                     \
    return __heddle_rounded_to_zero<__HEDDLE_NUMBER>(x);                                           \
  }                                                                                                \
  __HEDDLE_BOTH __HEDDLE_NUMBER __double2##number(double x) { return x; }                          \
  __HEDDLE_BOTH short __##number##_as_short(__HEDDLE_NUMBER x) {                                   \
    return __builtin_bit_cast(short, x);                                                           \
  }                                                                                                \
  __HEDDLE_BOTH unsigned short __##number##_as_ushort(__HEDDLE_NUMBER x) {                         \
    return __builtin_bit_cast(unsigned short, x);                                                  \
  }                                                                                                \
  __HEDDLE_BOTH __HEDDLE_NUMBER __short_as_##number(short x) {                                     \
    return __HEDDLE_RAW{(unsigned short)x};                                                        \
  }                                                                                                \
  __HEDDLE_BOTH __HEDDLE_NUMBER __ushort_as_##number(unsigned short x) { return __HEDDLE_RAW{x}; } \
  __HEDDLE_BOTH __HEDDLE_NUMBER __low2##number(__HEDDLE_PAIR x) { return x.x; }                    \
  __HEDDLE_BOTH __HEDDLE_NUMBER __high2##number(__HEDDLE_PAIR x) { return x.y; }                   \
  __HEDDLE_BOTH __HEDDLE_PAIR __##number##2##number##2(__HEDDLE_NUMBER x) { return {x, x}; }       \
  __HEDDLE_BOTH __HEDDLE_PAIR __low2##number##2(__HEDDLE_PAIR x) { return {x.x, x.x}; }            \
  __HEDDLE_BOTH __HEDDLE_PAIR __high2##number##2(__HEDDLE_PAIR x) { return {x.y, x.y}; }           \
  __HEDDLE_BOTH __HEDDLE_PAIR __lows2##number##2(__HEDDLE_PAIR x, __HEDDLE_PAIR y) {               \
    return {x.x, y.x};                                                                             \
  }                                                                                                \
  __HEDDLE_BOTH __HEDDLE_PAIR __highs2##number##2(__HEDDLE_PAIR x, __HEDDLE_PAIR y) {              \
    return {x.y, y.y};                                                                             \
  }                                                                                                \
  __HEDDLE_BOTH __HEDDLE_PAIR __float2##number##2_rn(float x) { return {x, x}; }                   \
  __HEDDLE_BOTH __HEDDLE_PAIR __floats2##number##2_rn(float x, float y) { return {x, y}; }         \
  __HEDDLE_BOTH __HEDDLE_PAIR __float22##number##2_rn(float2 v) { return {v.x, v.y}; }             \
  __HEDDLE_BOTH float2 __##number##22float2(__HEDDLE_PAIR v) { return {(float)v.x, (float)v.y}; }
__HEDDLE_BOTH float __low2float(__HEDDLE_PAIR x) { return x.x; }
__HEDDLE_BOTH float __high2float(__HEDDLE_PAIR x) { return x.y; }
__HEDDLE_BOTH __HEDDLE_PAIR __lowhigh2highlow(__HEDDLE_PAIR x) { return {x.y, x.x}; }
