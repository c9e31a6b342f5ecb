"""NumPy functions with an output array in kernels, compared with NumPy."""

import numpy as np
import pytest

from heddle import cuda
from heddle.errors import TypingError


def run(function, *arrays):
    cuda.jit(function)[1, 1](*arrays)


unary = """sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh deg2rad radians rad2deg degrees
    exp exp2 expm1 log log2 log10 log1p sqrt cbrt fabs absolute negative positive square reciprocal sign floor ceil
    trunc rint""".split()


@pytest.mark.parametrize("name", unary)
def test_functions_of_one_array(device, name):
    ufunc = getattr(np, name)
    x = np.linspace(0.05, 0.95, 12).reshape(3, 4)
    out = np.zeros((3, 4))

    def k(x, out):
        ufunc(x, out)

    run(k, x, out)
    np.testing.assert_allclose(out, ufunc(x), rtol=1e-14)


def test_arccosh_starts_at_one(device):
    def k(x, out):
        np.arccosh(x, out)

    x, out = np.linspace(1, 5, 7), np.zeros(7)
    run(k, x, out)
    np.testing.assert_allclose(out, np.arccosh(x), rtol=1e-14)


binary = """add subtract multiply divide floor_divide remainder power arctan2 hypot maximum minimum fmax fmin fmod
    copysign nextafter""".split()


@pytest.mark.parametrize("name", binary)
def test_functions_of_two_arrays(device, name):
    ufunc = getattr(np, name)
    x, y = np.linspace(-3, 4, 8), np.array([2.0, 3, 1, 2, 2, 3, 4, 5])
    x = np.abs(x) if name == "power" else x
    out = np.zeros(8)

    def k(x, y, out):
        ufunc(x, y, out)

    run(k, x, y, out)
    np.testing.assert_allclose(out, ufunc(x, y), rtol=1e-14)


integers = """add subtract multiply floor_divide remainder bitwise_and bitwise_or bitwise_xor left_shift right_shift
    maximum"""


@pytest.mark.parametrize("name", integers.split())
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_integers_compute_in_their_own_type(device, name, dtype):
    ufunc = getattr(np, name)
    x, y = np.array([100, 77, 5, 120, 0, 9], dtype), np.array([100, 3, 7, 2, 1, 4], dtype)
    if name.endswith("shift"):
        y = np.array([1, 3, 7, 2, 1, 4], dtype)
    out = np.zeros(6, np.int64 if dtype == np.int8 else dtype)

    def k(x, y, out):
        ufunc(x, y, out)

    run(k, x, y, out)
    np.testing.assert_array_equal(out, ufunc(x, y))


@pytest.mark.parametrize("name", "equal not_equal less less_equal greater greater_equal".split())
def test_comparisons_give_bools(device, name):
    ufunc = getattr(np, name)
    x, y = np.array([1.0, 2, 3, np.nan]), np.array([1, 3, 2, 4], np.int32)
    out = np.zeros(4, bool)

    def k(x, y, out):
        ufunc(x, y, out)

    run(k, x, y, out)
    np.testing.assert_array_equal(out, ufunc(x, y))


@pytest.mark.parametrize("name", "logical_and logical_or logical_xor".split())
def test_logical_functions_take_any_number(device, name):
    ufunc = getattr(np, name)
    x, y = np.array([0.0, 1, 0, 3]), np.array([0, 0, 5, 7], np.int16)
    out = np.zeros(4, bool)

    def k(x, y, out):
        ufunc(x, y, out)

    run(k, x, y, out)
    np.testing.assert_array_equal(out, ufunc(x, y))


def test_tests_and_inversions(device):
    def k(x, i, out):
        np.isnan(x, out[0])
        np.isinf(x, out[1])
        np.isfinite(x, out[2])
        np.logical_not(x, out[3])
        np.invert(out[3], out[4])
        np.bitwise_not(i, i)

    x, i = np.array([0.0, np.nan, np.inf]), np.array([0, 5, -7], np.int16)
    out = np.zeros((5, 3), bool)
    run(k, x, i, out)
    expected = [np.isnan(x), np.isinf(x), np.isfinite(x), x == 0, x != 0]
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(i, [-1, -6, 6])


