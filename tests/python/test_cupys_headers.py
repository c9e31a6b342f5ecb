"""CuPy's headers, included by raw kernels."""

import numpy as np
import pytest

import heddle
import heddle.compat.cupy as cp
from heddle import cuda


def run(source, *arrays):
    on_device = [cuda.to_device(array) for array in arrays]
    heddle.RawKernel(source, "k")(1, 64, tuple(on_device))
    return [array.copy_to_host() for array in on_device]


def test_the_smaller_and_the_larger_float_are_atomic(device):
    source = """#include <cupy/atomics.cuh>
    extern "C" __global__ void k(float *f, double *d) {
      float x = (threadIdx.x * 37) % 64 - 20.5f;
      atomicMax(f, x); atomicMin(f + 1, x); atomicMax(d, (double)x); atomicMin(d + 1, (double)x);
    }"""
    f, d = run(source, np.zeros(2, "f"), np.zeros(2))
    assert f.tolist() == d.tolist() == [42.5, -20.5]


def test_half_precision_is_added_to_atomically(device):
    source = """#include <cupy/atomics.cuh>
    extern "C" __global__ void k(float16 *sum) { atomicAdd(sum + threadIdx.x % 2, float16(0.5f)); }"""
    (total,) = run(source, np.zeros(2, np.float16))
    assert total.tolist() == [16, 16]


def test_the_complex_numbers_of_c_are_those_of_cpp(device):
    source = """#include <cupy/cuComplex_bridge.h>
    extern "C" __global__ void k(cuDoubleComplex *z) {
      if (threadIdx.x == 0) z[0] = cuCmul(z[0], z[0]) * 2.0 + complex<double>(1, 0);
    }"""
    (z,) = run(source, np.array([1 + 2j]))
    assert z[0] == (1 + 2j) ** 2 * 2 + 1


def test_a_program_tells_the_traits_of_halves(device):
    source = """#include <cupy/cuda_workaround.h>
    #include <cupy/float16.cuh>
    template <> struct std::is_floating_point<float16> : std::true_type {};
    template <class T> __device__ std::enable_if_t<std::is_floating_point<T>::value, int> bytes() { return sizeof(T); }
    extern "C" __global__ void k(int *n) { n[0] = bytes<float16>() + std::get<1>(std::make_tuple(1, 10)); }"""
    (n,) = run(source, np.zeros(1, "i4"))
    assert n[0] == 12


COMPLEX = """#include <cupy/complex.cuh>
extern "C" __global__ void k(complex<double> *z, double *out) {
  if (threadIdx.x > 0) return;
  out[0] = isnan(z[0]) + 10 * isnan(z[1]) + 100 * isinf(z[2]) + 1000 * isfinite(z[1]) + 10000 * isfinite(z[2]);
  out[1] = min(z[0], z[1]).real(); out[2] = max(z[1], z[0]).real(); out[3] = real(z[1]) + 10 * imag(z[1]);
  z[0] = log1p(z[1]); z[2] = log2(z[1]); z[3] = expm1(z[1]); z[4] = rint(z[1]);
}"""


def test_functions_of_numbers_take_complex_ones(device):
    z, out = run(
        COMPLEX, np.array([complex(1, np.nan), 2.4 - 1.6j, complex(np.inf, 1), 0, 0]), np.zeros(4)
    )
    np.testing.assert_allclose(out, [1101, 2.4, 2.4, 2.4 - 16])
    np.testing.assert_allclose(
        z[2:], [np.log2(2.4 - 1.6j), np.expm1(2.4 - 1.6j), 2 - 2j], rtol=1e-14
    )
    np.testing.assert_allclose(z[0], np.log1p(2.4 - 1.6j), rtol=1e-14)


def test_the_header_of_arrays_has_halves(device):
    source = """#include <cupy/carray.cuh>
    template <typename T> __device__ T twice(T x) { return x + x; }
    extern "C" __global__ void k(half *x, float16 *y) {
      if (threadIdx.x == 0) { x[0] = twice(__float2half(1.5f)); y[0] = float16(M_PI); }
    }"""
    x, y = run(source, np.zeros(1, "e"), np.zeros(1, "e"))
    assert (x[0], y[0]) == (3, np.float16(np.pi))


SCALE = """#include <cupy/carray.cuh>
extern "C" __global__ void k(const CArray<float, 1> in, CArray<float, 2> out) {
  if (threadIdx.x < in.size()) out[threadIdx.x] = 2 * in[threadIdx.x];
  if (threadIdx.x == 0) out[{1, 0}] += out.shape()[1] * 100;
}"""


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (lambda: cp.arange(6, dtype="f"), lambda: cp.zeros((2, 3), "f")),
        (lambda: cp.arange(12, dtype="f")[10::-2], lambda: cp.zeros((5, 9), "f")[1:3, ::3]),
    ],
    ids=["contiguous", "strided"],
)
def test_a_kernel_takes_arrays_with_their_layout_by_value(cpu, x, y):
    x, y = x(), y()
    cp.RawKernel(SCALE, "k")(1, 8, (x, y))
    expected = 2 * x.get().reshape(2, 3)
    expected[1, 0] += 300
    np.testing.assert_array_equal(y, expected)


def test_an_array_with_another_number_of_dimensions_is_refused(cpu):
    with pytest.raises(TypeError, match=r"parameter 2 \(out\).*dimensions, not of 1"):
        cp.RawKernel(SCALE, "k")(1, 8, (cp.zeros(6, "f"), cp.zeros(6, "f")))


@pytest.mark.parametrize(
    ("array", "element"),
    [
        ("CArray<float, 2> a(x, shape, (const int[2]){4, 8})", 5),
        ("CArray<float, 2> a(x, {2, 3}, {4, 8})", 5),
        ("CArray<float, 2, true> a(x, shape)", 5),
        ("CArray<float, 2, true> a(x, {2, 3})", 5),
    ],
)
def test_kernels_make_arrays_from_a_pointer_and_a_layout(device, array, element):
    source = """#include <cupy/carray.cuh>
    extern "C" __global__ void k(float* x) {
      ptrdiff_t shape[2] = {2, 3};
      %s;
      if (threadIdx.x == 0) x[0] = a[{1, 2}] + a.size() * 10;
    }"""
    (x,) = run(source % array, np.arange(6, dtype="f"))
    assert x[0] == element + 60
