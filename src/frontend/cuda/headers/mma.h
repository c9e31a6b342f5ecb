// Warp matrix multiply-accumulate: the fragments of tensor cores. On GPUs of compute capability 7.5, tf32 and double are
// software.
#pragma once
#include "heddle/tensor_cores.h"

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a {
  static constexpr const char *letter() { return "a"; }
};
struct matrix_b {
  static constexpr const char *letter() { return "b"; }
};
struct accumulator {
  static constexpr const char *letter() { return "c"; }
};
enum layout_t { mem_row_major, mem_col_major };

/// The supported products: the types of the factors' elements in fragments (`kept`) and in multiplications (`number`),
/// and of the sums.
template <class T> struct __heddle_factors {
  enum { known = false };
};
template <class Kept, class Number, class Sum, class OtherSum = Sum>
struct __heddle_factors_of_16x16x16 {
  typedef Kept kept;
  typedef Number number;
  enum { known = true };
  template <class T> static constexpr bool sums = __is_same(T, Sum) || __is_same(T, OtherSum);
  static constexpr bool has(int m, int n, int k) {
    return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
  }
};
template <>
struct __heddle_factors<__half> : __heddle_factors_of_16x16x16<__half, float, float, __half> {};
template <>
struct __heddle_factors<__nv_bfloat16> : __heddle_factors_of_16x16x16<__nv_bfloat16, float, float> {
};
template <>
struct __heddle_factors<signed char> : __heddle_factors_of_16x16x16<signed char, int, int> {};
template <>
struct __heddle_factors<unsigned char> : __heddle_factors_of_16x16x16<unsigned char, int, int> {};
template <>
struct __heddle_factors<precision::tf32> : __heddle_factors_of_16x16x16<float, float, float> {
  static constexpr bool has(int m, int n, int k) { return m == 16 && n == 16 && k == 8; }
};
template <> struct __heddle_factors<double> : __heddle_factors_of_16x16x16<double, double, double> {
  static constexpr bool has(int m, int n, int k) { return m == 8 && n == 8 && k == 4; }
};

/// Converts a factor element for multiplication. The hardware ignores the bits of a float that TF32 lacks.
template <class T, class Kept> __HEDDLE_FN auto __heddle_factor(Kept x) {
  if constexpr (__is_same(T, precision::tf32))
    return __uint_as_float(__float_as_uint(x) & 0xffffe000u);
  else
    return (typename __heddle_factors<T>::number)x;
}

/// The part of a matrix that one lane holds. In software these are `size` consecutive elements of a line, which is a row
/// of `a` or of the sums, or a column of `b`. If the lanes hold more elements than the matrix has, lines are held several
/// times.
template <class T, int lines, int length, int size> struct __heddle_tile {
  typedef T element_type;
  typedef T storage_element_type;
  enum { num_elements = size, num_storage_elements = size };
  T x[size];

  static __HEDDLE_FN int first() { return __heddle_laneid() * size % (lines * length); }

  /// Calls `visit(element, index)` with each element of this lane and its index in memory.
  template <class Visit> __HEDDLE_FN void visit(unsigned ldm, bool lines_are_rows, Visit visit) {
    int line = first() / length, at = first() % length;
#pragma unroll
    for (int e = 0; e < size; ++e)
      visit(x[e], lines_are_rows ? (size_t)line * ldm + at + e : (size_t)(at + e) * ldm + line);
  }
};

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment {
  static_assert(
      sizeof(T) == 0,
      "a fragment is a matrix_a or matrix_b with row_major or col_major, or an accumulator");
};