def test_numbers_and_arrays_are_broadcast(device):
    def k(x, y, out):
        np.add(x, y[:, None], out)
        np.multiply(out, 2, out)
        np.subtract(1, out[0], out[0])

    x, y, out = np.arange(4.0), np.arange(3.0), np.zeros((3, 4))
    run(k, x, y, out)
    expected = (x + y[:, None]) * 2
    expected[0] = 1 - expected[0]
    np.testing.assert_array_equal(out, expected)


def test_the_output_may_be_named_and_is_the_result(device):
    def k(x, out):
        np.sqrt(np.add(x, 1, out=out), out=out)

    x, out = np.arange(4.0), np.zeros(4)
    run(k, x, out)
    np.testing.assert_array_equal(out, np.sqrt(x + 1))


def test_neighbours_are_added_in_place(device):
    def k(a):
        np.add(a[:-1], a[1:], a[1:])
        np.subtract(a[1:], a[:-1], a[:-1])

    a = np.arange(20.0) ** 2
    expected = a.copy()
    expected[1:] = a[:-1] + a[1:]
    expected[:-1] = expected[1:] - expected[:-1]
    run(k, a)
    np.testing.assert_array_equal(a, expected)


@pytest.mark.parametrize("name", "add subtract multiply divide".split())
def test_two_arrays_of_complex_numbers(device, name):
    ufunc = getattr(np, name)
    x, y = np.array([1 + 2j, -3j, 4]), np.array([2, 1 - 1j, 5j])
    out = np.zeros(3, complex)

    def k(x, y, out):
        ufunc(x, y, out)

    run(k, x, y, out)
    np.testing.assert_allclose(out, ufunc(x, y), rtol=1e-15)


@pytest.mark.parametrize("name", "negative positive square reciprocal conjugate sqrt exp".split())
def test_one_array_of_complex_numbers(device, name):
    ufunc = getattr(np, name)
    x, out = np.array([1 + 2j, -3j, 4]), np.zeros(3, complex)

    def k(x, out):
        ufunc(x, out)

    run(k, x, out)
    np.testing.assert_allclose(out, ufunc(x), rtol=1e-14)


def test_complex_numbers_are_equal_or_not(device):
    def k(x, y, out):
        np.equal(x, y, out[0])
        np.not_equal(x, 4, out[1])

    x, out = np.array([1 + 2j, -3j, 4]), np.zeros((2, 3), bool)
    run(k, x, np.array([1 + 2j, 3j, 4]), out)
    np.testing.assert_array_equal(out, [[True, False, True], [True, True, False]])


def test_a_scalar_function_keeps_working(device):
    def k(out):
        out[0] = np.add(out[1], 2) + np.negative(out[2])
        out[3] = np.int8(np.add(np.int8(100), np.int8(100)))

    out = np.array([0.0, 5, 7, 0])
    run(k, out)
    np.testing.assert_array_equal(out, [0, 5, 7, -56])


def test_a_shape_that_does_not_broadcast_is_an_error_in_debug_mode(device):
    @cuda.jit(debug=True, opt=False)
    def k(x, out):
        np.sin(x, out)

    with pytest.raises(ValueError, match="shapes"):
        k[1, 1](np.zeros(3), np.zeros(4))
        cuda.synchronize()


@pytest.mark.parametrize(
    "function, match",
    [
        (
            lambda x, i: np.sin(x),
            r"np.sin of an array would make a new array(.|\n)*np.sin\(x, out\)",
        ),
        (lambda x, i: np.add(x, 1), r"np.add\(x, y, out\)"),
        (lambda x, i: np.add(x, 1, i), "gives float64, which this array does not take"),
        (lambda x, i: np.add(x, 1, 3.0), "output of np.add must be an array"),
        (lambda x, i: np.add(x[:, None], 1, x), "more dimensions than the output"),
        (lambda x, i: np.bitwise_and(x, 1, x), "takes integers"),
    ],
    ids=["no output", "one array", "casting", "scalar", "dimensions", "float bits"],
)
def test_calls_that_cannot_be_are_refused(device, function, match):
    with pytest.raises(TypingError, match=match):
        run(function, np.zeros(3), np.zeros(3, np.int32))
