// CuPy's arrays and indices in kernels: the argument types of ElementwiseKernel and ReductionKernel.
#pragma once

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

namespace cupy {
namespace type_traits {
template <bool, class _T, class _U> struct conditional {
  typedef _T type;
};
template <class _T, class _U> struct conditional<false, _T, _U> {
  typedef _U type;
};
template <bool, class _T = void> struct enable_if {};
template <class _T> struct enable_if<true, _T> {
  typedef _T type;
};
template <class _T, class _U> struct is_same {
  static const bool value = __is_same(_T, _U);
};
} // namespace type_traits
} // namespace cupy

// Sizes in bytes. A zero-dimensional array has one dimension of length 1.
template <int n> struct __heddle_layout {
  ptrdiff_t elements, lengths[n], steps[n];
};

// A kernel may take it by value: a launch passes the address and the layout of an array.
template <class _T, int n, bool _c_contiguous = false, bool _use_32bit_indexing = false>
class CArray {
public:
  static const int ndim = n;
  static const bool c_contiguous = _c_contiguous;
  typedef
      typename cupy::type_traits::conditional<_use_32bit_indexing, int, ptrdiff_t>::type index_t;

  CArray() = default;
  __device__ CArray(_T *data, const __heddle_layout<n> &layout) : data_(data), layout_(layout) {}
  // From the lengths of the axes and their steps in bytes: pointers, arrays or lists in braces.
  template <class _Shape, class _Strides>
  __device__ CArray(_T *data, const _Shape &shape, const _Strides &strides) : data_(data) {
    set_layout(shape, strides);
  }
  template <class _Int1, class _Int2>
  __device__ CArray(_T *data, const _Int1 (&shape)[n], const _Int2 (&strides)[n]) : data_(data) {
    set_layout(shape, strides);
  }
  // A contiguous array.
  template <class _Shape> __device__ CArray(_T *data, const _Shape &shape) : data_(data) {
    set_contiguous_layout(shape);
  }
  template <class _Int> __device__ CArray(_T *data, const _Int (&shape)[n]) : data_(data) {
    set_contiguous_layout(shape);
  }

  // Element i in C order.
  __device__ _T &operator[](ptrdiff_t i) const {
    if (_c_contiguous)
      return data_[i];
    char *at = (char *)data_;
    for (int axis = n - 1; axis > 0; --axis) {
      at += i % layout_.lengths[axis] * layout_.steps[axis];
      i /= layout_.lengths[axis];
    }
    return *(_T *)(at + i * layout_.steps[0]);
  }
  // The element at an index with one number per axis.
  __device__ _T &operator[](const ptrdiff_t (&index)[n]) const { return at(index); }
  template <class _Int> __device__ _T &operator[](const _Int (&index)[n]) const {
    return at(index);
  }

  __device__ ptrdiff_t size() const { return layout_.elements; }
  __device__ const ptrdiff_t *shape() const { return layout_.lengths; }
  __device__ const ptrdiff_t *strides() const { return layout_.steps; }

private:
  template <class _Shape, class _Strides>
  __device__ void set_layout(const _Shape &shape, const _Strides &strides) {
    layout_.elements = 1;
    for (int axis = 0; axis < n; ++axis) {
      layout_.elements *= shape[axis];
      layout_.lengths[axis] = shape[axis];
      layout_.steps[axis] = strides[axis];
    }
  }
  template <class _Shape> __device__ void set_contiguous_layout(const _Shape &shape) {
    static_assert(_c_contiguous, "only a contiguous CArray needs no strides");
    layout_.elements = 1;
    for (int axis = n - 1; axis >= 0; --axis) {
      layout_.lengths[axis] = shape[axis];
      layout_.steps[axis] = layout_.elements * sizeof(_T);
      layout_.elements *= shape[axis];
    }
  }
  template <class _Int> __device__ _T &at(const _Int (&index)[n]) const {
    char *found = (char *)data_;
    for (int axis = 0; axis < n; ++axis)
      found += index[axis] * layout_.steps[axis];
    return *(_T *)found;
  }

  _T *data_;
  __heddle_layout<n> layout_;
};

// The number of elements, for programs that do not need positions.
class __heddle_count {
public:
  __device__ explicit __heddle_count(ptrdiff_t elements) : elements_(elements) {}
  __device__ ptrdiff_t size() const { return elements_; }

private:
  ptrdiff_t elements_;
};

// A position in an array.
template <int n, bool use_32bit_indexing = false> class CIndexer {
public:
  static const int ndim = n;

  CIndexer() = default;
  __device__ explicit CIndexer(const __heddle_layout<n> &layout) : layout_(layout) {}

  // Moves to element i in C order.
  __device__ void set(ptrdiff_t i) {
    for (int axis = n - 1; axis > 0; --axis) {
      index_[axis] = i % layout_.lengths[axis];
      i /= layout_.lengths[axis];
    }
    index_[0] = i;
  }
  __device__ const ptrdiff_t (&get() const)[n] { return index_; }
  __device__ ptrdiff_t size() const { return layout_.elements; }
  __device__ const ptrdiff_t *shape() const { return layout_.lengths; }

private:
  __heddle_layout<n> layout_;
  ptrdiff_t index_[n];
};