// In a 16-line factor of halves, each element is in two lanes, as in CUDA, so that a fragment has 16 elements.
#define __HEDDLE_FACTOR(use, lines)                                                                \
  template <int m, int n, int k, class T, class Layout>                                            \
  class fragment<use, m, n, k, T, Layout>                                                          \
      : public __heddle_tile<typename __heddle_factors<T>::kept, lines, k,                         \
                             __is_same(T, __half) ? 16 : lines * k / 32> {                         \
    static_assert(__is_same(Layout, row_major) || __is_same(Layout, col_major),                    \
                  "a fragment of " #use " is row_major or col_major");                             \
    static_assert(__heddle_factors<T>::has(m, n, k),                                               \
                  "fragments of 16-bit floats and of chars are 16x16x16, 32x8x16 or 8x32x16, of "  \
                  "tf32 16x16x8, of double 8x8x4");                                                \
    static_assert(!__is_same(T, __nv_bfloat16) || __HEDDLE_GPU__ == 0 || __HEDDLE_GPU__ >= 800,    \
                  "tensor cores multiply __nv_bfloat16 from compute capability 8.0 on");           \
                                                                                                   \
  public:                                                                                          \
    typedef T __heddle_number;                                                                     \
  };
__HEDDLE_FACTOR(matrix_a, m)
__HEDDLE_FACTOR(matrix_b, n)
#undef __HEDDLE_FACTOR

template <int m, int n, int k, class T>
class fragment<accumulator, m, n, k, T, void> : public __heddle_tile<T, m, n, m * n / 32> {
  static_assert(__is_same(T, float) || __is_same(T, __half) || __is_same(T, int) ||
                    __is_same(T, double),
                "sums are float, half, int or double");
};

template <class Use, int m, int n, int k, class T, class Layout, class Value>
__HEDDLE_FN void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, Value v) {
#pragma unroll
  for (int e = 0; e < f.num_elements; ++e)
    f.x[e] = v;
}

template <class Use, int m, int n, int k, class T, class Layout>
__HEDDLE_FN void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &f,
                                  const typename fragment<Use, m, n, k, T, Layout>::element_type *p,
                                  unsigned ldm) {
  static_assert(!__is_same(Use, accumulator),
                "to load an accumulator, say how it lies in memory: mem_row_major, mem_col_major");
  if constexpr (__heddle_tensor_cores<m, n, k>::exist()) {
    __heddle_tensor_cores<m, n, k>::template load<Use, T, __is_same(Layout, row_major)>(f.x, p,
                                                                                        ldm);
  } else {
    __syncwarp();
    f.visit(ldm, __is_same(Use, matrix_a) == __is_same(Layout, row_major),
            [&](auto &x, size_t i) { x = p[i]; });
  }
}
template <int m, int n, int k, class T>
__HEDDLE_FN void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned ldm,
                                  layout_t layout) {
  typedef __heddle_tensor_cores<m, n, k> TensorCores;
  if constexpr (TensorCores::exist()) {
    if (layout == mem_row_major)
      TensorCores::template load<accumulator, T, true>(f.x, p, ldm);
    else
      TensorCores::template load<accumulator, T, false>(f.x, p, ldm);
  } else {
    __syncwarp();
    f.visit(ldm, layout == mem_row_major, [&](auto &x, size_t i) { x = p[i]; });
  }
}
template <int m, int n, int k, class T>
__HEDDLE_FN void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned ldm,
                                   layout_t layout) {
  typedef __heddle_tensor_cores<m, n, k> TensorCores;
  if constexpr (TensorCores::exist()) {
    if (layout == mem_row_major)
      TensorCores::template store<true>(p, f.x, ldm);
    else
      TensorCores::template store<false>(p, f.x, ldm);
  } else {
    __syncwarp();
    fragment<accumulator, m, n, k, T> kept = f;
    kept.visit(ldm, layout == mem_row_major, [&](auto &x, size_t i) { p[i] = x; });
    __syncwarp();
  }
}

/// Returns element `e` of the fragment of lane `lane`.
template <int size, class Number>
__HEDDLE_FN Number __heddle_of_lane(const Number (&numbers)[size], int e, int lane) {
  return __shfl_sync(0xffffffff, numbers[e], lane);
}

