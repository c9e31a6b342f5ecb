"""The accuracy of functions where libraries err, and the program that measures it."""

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest
from exact_math import errors_in_ulps
from in_cuda_cpp import run

SCRIPTS = Path(__file__).parents[2] / "scripts" / "accuracy"
sys.path.append(str(SCRIPTS))

import measure  # noqa: E402

with_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")


def largest_error(call, exact, *arguments):
    """In units in the last place, of a C function of the arguments, arrays x and y."""
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
    """Beside others, in the same vector, that are small."""
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


# The program


@with_compiler
def test_the_program_writes_a_page(tmp_path):
    page = tmp_path / "accuracy.md"
    options = ["--step", "50000017", "--samples", "100", "--functions", "sin,erfcinv,pow"]
    command = [sys.executable, SCRIPTS / "measure.py", *options, "-o", page]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    assert "0 functions are outside of CUDA's bounds" in done.stdout
    text = page.read_text()
    assert text.count("## float") == 4
    assert "| `sinf` | 2 |" in text and "| `pow` | 2 |" in text and "over" not in text


@pytest.fixture(scope="module")
def library():
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    return measure.reference()


def compared(library, name, x, found):
    result = (measure.Result * 1)()
    pointers = (ctypes.c_void_p * 1)(found.ctypes.data)
    function = library.compareFloats if found.dtype == np.float32 else library.compareDoubles
    at = ctypes.c_void_p(x.ctypes.data)
    assert function(name.encode(), at, None, ctypes.c_uint64(len(x)), pointers, 1, result)
    return result[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_wrong_value_is_measured(library, dtype):
    x = np.array([1, 2, 4, 9, 16], dtype)
    found = np.sqrt(x)
    found[3] += 3 * np.spacing(found[3])
    result = compared(library, "sqrt", x, found)
    assert (result.worst, result.at, result.count) == (3, 9, 5)
    assert measure.is_over("sqrt", dtype, result)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("x, found", [(4.0, np.nan), (-4.0, 2.0)])
def test_a_nan_in_the_wrong_place_is_counted(library, dtype, x, found):
    result = compared(library, "sqrt", np.array([x], dtype), np.array([found], dtype))
    assert (result.wrong, result.wrong_at) == (1, x)
    assert measure.is_over("sqrt", dtype, result)


_exact = {
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "rcbrt": lambda x: 1 / mpmath.cbrt(x),
    "exp2": lambda x: mpmath.power(2, x),
    "exp10": lambda x: mpmath.power(10, x),
    "log2": lambda x: mpmath.log(x, 2),
    "erfcx": lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
    "erfcinv": lambda x: mpmath.erfinv(1 - x),
    "normcdf": mpmath.ncdf,
    "normcdfinv": lambda x: mpmath.sqrt(2) * mpmath.erfinv(2 * x - 1),
    "tgamma": mpmath.gamma,
    "lgamma": mpmath.loggamma,
    "j0": lambda x: mpmath.besselj(0, x),
    "j1": lambda x: mpmath.besselj(1, x),
    "y0": lambda x: mpmath.bessely(0, x),
    "y1": lambda x: mpmath.bessely(1, x),
    "cyl_bessel_i0": lambda x: mpmath.besseli(0, x),
    "cyl_bessel_i1": lambda x: mpmath.besseli(1, x),
    "fabs": abs,
    "trunc": lambda x: mpmath.floor(x),
}


def check_reference(library, name, x):
    """Against mpmath, whose values are rounded correctly here."""
    exact = _exact.get(name) or getattr(mpmath, name)
    with mpmath.workprec(300):
        found = np.array([exact(mpmath.mpf(float(v))) for v in x], x.dtype)
    result = compared(library, name, x, found)
    assert result.worst <= 0.5 + 1e-6 and not result.wrong


@pytest.mark.parametrize("name", [n for n in measure.UNARY if n not in ("logb", "rint", "round")])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_references_are_exact(library, name, dtype):
    x = np.array([1e-4, 0.03, 0.3, 0.45, 0.7, 0.96], dtype) + (name == "acosh")
    check_reference(library, name, x)


@pytest.mark.parametrize(
    "name, low, high",
    [
        ("cyl_bessel_i0", 20, 40),  # the power series and the asymptotic one
        ("cyl_bessel_i0", 600, 710),
        ("cyl_bessel_i1", 20, 40),
        ("cyl_bessel_i1", -710, -600),
        ("erfcx", -20, 20),
        ("erfcx", 25.9, 26.1),
        ("erfcx", 100, 1000),
        ("erfcinv", 0.49, 0.51),
        ("erfcinv", 1e-60, 1e-50),
        ("erfinv", 9e-5, 1.1e-4),
        ("erfinv", -0.51, -0.49),
        ("erfinv", 1 - 1e-15, 1 - 1e-16),
        ("normcdf", -37, -30),
        ("normcdfinv", 1e-60, 1e-50),
    ],
)
def test_formulas_are_exact(library, name, low, high):
    check_reference(library, name, np.linspace(low, high, 50))


@pytest.mark.parametrize("name", [*measure.UNARY, *measure.BINARY])
def test_references_of_both_types_agree(library, name):
    random = np.random.default_rng(1)
    x, y = measure.samples(np.float32, 3000, random), measure.samples(np.float32, 3000, random)
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, y)]
    second = pointers[1] if name in measure.BINARY else None
    library.largestGap.restype = ctypes.c_double
    assert library.largestGap(name.encode(), pointers[0], second, ctypes.c_uint64(len(x))) < 1e-6
