"""Complex numbers in kernels: values, arrays, arguments and arithmetic, compared with Python and NumPy."""

import operator
from functools import partial

import numpy as np
import pytest
from in_kernels import of_each_row

import heddle
from heddle import complex64, complex128, cuda, float32, int64

run = partial(of_each_row, dtype=np.complex128)

numbers = np.array([1 + 2j, -3.5 + 0.25j, 0.5 - 4j, 2, -1j, 1e-3 + 1e3j])


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_an_array_of_complex_numbers_is_read_and_written(device, dtype):
    a = numbers.astype(dtype)
    np.testing.assert_array_equal(run(lambda x: x, a, dtype=dtype), a)


@pytest.mark.parametrize(
    "operation",
    [
        lambda x, y: x + y,
        lambda x, y: x - y,
        lambda x, y: x * y,
        lambda x, y: x / y,
        lambda x, y: x**y,
        lambda x, y: pow(x, y),
    ],
    ids=["add", "sub", "mul", "div", "pow", "builtin pow"],
)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_arithmetic_is_numpys(device, operation, dtype):
    a, b = numbers.astype(dtype), numbers[::-1].astype(dtype)
    tolerance = 2e-5 if dtype == np.complex64 else 1e-12
    expected = operation(numbers.astype(dtype), numbers[::-1].astype(dtype))
    np.testing.assert_allclose(run(operation, a, b, dtype=dtype), expected, rtol=tolerance)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, -1, -2, 40, -40])
def test_a_whole_exponent_is_multiplications(device, exponent):
    @cuda.jit
    def kernel(out, a, n):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a[i] ** n

    out = np.zeros_like(numbers)
    kernel[1, 32](out, numbers, exponent)
    np.testing.assert_allclose(out, [z**exponent for z in numbers.tolist()], rtol=1e-11)


def test_a_constant_exponent_is_multiplications(device):
    np.testing.assert_allclose(run(lambda z: z**2 + z**-3, numbers), numbers**2 + numbers**-3)


def test_division_by_zero_gives_numpys_infinities(device):
    a = np.array([1 + 1j, -1 + 0j, 0j])
    with np.errstate(all="ignore"):
        expected = a / np.zeros(3, np.complex128)
    np.testing.assert_array_equal(run(lambda x, y: x / y, a, np.zeros(3, complex)), expected)


def test_division_by_zero_is_an_error_in_debug_mode(device):
    @cuda.jit(debug=True, opt=False)
    def kernel(out, a):
        out[0] = 1 / a[0]

    with pytest.raises(ZeroDivisionError, match="complex division by zero"):
        kernel[1, 1](np.zeros(1, complex), np.zeros(1, complex))


def test_a_quotient_does_not_overflow_on_the_way(device):
    a = np.array([1e300 + 1e300j])
    np.testing.assert_allclose(run(lambda x, y: x / y, a, a * 2), [0.5])


@pytest.mark.parametrize("operation", [lambda z: -z, lambda z: +z, lambda z: z.conjugate()])
def test_signs_and_conjugates(device, operation):
    np.testing.assert_array_equal(run(operation, numbers), operation(numbers))


def test_parts_have_the_type_of_half_the_size(device):
    @cuda.jit
    def kernel(out, z):
        out[0] = z.real
        out[1] = z.imag
        out[2] = abs(z)
        out[3] = z.real.imag

    out = np.ones(4, np.float32)
    kernel[1, 1](out, np.complex64(3 - 4j))
    np.testing.assert_array_equal(out, [3, -4, 5, 0])


@pytest.mark.parametrize("operation", [lambda x, y: x == y, lambda x, y: x != y])
def test_equality_compares_both_parts(device, operation):
    a = np.array([1 + 2j, 1 + 2j, 1 + 2j, np.nan])
    b = np.array([1 + 2j, 1 - 2j, 2 + 2j, np.nan])
    np.testing.assert_array_equal(run(operation, a, b, dtype=bool), operation(a, b))


def test_equality_with_a_real_number(device):
    np.testing.assert_array_equal(run(lambda z: z == 2, numbers, dtype=bool), numbers == 2)


