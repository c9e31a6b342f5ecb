"""cmath in kernels compared with Python: random numbers, both sides of branch cuts, infinities and NaN."""

import cmath
import math

import numpy as np
import pytest

import heddle
from heddle import cuda

functions = "acos acosh asin asinh atan atanh cos cosh exp log log10 sin sinh sqrt tan tanh".split()
parts = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 1e-300, 1e300, math.inf, -math.inf, math.nan]
special = np.array([complex(x, y) for x in parts for y in parts])


def kernel_for(name):
    function = getattr(cmath, name)

    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(a[i])

    return kernel


def in_a_kernel(name, a, dtype=np.complex128):
    out = np.zeros(a.size, dtype)
    kernel_for(name)[math.ceil(a.size / 64), 64](out, a)
    return out


# C17 (defect report 471 of C11), NumPy and Python 3.14 define these results. In C99 and older versions of Python, both
# parts are NaN. For infinite arguments, every Python raises an exception.
results_of_c17 = [
    ("acosh", "nanj", complex(math.nan, math.pi / 2)),
    ("acosh", "(-0+nanj)", complex(math.nan, math.pi / 2)),
    ("tan", "(nan+0j)", complex(math.nan, 0.0)),
    ("tan", "(nan-0j)", complex(math.nan, -0.0)),
    ("tan", "(inf+0j)", complex(math.nan, 0.0)),
    ("tan", "(-inf-0j)", complex(math.nan, -0.0)),
    ("tanh", "nanj", complex(0.0, math.nan)),
    ("tanh", "(-0+nanj)", complex(-0.0, math.nan)),
    ("tanh", "infj", complex(0.0, math.nan)),
    ("tanh", "(-0-infj)", complex(-0.0, math.nan)),
]
is_of_c17 = {(name, z) for name, z, _ in results_of_c17}


def in_python(name, z):
    """Python's result; None if it raises an exception."""
    try:
        return getattr(cmath, name)(z)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def agrees(found, expected, has_signs, tolerance):
    """True if both are within tolerance, both NaN, or the same infinity or zero; with ``has_signs``, also of the same
    sign."""
    if math.isnan(expected):
        return math.isnan(found)
    if not has_signs:
        found, expected = abs(found), abs(expected)
    if math.isinf(expected) or expected == 0:
        return found == expected and math.copysign(1, found) == math.copysign(1, expected)
    return math.isclose(found, expected, rel_tol=tolerance)


def sample(count, scale, dtype):
    random = np.random.default_rng(7)
    size = np.exp(random.uniform(-scale, scale, count))
    angle = random.uniform(-np.pi, np.pi, count)
    return (size * np.exp(1j * angle)).astype(dtype)


@pytest.mark.parametrize("name", functions)
@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(np.complex64, 3e-6), (np.complex128, 1e-14)], ids=["64", "128"]
)
def test_a_function_is_pythons(device, name, dtype, tolerance):
    a = sample(500, 3, dtype)
    found = in_a_kernel(name, a, dtype)
    expected = np.array([getattr(cmath, name)(complex(z)) for z in a])
    error = np.abs(found - expected) / np.abs(expected)
    assert error.max() < tolerance


@pytest.mark.parametrize("name", functions)
def test_special_values_are_pythons(device, name):
    found = in_a_kernel(name, special)
    wrong = []
    for z, value in zip(special.tolist(), found.tolist(), strict=True):
        expected = in_python(name, z)
        if expected is None or (name, str(z)) in is_of_c17:
            continue
        signs = not cmath.isnan(z)  # C's Annex G leaves them open
        if not (
            agrees(value.real, expected.real, signs, 1e-13)
            and agrees(value.imag, expected.imag, signs, 1e-13)
        ):
            wrong.append((z, value, expected))
    assert not wrong


@pytest.mark.parametrize(("name", "z", "expected"), results_of_c17)
def test_a_zero_or_pi_beside_a_nan_is_cs_on_every_python(device, name, z, expected):
    found = complex(in_a_kernel(name, np.array([complex(z)]))[0])
    assert agrees(found.real, expected.real, True, 1e-15)
    assert agrees(found.imag, expected.imag, True, 1e-15)


