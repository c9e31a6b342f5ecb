"""Sums, extremes and similar reductions of whole arrays by one thread in kernels, compared with NumPy."""

import numpy as np
import pytest

from heddle import cuda
from heddle.errors import TypingError

methods = "sum prod mean var std min max argmin argmax any all".split()
functions = "amin amax count_nonzero nansum nanprod nanmean nanvar nanstd nanmin nanmax".split()


def run(function, *arrays, dtype=np.float64):
    out = np.zeros(1, dtype)

    @cuda.jit
    def k(arrays, out):
        out[0] = function(*arrays)

    k[1, 1](arrays, out)
    return out[0]


shapes = {
    "row": np.array([3.0, -1, 4, 1, -5, 9, 2]),
    "matrix": np.arange(12.0).reshape(3, 4)[::-1] / 8 + 0.5,
    "strided": np.arange(40.0).reshape(5, 8)[::2, ::-3] / 16,
    "Fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "scalar": np.array(2.5),
    "zeros": np.zeros((2, 2)),
    "NaN": np.array([2.0, np.nan, 1, 5]),
    "NaN first": np.array([[np.nan, np.nan], [1, 5]]),
}


@pytest.mark.parametrize("a", shapes.values(), ids=shapes)
@pytest.mark.parametrize("name", methods + functions)
def test_functions_of_numpy(device, name, a):
    function = getattr(np, name)
    np.testing.assert_allclose(run(function, a), function(a), rtol=1e-13)


@pytest.mark.parametrize("name", methods)
def test_methods_are_the_same_functions(device, name):
    a = np.array([[3.0, -1], [4, 0]])

    @cuda.jit(device=True)
    def function(a):
        return getattr(a, name)()

    np.testing.assert_allclose(run(function, a), function.py_func(a))


@pytest.mark.parametrize(
    "dtype", [bool, np.int8, np.uint8, np.int32, np.uint64, np.float16, np.float32]
)
@pytest.mark.parametrize("name", methods + functions)
def test_other_elements(device, name, dtype):
    a = np.array([2, 1, 0, 100, 77]).astype(dtype)
    function = getattr(np, name)
    rtol = 1e-3 if dtype is np.float16 else 1e-6
    np.testing.assert_allclose(run(function, a), function(a.astype(float)), rtol=rtol)


@pytest.mark.parametrize("name", "sum prod mean any all count_nonzero nansum nanprod".split())
def test_complex_elements(device, name):
    a = np.array([[1 + 2j, 3 - 1j], [0, 2j]])
    function = getattr(np, name)
    np.testing.assert_allclose(run(function, a, dtype=complex), function(a))


def test_integers_are_summed_in_64_bits(device):
    assert run(np.sum, np.full(1000, 2**31 - 1, np.int32)) == 1000 * (2**31 - 1)


def test_the_types_of_results_are_those_of_numba(device):
    @cuda.jit
    def k(f, u, out):
        out[0] = isinstance(np.mean(f), np.float64) and isinstance(np.std(u), np.float64)
        out[1] = isinstance(np.sum(f), np.float32) and isinstance(np.nanmean(f), np.float64)
        out[2] = isinstance(np.sum(u), np.uint64) and isinstance(np.max(u), np.uint8)
        out[3] = isinstance(np.mean(u), np.float64) and isinstance(np.argmax(u), np.int64)
        out[4] = isinstance(np.var(f), np.float64) and isinstance(np.any(f), np.bool_)

    out = np.zeros(5)
    k[1, 1](np.ones(3, np.float32), np.ones(3, np.uint8), out)
    np.testing.assert_array_equal(out, np.ones(5))


def test_every_thread_sums_its_row(device):
    @cuda.jit
    def k(a, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a[i].sum() + np.max(a[:, 0])

    a, out = np.arange(600.0).reshape(100, 6), np.zeros(100)
    k[2, 64](a, out)
    np.testing.assert_array_equal(out, a.sum(axis=1) + a[:, 0].max())


def test_arrays_of_the_block_and_of_the_thread_are_summed(device):
    @cuda.jit
    def k(out):
        shared = cuda.shared.array(32, np.int32)
        local = cuda.local.array(4, np.float64)
        i = cuda.threadIdx.x
        shared[i] = i
        local[:] = i
        cuda.syncthreads()
        out[i] = shared.sum() + np.mean(local)

    out = np.zeros(32)
    k[1, 32](out)
    np.testing.assert_array_equal(out, 496 + np.arange(32))


@pytest.mark.parametrize("dtype", [np.int32, np.float16, np.float32, np.float64, np.complex128])
def test_the_dot_product_of_two_rows(device, dtype):
    a, b = np.arange(1, 6).astype(dtype), np.arange(2, 12, 2).astype(dtype)
    assert run(np.dot, a, b[::-1], dtype=np.complex128) == np.dot(a, b[::-1])


def test_the_dot_product_of_columns_makes_a_product_of_matrices(device):
    @cuda.jit
    def k(a, b, out):
        i, j = cuda.grid(2)
        out[i, j] = a[i].dot(b[:, j])

    a, b, out = np.arange(12.0).reshape(3, 4), np.arange(20.0).reshape(4, 5), np.zeros((3, 5))
    k[(1, 1), (3, 5)](a, b, out)
    np.testing.assert_array_equal(out, a @ b)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("min", "zero-size array to reduction operation minimum which has no identity"),
        ("argmax", "attempt to get argmax of an empty sequence"),
        ("nanmax", "zero-size array to reduction operation not possible"),
    ],
)
def test_extremes_of_nothing_are_an_error_in_numpys_words(device, name, words):
    with pytest.raises(ValueError, match=words):
        run(getattr(np, name), np.zeros(0))


def test_the_dot_product_of_rows_of_different_lengths_is_an_error(device):
    with pytest.raises(ValueError, match="different lengths"):
        run(np.dot, np.zeros(3), np.zeros(4))


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "mean", "nanmean", "var"])
def test_sums_of_nothing(device, name):
    expected = {"prod": 1, "all": 1, "mean": np.nan, "nanmean": np.nan, "var": np.nan}
    np.testing.assert_array_equal(run(getattr(np, name), np.zeros((2, 0))), expected.get(name, 0))


@pytest.mark.parametrize(
    "function, match",
    [
        (lambda a: a.sum(0), "was given 2 arguments"),
        (lambda a: np.sum(a, axis=1), r"(?s)no parameter 'axis'.*loop over views"),
        (lambda a: np.sum(1), "takes an array, not int64"),
        (lambda a: np.argmax(a.view(np.complex128)), "takes real numbers, not complex128"),
        (lambda a: np.dot(a.reshape(2, 2), a), "one dimension"),
        (lambda a: np.sum(a.view("M8[s]")), "takes arrays of numbers"),
    ],
    ids=["axis", "keyword", "number", "complex", "matrix", "time"],
)
def test_calls_that_cannot_be_are_refused(device, function, match):
    with pytest.raises(TypingError, match=match):
        run(cuda.jit(device=True)(function), np.zeros(4))
