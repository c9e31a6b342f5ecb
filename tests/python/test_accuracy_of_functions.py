"""Math functions at arguments for which libraries have errors."""

import math

import mpmath
import numpy as np
import pytest
from exact_math import errors_in_ulps, exact_functions
from in_cuda_cpp import run

from heddle import njit


def largest_error(call, exact, *arguments):
    """The largest error of a C function, in units in the last place; its arguments are the arrays x and y."""
    out = np.zeros_like(arguments[0])
    kind = "double" if out.dtype == np.float64 else "float"
    parameters = ", ".join(f"const {kind}* {name}" for name in "xy"[: len(arguments)])
    source = (
        f"__global__ void k({parameters}, {kind}* out) {{ int i = threadIdx.x; out[i] = {call}; }}"
    )
    run(source, *arguments, out, block=len(out))
    assert np.isfinite(out).all()
    return max(errors_in_ulps(out, exact, arguments))


@pytest.mark.parametrize(
    "x, y",
    [
        (np.nextafter(0.5, 1), -1023.9999999999999),
        (2.0, 1023.9999999999998),
        (10.0, 308.25471555991669),
        (-5.6438030941222897e102, 3.0),  # an odd power of a negative number
        (1.7976931348623157e308, 0.99999999999999989),
        (3.0, 646.0),
    ],
)
@pytest.mark.parametrize("lanes", [1, 7, 64])
def test_powers_near_the_largest_double(device, x, y, lanes):
    """Next to small ones in the same vector."""
    xs, ys = np.linspace(1, 2, lanes), np.linspace(-3, 3, lanes)
    xs[lanes // 2], ys[lanes // 2] = x, y
    assert largest_error("pow(x[i], y[i])", mpmath.power, xs, ys) <= 2.51


@pytest.mark.parametrize("x, y, power", [(0.0, -5e-324, np.inf), (-0.0, -3.0, -np.inf)])
def test_infinite_powers_stay_infinite(device, x, y, power):
    out = np.zeros(1)
    run("__global__ void k(double x, double y, double* out) { *out = pow(x, y); }", x, y, out)
    assert out[0] == power


@pytest.mark.parametrize("x", [10.0, np.inf])
def test_powers_beyond_the_largest_double_are_infinite(device, x):
    out = np.zeros(1)
    run("__global__ void k(double x, double* out) { *out = pow(x, 308.3); }", x, out)
    assert out[0] == np.inf


@pytest.mark.parametrize(
    "low, high", [(-745.13, -744), (-708.4, -708.3), (-1e-300, 1e-300), (-2, 2)]
)
def test_exp_of_doubles(device, low, high):
    assert largest_error("exp(x[i])", mpmath.exp, np.linspace(low, high, 200)) <= 1.01


@pytest.mark.parametrize("lanes", [1, 7, 64])
def test_exp_near_the_largest_double(device, lanes):
    """Next to small numbers in the same vector."""
    for x in (709.78271, 709.7827111495576, 709.7827125, 709.782712893384):
        xs = np.linspace(-3, 3, lanes)
        xs[lanes // 2] = x
        assert largest_error("exp(x[i])", mpmath.exp, xs) <= 1.51


@pytest.mark.parametrize(
    "x, found",
    [(709.7827128933841, np.inf), (1e300, np.inf), (np.inf, np.inf), (np.nan, np.nan)]
    + [(-745.133, 5e-324), (-745.134, 0), (-1e300, 0), (-np.inf, 0)],
)
def test_exp_beyond_the_doubles(device, x, found):
    out = np.zeros(1)
    run("__global__ void k(double x, double* out) { *out = exp(x); }", x, out)
    if device.type == "cuda" and x == -745.133:
        assert out[0] in (0, 5e-324)  # just above half of the smallest number; CUDA allows 1 ulp
    else:
        np.testing.assert_array_equal(out, found)


def test_exp_in_loops_of_host_functions():
    """LLVM's vectorizers replace libm's function, whose values differ in the last bit."""

    @njit
    def powers(x, out):
        for i in range(x.size):
            out[i] = math.exp(x[i])

    x = np.array([709.7827111495576, 709.782712893384, -745.13, -708.4, 0.5, 1e-20, -0.0, 3] * 4)
    out = np.zeros_like(x)
    powers(x, out)
    assert max(errors_in_ulps(out, mpmath.exp, [x])) <= 1.01


@pytest.mark.parametrize("low, high", [(1, 20), (700, 709.5), (709.5, 710.475)])
def test_cosh_of_doubles(device, low, high):
    x = np.linspace(low, high, 200)
    assert largest_error("cosh(x[i])", mpmath.cosh, np.concatenate([x, -x])) <= 1.51


@pytest.mark.parametrize("x, found", [(711.0, np.inf), (np.inf, np.inf), (-np.inf, np.inf)])
def test_cosh_beyond_the_largest_double_is_infinite(device, x, found):
    out = np.zeros(1)
    run("__global__ void k(double x, double* out) { *out = cosh(x); }", x, out)
    assert out[0] == found


def test_tgamma_of_floats_near_negative_integers(device):
    x = np.concatenate([np.linspace(-n - 0.9, -n - 0.1, 40) for n in range(8, 30)]).astype("f")
    for part in np.split(x, 8):
        assert largest_error("tgammaf(x[i])", mpmath.gamma, part) <= 5.51


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("low, high", [(0.1, 30), (30, 110), (600, 713)])
def test_modified_bessel_functions_of_doubles(device, order, low, high):
    x = np.linspace(low, high, 100)
    exact = lambda v: mpmath.besseli(order, v)  # noqa: E731
    assert largest_error(f"cyl_bessel_i{order}(x[i])", exact, x) <= 6.51


@pytest.mark.parametrize(
    "name, zero",
    [("j0", 2.4048255577), ("j0", 5.5200781103), ("j1", 3.8317059702), ("j1", 7.0155866698)]
    + [("y0", 0.8935769663), ("y0", 7.0860510603), ("y1", 2.1971413261), ("y1", 5.4296810407)],
)
def test_bessel_functions_of_floats_near_zeros(device, name, zero):
    x = (np.float32(zero).view(np.uint32) + np.arange(-50, 50)).astype(np.uint32).view(np.float32)
    assert largest_error(f"{name}f(x[i])", exact_functions[name].exact, x) <= 9.51


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("name", "jy")
def test_bessel_functions_of_doubles_near_zeros(device, name, order):
    """Of the CPU's functions, also those of any order."""
    exact = exact_functions[f"{name}{order}"].exact
    zeros = {"j": mpmath.besseljzero, "y": mpmath.besselyzero}[name]
    steps = np.concatenate(
        [np.arange(-50, 51), 2.0 ** np.arange(6, 53), -(2.0 ** np.arange(6, 53))]
    )
    for n in (1, 2):
        zero = float(zeros(order, n))
        x = zero + steps * np.spacing(zero) / 8
        assert largest_error(f"{name}{order}(x[i])", exact, x) <= 7.51
        if device.type == "cpu":
            assert largest_error(f"{name}n({order}, x[i])", exact, x) <= 7.51


def test_bessel_functions_of_negative_doubles_near_zeros(device):
    for order in (0, 1):
        zero = -float(mpmath.besseljzero(order, 1))
        x = zero + np.arange(-50, 51) * np.spacing(zero)
        assert largest_error(f"j{order}(x[i])", exact_functions[f"j{order}"].exact, x) <= 7.51