/// d = a * b + c in software. The sums of a lane are in one row of `c`. The lane fetches this row of `a` and the columns
/// of `b`.
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class D, class C>
__HEDDLE_FN void __heddle_multiply(fragment<accumulator, m, n, k, D> &d,
                                   const fragment<matrix_a, m, n, k, T, LayoutA> &a,
                                   const fragment<matrix_b, m, n, k, T, LayoutB> &b,
                                   const fragment<accumulator, m, n, k, C> &c, bool satf) {
  typedef typename __heddle_factors<T>::number Number;
  constexpr int of_a = fragment<matrix_a, m, n, k, T, LayoutA>::num_elements;
  constexpr int of_b = fragment<matrix_b, m, n, k, T, LayoutB>::num_elements;
  Number as[of_a], bs[of_b], row[k];
#pragma unroll
  for (int e = 0; e < of_a; ++e)
    as[e] = __heddle_factor<T>(a.x[e]);
#pragma unroll
  for (int e = 0; e < of_b; ++e)
    bs[e] = __heddle_factor<T>(b.x[e]);
  int i = c.first() / n, j = c.first() % n;
#pragma unroll
  for (int t = 0; t < k; ++t)
    row[t] = __heddle_of_lane(as, t % of_a, (i * k + t) / of_a);
#pragma unroll
  for (int e = 0; e < c.num_elements; ++e) {
    typedef decltype(Number() * Number()) Sum;
    Sum sum = (Sum)c.x[e];
    long long exact = __is_same(Sum, int) ? (long long)sum : 0;
#pragma unroll
    for (int t = 0; t < k; ++t) {
      Number other = __heddle_of_lane(bs, t % of_b, ((j + e) * k + t) / of_b);
      if constexpr (__is_same(Sum, int))
        exact += row[t] * other;
      else
        sum = row[t] * other + sum;
    }
    if constexpr (__is_same(Sum, int))
      sum = satf ? (int)(exact < -0x80000000ll  ? -0x80000000ll
                         : exact > 0x7fffffffll ? 0x7fffffffll
                                                : exact)
                 : (int)(unsigned)exact;
    d.x[e] = (D)sum;
  }
}

/// d = a * b + c. `satf`: sums of ints stop at the ends of int instead of wrapping around.
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class D, class C>
__HEDDLE_FN void mma_sync(fragment<accumulator, m, n, k, D> &d,
                          const fragment<matrix_a, m, n, k, T, LayoutA> &a,
                          const fragment<matrix_b, m, n, k, T, LayoutB> &b,
                          const fragment<accumulator, m, n, k, C> &c, bool satf = false) {
  static_assert(__heddle_factors<T>::template sums<C> && __heddle_factors<T>::template sums<D>,
                "the accumulator's type does not go with the factors': half has float or half, "
                "bfloat16 and tf32 float, chars int, double double");
  typedef __heddle_tensor_cores<m, n, k> TensorCores;
  constexpr bool rowsOfA = __is_same(LayoutA, row_major), rowsOfB = __is_same(LayoutB, row_major);
  if constexpr (!TensorCores::exist()) {
    __heddle_multiply(d, a, b, c, satf);
  } else if constexpr (__is_same(D, int)) {
    if (satf)
      TensorCores::template multiply<T, rowsOfA, rowsOfB, true>(d.x, a.x, b.x, c.x);
    else
      TensorCores::template multiply<T, rowsOfA, rowsOfB, false>(d.x, a.x, b.x, c.x);
  } else {
    TensorCores::template multiply<T, rowsOfA, rowsOfB, false>(d.x, a.x, b.x, c.x);
  }
}

/// Rounds a float to the 10-bit mantissa of TF32, half away from zero.
__HEDDLE_FN float __float_to_tf32(float x) {
  unsigned bits = __float_as_uint(x);
  return (bits & 0x7f800000u) == 0x7f800000u ? x : __uint_as_float((bits + 0x1000u) & 0xffffe000u);
}

} // namespace wmma
} // namespace nvcuda