@pytest.mark.parametrize("name", ["log", "sqrt", "asinh", "acosh", "atanh", "asin", "acos", "atan"])
def test_tiny_and_huge_numbers_lose_no_digits(device, name):
    a = np.array([complex(x, y) for x in (1e-310, 1e-160, 1e160, 1e308) for y in (1e-310, 1e308)])
    expected = [getattr(cmath, name)(z) for z in a.tolist()]
    # A few units of the subnormal numbers.
    np.testing.assert_allclose(in_a_kernel(name, a), expected, rtol=1e-14, atol=1e-322)


@pytest.mark.parametrize("name", ["cos", "cosh", "exp", "sin", "sinh", "tan", "tanh"])
def test_exponentials_overflow_no_earlier_than_they_must(device, name):
    a = np.array([complex(x, y) for x in (709.5, -709.5, 1) for y in (709.5, 1e-3, 1.5)])
    a = np.array([z for z in a.tolist() if in_python(name, z) is not None])
    expected = [getattr(cmath, name)(z) for z in a.tolist()]
    np.testing.assert_allclose(in_a_kernel(name, a), expected, rtol=1e-12)


def test_the_logarithm_near_the_unit_circle_is_exact(device):
    a = np.exp(1j * np.linspace(0.1, 3, 50)) * (1 + 1e-9)
    np.testing.assert_allclose(
        in_a_kernel("log", a), [cmath.log(z) for z in a.tolist()], rtol=1e-14
    )


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite"])
def test_tests_look_at_both_parts(device, name):
    expected = [getattr(cmath, name)(z) for z in special.tolist()]
    np.testing.assert_array_equal(in_a_kernel(name, special, bool), expected)


def test_polar_and_rect(device):
    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        if i < a.size:
            r, phi = cmath.polar(a[i])
            out[0, i] = r
            out[1, i] = cmath.phase(a[i])
            out[2, i] = cmath.rect(r, phi)

    a = sample(50, 3, complex)
    out = np.zeros((3, 50), complex)
    kernel[1, 64](out, a)
    np.testing.assert_allclose(out, [np.abs(a), np.angle(a), a], rtol=1e-14)


def rect_in_a_kernel(r, phi):
    @cuda.jit
    def kernel(out, r, phi):
        out[0] = cmath.rect(r, phi)

    out = np.zeros(1, complex)
    kernel[1, 1](out, r, phi)
    return repr(complex(out[0]))


@pytest.mark.parametrize("r", [0.0, 2.0, -2.0, math.inf])
@pytest.mark.parametrize("phi", [0.0, -0.0, 1.0])
def test_rect_without_a_turn_keeps_the_size(device, r, phi):
    assert rect_in_a_kernel(r, phi) == repr(cmath.rect(r, phi))


@pytest.mark.parametrize("phi", [math.inf, -math.inf, math.nan])
def test_rect_of_no_size_is_0_at_every_angle(device, phi):
    assert rect_in_a_kernel(0.0, phi) == repr(cmath.rect(0.0, phi))


def test_a_logarithm_to_a_base(device):
    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        if i < a.size:
            out[i] = cmath.log(a[i], 2) + cmath.log(a[i], 1j)

    a = sample(50, 3, complex)
    out = np.zeros_like(a)
    kernel[1, 64](out, a)
    expected = [cmath.log(z, 2) + cmath.log(z, 1j) for z in a.tolist()]
    np.testing.assert_allclose(out, expected, rtol=1e-13)


def test_a_real_argument_is_a_complex_number(device):
    @cuda.jit
    def kernel(out, x):
        out[0] = cmath.sqrt(x)
        out[1] = cmath.pi

    out = np.zeros(2, complex)
    kernel[1, 1](out, -4)
    np.testing.assert_array_equal(out, [2j, np.pi])


@pytest.mark.parametrize(
    ("dtype", "result"),
    [
        ("int8", "complex64"),
        ("int32", "complex128"),
        ("float32", "complex64"),
        ("bool", "complex64"),
    ],
)
def test_the_result_of_a_real_argument_has_numbas_type(device, dtype, result):
    @cuda.jit
    def kernel(x):
        cmath.sqrt(x).type

    with pytest.raises(heddle.TypingError, match=f"{result} has no attribute"):
        kernel[1, 1](np.dtype(dtype).type(1))


def test_math_refuses_a_complex_number_and_names_cmath(device):
    @cuda.jit
    def kernel(z):
        math.sqrt(z)

    with pytest.raises(heddle.TypingError, match="cmath has functions of complex numbers"):
        kernel[1, 1](1j)
