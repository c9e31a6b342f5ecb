"""Rarely used CUDA C++ functions, compared with NumPy."""

import mpmath
import numpy as np
import pytest
from in_cuda_cpp import run


def bessel(order, x):
    """Computed with the integral over the circle, whose sum converges quickly."""
    angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    return np.mean(np.exp(np.multiply.outer(x, np.cos(angle))) * np.cos(order * angle), axis=-1)


@pytest.mark.parametrize("order", [0, 1])
def test_modified_bessel_functions(device, order):
    source = """
    __global__ void k(const double* x, double* wide, float* narrow) {
      int i = threadIdx.x;
      wide[i] = cyl_bessel_iN(x[i]);
      narrow[i] = cyl_bessel_iNf(x[i]);
    }""".replace("N(", f"{order}(").replace("Nf(", f"{order}f(")
    x = np.array([-20, -1, 0, 1e-3, 0.5, 2, 10, 29.9, 30.1, 50, 80], "d")
    wide, narrow = np.zeros(len(x)), np.zeros(len(x), "f")
    run(source, x, wide, narrow, block=len(x))
    np.testing.assert_allclose(wide, bessel(order, x), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(narrow, bessel(order, x), rtol=1e-6, atol=1e-15)


@pytest.mark.parametrize("order", [0, 1])
def test_bessel_functions_err_by_six_units_in_the_last_place(device, order):
    source = """
    __global__ void k(const double* x, double* y) { y[threadIdx.x] = cyl_bessel_iN(x[threadIdx.x]); }"""
    x, y = np.linspace(0.25, 64, 256), np.zeros(256)
    run(source.replace("N(", f"{order}("), x, y, block=256)
    exact = [mpmath.besseli(order, mpmath.mpf(v)) for v in x]
    errors = [abs(mpmath.mpf(v) - e) / np.spacing(v) for v, e in zip(y, exact, strict=True)]
    assert max(errors) <= 6


def test_reciprocals_of_long_vectors_are_small_numbers(device):
    source = """
    __global__ void k(float x, float* out) {
      out[0] = rhypotf(x, x); out[1] = rnorm3df(x, x, x); out[2] = rnorm4df(x, x, x, x);
      out[3] = rhypotf(1e-44f, 0); out[4] = rhypotf(3, 4);
    }"""
    out, largest = np.zeros(5, np.float32), float(np.finfo(np.float32).max)
    run(source, np.float32(largest), out)
    exact = [1 / (largest * 2**0.5), 1 / (largest * 3**0.5), 1 / (largest * 2), np.inf, 0.2]
    np.testing.assert_allclose(out, np.array(exact, np.float32), rtol=3e-7, atol=2e-45)


def test_a_bessel_function_of_a_large_number_is_finite(device):
    out = np.zeros(2)
    run(
        "__global__ void k(double* out) { out[0] = cyl_bessel_i0(712.0); out[1] = cyl_bessel_i0(720.0); }",
        out,
    )
    assert np.isfinite(out[0]) and np.isinf(out[1])


def test_lengths_of_vectors(device):
    source = """
    __global__ void k(const float* v, const double* w, double* out) {
      out[0] = normf(4, v); out[1] = rnormf(4, v); out[2] = norm(4, w); out[3] = rnorm(4, w);
    }"""
    w, out = np.array([1, -2, 4, 10.0]), np.zeros(4)
    run(source, w.astype("f"), w, out)
    np.testing.assert_allclose(out, [11, 1 / 11, 11, 1 / 11], rtol=1e-6)


@pytest.mark.parametrize("letter, type, dtype", [("f", "float", "f4"), ("d", "double", "f8")])
def test_operations_that_name_their_rounding_are_not_fused(device, letter, type, dtype):
    source = """
    __global__ void k(const T* x, const T* y, const T* z, T* sum, T* difference) {
      int i = threadIdx.x;
      sum[i] = __Ladd_rn(__Lmul_rn(x[i], y[i]), z[i]);
      difference[i] = __Lsub_rn(__Lmul_rn(x[i], y[i]), z[i]);
    }""".replace("__L", f"__{letter}").replace("T*", f"{type}*")
    x, y = np.random.default_rng(1).random((2, 64)).astype(dtype)
    z, sum, difference = -x * y, np.ones(64, dtype), np.ones(64, dtype)
    run(source, x, y, z, sum, difference, block=64)
    assert not sum.any()
    np.testing.assert_array_equal(difference, x * y - z)


@pytest.mark.parametrize(
    "start, place",
    [
        ("0, 1", 4),
        ("0, 3", 6),
        ("5, 1", 5),
        ("5, -2", 4),
        ("6, 0", 6),
        ("3, 0", -1),
        ("0, 9", -1),
        ("3, -1", -1),
    ],
)
def test_the_nth_set_bit(device, start, place):
    out = np.zeros(1, "i4")
    run("__global__ void k(int* out) { out[0] = __fns(0xf0, START); }".replace("START", start), out)
    assert out[0] == place


def test_bytes_are_compared_and_counted(device):
    source = """
    #include <cstring>
    __global__ void k(int* out) {
      out[0] = memcmp("abc", "abd", 3) < 0; out[1] = memcmp("abc", "abd", 2); out[2] = strlen("four");
    }"""
    out = np.zeros(3, "i4")
    run(source, out)
    assert out.tolist() == [1, 0, 4]


def test_extremes_and_products_by_their_old_names(device):
    source = """
    __global__ void k(long long* out) {
      out[0] = umin(3, 4); out[1] = umax(3, ~0u); out[2] = llmin(-1, 2); out[3] = ullmax(1, ~0ull);
      out[4] = mulhi(1 << 30, 8); out[5] = umulhi(~0u, 2); out[6] = mul24(5, -7); out[7] = umul24(5, 7);
    }"""
    out = np.zeros(8, "i8")
    run(source, out)
    assert out.tolist() == [3, 2**32 - 1, -1, -1, 2, 1, -35, 35]


def test_dot_products_of_vectors(device):
    source = """
    __global__ void k(int* out) {
      char4 b = make_char4(1, -2, 3, -4);
      out[0] = __dp4a(b, b, 5); out[1] = __dp4a(make_uchar4(255, 0, 0, 1), make_uchar4(2, 0, 0, 3), 1u);
      out[2] = __dp2a_lo(make_short2(-300, 2), b, 1); out[3] = __dp2a_hi(make_short2(-300, 2), b, 1);
    }"""
    out = np.zeros(4, "i4")
    run(source, out)
    assert out.tolist() == [35, 514, -303, -907]