def test_equality_of_tuples_and_membership(device):
    def f(z, w):
        return ((z, 1) == (w, 1)) + 2 * (z in (w, 7j)) + 4 * ((z, w) != (w, z))

    a, b = np.array([1j, 1, 7j]), np.array([1j, 1j, 3])
    np.testing.assert_array_equal(run(f, a, b, dtype=np.int64), [f(*p) for p in zip(a, b)])


def test_the_truth_of_a_complex_number(device):
    a = np.array([0j, 1, 1j, -0.0, np.nan])
    np.testing.assert_array_equal(run(lambda z: 1 if z else 0, a, dtype=np.int64), [0, 1, 1, 0, 1])
    np.testing.assert_array_equal(run(lambda z: bool(z), a, dtype=bool), a.astype(bool))
    np.testing.assert_array_equal(run(lambda z: not z, a, dtype=bool), ~a.astype(bool))


def test_literals_and_folded_constants(device):
    np.testing.assert_array_equal(
        run(lambda z: z * 2j + (1 + 3j) - 1j, numbers), numbers * 2j + 1 + 2j
    )


def test_complex_makes_numbers(device):
    a = np.array([1.5, -2.0])
    np.testing.assert_array_equal(run(lambda x: complex(x, 2), a), a + 2j)
    np.testing.assert_array_equal(run(lambda x: complex(x) + complex(0, 1), a), a + 1j)
    np.testing.assert_array_equal(run(lambda x: complex(imag=x), a), a * 1j)
    np.testing.assert_array_equal(run(lambda x: complex() + x, a), a)  # noqa: UP018


@pytest.mark.parametrize("value", [2 - 3j, np.complex64(2 - 3j), np.complex128(2 - 3j)])
def test_a_complex_argument(device, value):
    @cuda.jit
    def kernel(out, z, n):
        out[0] = z * n

    out = np.zeros(1, complex)
    kernel[1, 1](out, value, 2)
    assert out[0] == 4 - 6j


def test_a_tuple_of_complex_numbers_is_an_argument(device):
    @cuda.jit
    def kernel(out, pair, i):
        out[0] = pair[i]
        out[1] = pair[0] * pair[1]

    out = np.zeros(2, complex)
    kernel[1, 1](out, (1 + 2j, 3j), 1)
    np.testing.assert_array_equal(out, [3j, -6 + 3j])


def test_a_signature_takes_real_numbers_for_complex_ones(device):
    @cuda.jit("void(complex128[:], complex128, float64[:], Tuple((complex64, int64)))")
    def kernel(out, z, a, pair):
        out[0] = z + a[0]
        out[1] = pair[0] + pair[1]

    out = np.zeros(2, complex)
    kernel[1, 1](out, 3, np.array([4.0]), (2, 5))
    np.testing.assert_array_equal(out, [7, 7])


def test_a_closure_constant_is_complex(device):
    factor, single, table = 2 + 1j, np.complex64(3j), np.array([1j, 2j])

    @cuda.jit
    def kernel(out):
        out[0] = factor
        out[1] = single
        out[2] = table[1]

    out = np.zeros(3, complex)
    kernel[1, 1](out)
    np.testing.assert_array_equal(out, [2 + 1j, 3j, 2j])


def test_shared_and_local_arrays_of_complex_numbers(device):
    @cuda.jit
    def kernel(out, a):
        i = cuda.threadIdx.x
        shared, local = cuda.shared.array(4, complex64), cuda.local.array(2, np.complex128)
        shared[i] = a[i]
        local[1] = a[i] * 1j
        cuda.syncthreads()
        out[i] = shared[3 - i] + local[1]

    a = np.array([1, 2j, 3 + 1j, -4])
    out = np.zeros(4, complex)
    kernel[1, 4](out, a)
    np.testing.assert_array_equal(out, a[::-1] + a * 1j)


def test_a_device_function_returns_a_complex_number(device):
    @cuda.jit(device=True)
    def turn(z, n):
        return z if n == 0 else turn(z * 1j, n - 1)

    @cuda.jit
    def kernel(out):
        out[0] = turn(1 + 2j, 3)

    out = np.zeros(1, complex)
    kernel[1, 1](out)
    assert out[0] == (1 + 2j) * -1j


def test_a_variable_that_is_real_on_one_path_becomes_complex(device):
    def f(x):
        z = 1
        if x.real > 0:
            z = x
        return z

    expected = np.where(numbers.real > 0, numbers, 1)
    np.testing.assert_array_equal(run(f, numbers), expected)


def test_strided_views_of_complex_arrays(device):
    @cuda.jit
    def kernel(out, a):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            out[j, i] = a[i, j]

    a = np.arange(24).reshape(4, 6) * (1 + 1j)
    out = np.zeros((3, 4), complex)
    kernel[1, (4, 4)](out, a[:, ::2])
    np.testing.assert_array_equal(out, a[:, ::2].T)


def test_device_arrays_of_complex_numbers(device):
    @cuda.jit
    def kernel(a):
        a[cuda.threadIdx.x] *= 2j

    a = cuda.to_device(numbers.astype(np.complex64))
    kernel[1, numbers.size](a)
    np.testing.assert_array_equal(a.copy_to_host(), numbers.astype(np.complex64) * 2j)


def test_every_way_to_ask_for_the_truth(device):
    def f(z):
        ways = operator.not_(z), operator.truth(z), not z, bool(z), np.logical_not(z)
        return ways[0] + 2 * ways[1] + 4 * ways[2] + 8 * ways[3] + 16 * ways[4]

    zs = np.array([0, 1, 1j, -0.0, np.nan, complex(0, np.nan)])
    np.testing.assert_array_equal(run(f, zs, dtype=int), [f(z) for z in zs])


@pytest.mark.parametrize("name", ["sqrt", "exp", "sin", "arctan", "log1p", "expm1", "log2", "exp2"])
def test_numpy_functions_take_complex_numbers(device, name):
    ufunc = getattr(np, name)
    np.testing.assert_allclose(run(lambda z: ufunc(z), numbers), ufunc(numbers), rtol=1e-12)


def test_numpys_parts(device):
    def f(z):
        return np.real(z) + 10 * np.imag(z) + 100 * np.abs(z) + 1000 * np.angle(z)

    np.testing.assert_allclose(run(f, numbers, dtype=float), f(numbers))
    np.testing.assert_array_equal(run(lambda z: np.conj(z), numbers), np.conj(numbers))


def test_numpys_tests_look_at_both_parts(device):
    a = np.array([1j, complex(1, np.inf), complex(np.nan, 0), complex(np.inf, np.nan)])
    for test in (np.isnan, np.isinf, np.isfinite):
        np.testing.assert_array_equal(run(lambda z: test(z), a, dtype=bool), test(a))


def test_types_have_numbas_names():
    assert heddle.typeof(1j) == complex128
    assert heddle.typeof(np.zeros(3, np.complex64)) == complex64[::1]
    assert complex64(1 + 2j) == np.complex64(1 + 2j)
    assert heddle.types.as_dtype(complex64) == np.complex64


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (lambda out, z: z < 1, "cannot compare with <"),
        (lambda out, z: z // 2, "bad operands for //"),
        (lambda out, z: z % 2, "bad operands for %"),
        (lambda out, z: ~z, "bad operand for ~"),
        (lambda out, z: float(z), "takes numbers, not complex128"),
        (lambda out, z: int64(z), "cannot convert complex128 to int64"),
        (lambda out, z: float32(z), "take its real part"),
        (lambda out, z: max(z, 1), "takes numbers, not complex128"),
        (lambda out, z: out[z], "an array index must be an integer"),
        (lambda out, z: range(z), "range"),
        (lambda out, z: z.size, "has no attribute 'size'"),
        (lambda out, z: complex(z, 1), "takes numbers, not complex128"),
    ],
)
def test_what_complex_numbers_do_not_have_is_a_typing_error(device, source, message):
    f = cuda.jit(device=True)(source)

    @cuda.jit
    def kernel(out, z):
        f(out, z)

    with pytest.raises(heddle.TypingError, match=message):
        kernel[1, 1](np.zeros(1), 1j)


def test_a_complex_number_is_not_stored_in_a_real_array(device):
    @cuda.jit
    def kernel(out, z):
        out[0] = z

    with pytest.raises(heddle.TypingError, match="take its real part"):
        kernel[1, 1](np.zeros(1), 1j)
