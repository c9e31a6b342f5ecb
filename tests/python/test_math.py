"""``math`` and its NumPy equivalents, compared with CPython and NumPy within CUDA's documented error bounds."""

import decimal
import math

import numpy as np
import pytest
from exact_math import errors_in_ulps, exact_functions, exact_pairs, sample
from in_kernels import store_each_row
from library_rows import names_in

from heddle import cuda
from heddle.errors import TypingError

# Largest errors in units in the last place for float32 and float64 (CUDA C++ Programming Guide).
bounds = {
    "sin": (2, 2),
    "cos": (2, 2),
    "tan": (4, 2),
    "asin": (2, 2),
    "acos": (2, 2),
    "atan": (2, 2),
    "sinh": (3, 2),
    "cosh": (2, 1),
    "tanh": (2, 1),
    "asinh": (3, 3),
    "acosh": (4, 3),
    "atanh": (3, 2),
    "exp": (2, 1),
    "exp2": (2, 1),
    "expm1": (1, 1),
    "log": (1, 1),
    "log2": (1, 1),
    "log10": (2, 1),
    "log1p": (1, 1),
    "erf": (2, 2),
    "erfc": (4, 5),
    "gamma": (5, 10),
    "lgamma": (6, 4),
    "cbrt": (1, 1),
    "sqrt": (0, 0),
    "fabs": (0, 0),
    "floor": (0, 0),
    "ceil": (0, 0),
    "trunc": (0, 0),
    "rint": (0, 0),
    "degrees": (1, 1),
    "radians": (1, 1),
    "pow": (4, 2),
    "atan2": (3, 2),
    "hypot": (3, 2),
    "fmod": (0, 0),
    "remainder": (0, 0),
    "copysign": (0, 0),
    "nextafter": (0, 0),
}

numpy_names = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2"}
numpy_names |= {"arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh"}
numpy_names |= {"rad2deg": "degrees", "deg2rad": "radians"}

# Where each function has values of interest besides the special ones.
near_one = np.linspace(-1, 1, 101)
wide = np.concatenate(
    [np.linspace(-10, 10, 101), np.logspace(-30, 30, 61), -np.logspace(-30, 30, 61)]
)
domains = {"asin": near_one, "acos": near_one, "atanh": near_one * 0.999}
domains |= {"gamma": np.linspace(0.1, 30, 101), "lgamma": np.linspace(3, 40, 101)}
domains |= {"sin": np.linspace(-100, 100, 201), "cos": np.linspace(-100, 100, 201)}
domains |= {"tan": np.linspace(-100, 100, 201)}
special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan])

unary = [name for name in bounds if name not in ("pow", "atan2", "hypot", "fmod", "remainder")]
unary = [name for name in unary if name not in ("copysign", "nextafter", "rint")]
binary = ["pow", "atan2", "hypot", "fmod", "remainder", "copysign"]
tested_elsewhere = {"nextafter", "isnan", "isinf", "isfinite", "frexp", "ldexp", "modf", "signbit"}
tested_elsewhere |= {"maximum", "minimum", "fmax", "fmin", "absolute", "sign", "rint"}
tested_elsewhere |= {"logical_and", "logical_or", "logical_xor", "logical_not"}
# In test_ufuncs_with_output.py and test_array_views.py:
tested_elsewhere |= {"add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power"}
tested_elsewhere |= {"bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"}
tested_elsewhere |= {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
tested_elsewhere |= {"invert", "negative", "positive", "square", "reciprocal"}
tested_elsewhere |= {"reshape", "ravel", "transpose", "swapaxes", "expand_dims", "flip", "flipud"}
tested_elsewhere |= {"fliplr", "broadcast_to", "shape", "size", "ndim"}
# In test_reductions_of_arrays.py:
tested_elsewhere |= {
    "all",
    "any",
    "amax",
    "amin",
    "argmax",
    "argmin",
    "count_nonzero",
    "dot",
    "max",
}
tested_elsewhere |= {"mean", "min", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum"}
tested_elsewhere |= {"nanvar", "prod", "std", "sum", "var"}
# In test_elements_of_arrays.py:
tested_elsewhere |= {"take", "trace", "ptp", "array_equal", "searchsorted", "digitize"}
tested_elsewhere |= {"dtype", "finfo", "iinfo"}
# In test_numpy_in_kernels.py and test_loops_over_indices.py:
tested_elsewhere |= {"asarray", "ascontiguousarray", "asfortranarray", "average", "frombuffer"}
tested_elsewhere |= {"atleast_1d", "atleast_2d", "atleast_3d", "lib.stride_tricks.as_strided"}
tested_elsewhere |= {"nan_to_num", "sinc", "isscalar", "isrealobj", "iscomplexobj"}
tested_elsewhere |= {"ndindex", "ndenumerate", "nditer"}
# In test_complex.py and test_times.py:
tested_elsewhere |= {"conjugate", "real", "imag", "angle", "isnat"}


def in_kernel(function, *columns, out=None):
    """The results of ``function`` for each row of the columns, computed by a kernel."""
    columns = [np.asarray(column) for column in columns]
    out = np.zeros(len(columns[0]), columns[0].dtype) if out is None else out
    return store_each_row(out, function, *columns)


def exact(name, *arguments):
    """CPython's value in float64; NaN or infinite, as in C, if it raises an exception."""
    if name == "cbrt" and math.isfinite(arguments[0]):
        return cube_root(arguments[0])
    if not hasattr(math, name):
        return float(getattr(np, name)(*arguments))
    if name in ("floor", "ceil", "trunc"):
        return float(getattr(np, name)(*arguments))
    try:
        return float(getattr(math, name)(*arguments))
    except (ValueError, OverflowError):
        with np.errstate(all="ignore"):
            return c_value(name, *(np.float64(a) for a in arguments))


def cube_root(x):
    """The C library's cbrt has an error of several units in the last place."""
    with decimal.localcontext(prec=60):
        root = decimal.Decimal(abs(x)) ** (decimal.Decimal(1) / 3)
    return math.copysign(float(root), x)


def c_value(name, *arguments):
    x = arguments[0]
    if name == "gamma":
        return np.copysign(np.inf, x) if x == 0 else np.nan if x < 0 else np.inf
    if name in ("lgamma",):
        return np.inf
    if name == "remainder":
        return np.nan
    inverse = {theirs: ours for ours, theirs in numpy_names.items()}
    return float(getattr(np, {**inverse, "pow": "power"}.get(name, name))(*arguments))


def assert_within(found, wanted, ulps):
    with np.errstate(all="ignore"):
        wanted = np.asarray(wanted, np.float64)
        rounded = wanted.astype(found.dtype)
        close = np.isnan(found) & np.isnan(rounded) | (found == rounded)
        unit = np.maximum(np.spacing(np.abs(rounded)), np.finfo(found.dtype).smallest_subnormal)
        close |= np.abs(found.astype(np.float64) - wanted) <= (ulps + 0.5) * unit
        # Subnormal results may be flushed; an overflow may round either way.
        close |= (np.abs(wanted) < np.finfo(found.dtype).tiny) & (
            np.abs(found) <= np.finfo(found.dtype).tiny
        )
    wrong = np.flatnonzero(~close)
    assert wrong.size == 0, [(i, found[i], wanted[i]) for i in wrong[:5]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", unary)
def test_functions_of_math_are_as_exact_as_cudas(device, name, dtype):
    if not hasattr(math, name):
        pytest.skip(f"this Python has no math.{name}")
    x = np.concatenate([domains.get(name, wide), special]).astype(dtype)
    found = in_kernel(getattr(math, name), x)
    assert_within(found, [exact(name, float(v)) for v in x], bounds[name][dtype is np.float64])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", binary)
def test_functions_of_two_numbers_are_as_exact_as_cudas(device, name, dtype):
    values = np.concatenate([np.linspace(-9.5, 9.5, 12), [1e-20, 1e20], special]).astype(dtype)
    x, y = (grid.ravel() for grid in np.meshgrid(values, values))
    found = in_kernel(getattr(math, name), x, y)
    wanted = [exact(name, float(a), float(b)) for a, b in zip(x, y)]
    assert_within(found, wanted, bounds[name][dtype is np.float64])


names_of_math = {name: {"tgamma": "gamma"}.get(name, name) for name in exact_functions}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "name", [name for name in names_of_math if hasattr(math, names_of_math[name])]
)
def test_samples_are_as_exact_as_cudas(device, name, dtype):
    function = exact_functions[name]
    x = sample(*function.ends, dtype)
    found = in_kernel(getattr(math, names_of_math[name]), x)
    assert errors_in_ulps(found, function.exact, [x]).max() <= function.bound(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", exact_pairs)
def test_samples_of_two_numbers_are_as_exact_as_cudas(device, name, dtype):
    function = exact_pairs[name]
    x, y = sample(*function.ends, dtype), sample(*function.ends, dtype)
    found = in_kernel(getattr(math, name), x, y)
    assert errors_in_ulps(found, function.exact, [x, y]).max() <= function.bound(dtype)


def numpy_rows(signature):
    known = [name for name in names_in("numpy") if name not in tested_elsewhere]
    return [name for name in known if (numpy_names.get(name, name) in binary) == (signature == 2)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", numpy_rows(1))
def test_numpys_functions_of_a_scalar_are_as_exact_as_cudas(device, name, dtype):
    twin = numpy_names.get(name, name)
    x = np.concatenate([domains.get(twin, wide), special]).astype(dtype)
    found = in_kernel(getattr(np, name), x)
    assert_within(found, [exact(twin, float(v)) for v in x], bounds[twin][dtype is np.float64])


@pytest.mark.parametrize("name", numpy_rows(2))
def test_numpys_functions_of_two_scalars_are_as_exact_as_cudas(device, name):
    twin = numpy_names.get(name, name)
    x = np.linspace(-7, 7, 15)
    y = np.linspace(3, -4, 15)
    found = in_kernel(getattr(np, name), x, y)
    assert_within(found, [exact(twin, a, b) for a, b in zip(x, y)], bounds[twin][1])


def test_every_row_of_the_tables_has_a_test():
    rows = {numpy_names.get(name, name) for name in names_in("math") + names_in("numpy")}
    assert rows <= set(bounds) | tested_elsewhere


specials = [0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 5e-324, 1e308]


@pytest.mark.parametrize("module", [math, np], ids=["math", "numpy"])
@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite"])
def test_tests_of_floats(device, module, name):
    x = np.array(specials)
    found = in_kernel(getattr(module, name), x, out=np.zeros(len(x), bool))
    np.testing.assert_array_equal(found, getattr(np, name)(x))


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite", "signbit"])
def test_tests_of_integers(device, name):
    x = np.array([-3, 0, 7])
    found = in_kernel(getattr(np, name), x, out=np.zeros(3, bool))
    np.testing.assert_array_equal(found, getattr(np, name)(x.astype(float)))


def test_signbit(device):
    x = np.array(specials)
    np.testing.assert_array_equal(
        in_kernel(np.signbit, x, out=np.zeros(len(x), bool)), np.signbit(x)
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("module", [math, np], ids=["math", "numpy"])
def test_nextafter(device, module, dtype):
    x = np.array([0, 1, -1, 1e30, np.inf, 2], dtype)
    y = np.array([1, 0, -2, np.inf, 0, 2], dtype)
    found = in_kernel(module.nextafter, x, y)
    np.testing.assert_array_equal(found, np.nextafter(x, y))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_frexp_and_ldexp_take_a_float_apart_and_put_it_together(device, dtype):
    x = np.array([0, -0.0, 1, 0.75, -8, 1e-40, 3e38, np.inf], dtype)

    @cuda.jit
    def k(x, fraction, exponent, whole):
        i = cuda.grid(1)
        fraction[i], exponent[i] = math.frexp(x[i])
        whole[i] = math.ldexp(fraction[i], exponent[i])

    fraction, whole, exponent = np.zeros_like(x), np.zeros_like(x), np.zeros(len(x), np.int32)
    k[1, len(x)](x, fraction, exponent, whole)
    np.testing.assert_array_equal(fraction, np.frexp(x)[0])
    np.testing.assert_array_equal(exponent[:-1], np.frexp(x)[1][:-1])
    np.testing.assert_array_equal(whole, x)


@pytest.mark.parametrize("n", [0, -3, 2000, -2000, 2**31 - 1, -(2**31)])
def test_ldexp_takes_any_exponent_of_32_bits(device, n):
    def f(x, n):
        return math.ldexp(x, n)

    found = in_kernel(cuda.jit(device=True)(f), np.array([1.5]), np.array([n]))
    assert found[0] == (0 if n < -1100 else np.inf if n > 1100 else 1.5 * 2.0**n)


def test_modf_splits_fraction_and_whole(device):
    x = np.array([2.75, -2.75, 0.0, -0.0, 5, np.inf, -np.inf, np.nan])

    @cuda.jit
    def k(x, fraction, whole):
        i = cuda.grid(1)
        fraction[i], whole[i] = math.modf(x[i])

    fraction, whole = np.zeros((2, len(x)))
    k[1, len(x)](x, fraction, whole)
    np.testing.assert_array_equal(fraction, np.modf(x)[0])
    np.testing.assert_array_equal(whole, np.modf(x)[1])
    np.testing.assert_array_equal(np.signbit(fraction[:-1]), np.signbit(np.modf(x)[0][:-1]))


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.uint64, np.int64, bool])
def test_extremes(device, name, dtype):
    values = (
        [0, 1, 3, 100] if np.dtype(dtype).kind != "f" else [0.0, 1.5, -2.0, np.inf, -np.inf, np.nan]
    )
    x, y = (grid.ravel() for grid in np.meshgrid(np.array(values, dtype), np.array(values, dtype)))
    np.testing.assert_array_equal(in_kernel(getattr(np, name), x, y), getattr(np, name)(x, y))


@pytest.mark.parametrize("name", ["absolute", "sign", "rint"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_absolute_sign_and_rint(device, name, dtype):
    x = np.array([0, 1, -1, 2.5, 3.5, -2.5, -100], dtype)
    out = np.zeros(len(x), np.float64)
    np.testing.assert_array_equal(in_kernel(getattr(np, name), x, out=out), getattr(np, name)(x))


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_logical_functions(device, name):
    x, y = np.array([0.0, 0, 2.5, np.nan]), np.array([0, 3, 0, -1])
    found = in_kernel(getattr(np, name), x, y, out=np.zeros(4, bool))
    np.testing.assert_array_equal(found, getattr(np, name)(x, y))


def test_logical_not(device):
    x = np.array([0, 3])
    assert list(in_kernel(np.logical_not, x, out=np.zeros(2, bool))) == [True, False]


# Types


@pytest.mark.parametrize("name", ["maximum", "fmin", "arctan2", "hypot", "copysign"])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint16", "uint64"])
def test_an_integer_beside_a_float32_computes_in_float32(device, name, dtype):
    function = getattr(np, name)

    @cuda.jit
    def show(x, y):
        function(x, y).type

    for types in (np.float32(1), np.dtype(dtype).type(1)), (np.dtype(dtype).type(1), np.float32(1)):
        with pytest.raises(TypingError, match="float32 has no attribute 'type'"):
            show[1, 1](*types)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16"])
def test_numpys_functions_of_small_integers_compute_in_float32(device, dtype):
    @cuda.jit
    def show(x):
        np.sin(x).type

    with pytest.raises(TypingError, match="float32 has no attribute 'type'"):
        show[1, 1](np.dtype(dtype).type(1))


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "int64", "uint64"])
def test_math_computes_in_float64_for_integers(device, dtype):
    x = np.array([0, 1], dtype)
    found = in_kernel(math.exp, x, out=np.zeros(2))
    np.testing.assert_allclose(found, np.exp([0.0, 1.0]), rtol=1e-15)


def test_floor_and_ceil_are_floats_as_in_numba(device):
    x = np.array([2.5, -2.5, 1e300])
    np.testing.assert_array_equal(in_kernel(math.floor, x), np.floor(x))
    np.testing.assert_array_equal(in_kernel(math.ceil, x), np.ceil(x))


def test_constants_of_math(device):
    @cuda.jit
    def k(out):
        out[0], out[1], out[2], out[3] = math.pi, math.e, math.inf, math.tau
        out[4] = math.nan

    out = np.zeros(5)
    k[1, 1](out)
    np.testing.assert_array_equal(out, [math.pi, math.e, math.inf, math.tau, math.nan])


def test_a_function_that_kernels_lack_is_refused_with_its_name(device):
    @cuda.jit
    def k(out):
        out[0] = math.comb(5, 2)

    with pytest.raises(TypingError, match="math.comb"):
        k[1, 1](np.zeros(1))


def test_a_function_of_floats_refuses_arrays(device):
    @cuda.jit
    def k(out):
        out[0] = math.sin(out)

    with pytest.raises(TypingError, match="takes numbers"):
        k[1, 1](np.zeros(1))


def test_a_wrong_number_of_arguments_shows_the_signature(device):
    @cuda.jit
    def k(out):
        out[0] = math.atan2(1.0)

    with pytest.raises(TypingError, match=r"math.atan2\(y, x\)"):
        k[1, 1](np.zeros(1))


# Builtins


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "float32", "float64"])
def test_abs(device, dtype):
    x = np.array([0, 1, 100], dtype) * (
        np.dtype(dtype).type(1) if dtype[0] == "u" else np.dtype(dtype).type(-1)
    )
    np.testing.assert_array_equal(in_kernel(abs, x), np.abs(x))


@pytest.mark.parametrize("values", [(1, 2), (2.5, 1), (-1, -1.5), (3, np.uint8(4))])
def test_min_and_max(device, values):
    @cuda.jit
    def k(out, a, b):
        out[0], out[1] = min(a, b), max(a, b)
        out[2], out[3] = min(a, b, 0), max(a, b, 0, 2.25)

    a, b = values
    out = np.zeros(4)
    k[1, 1](out, a, b)
    assert list(out) == [min(a, b), max(a, b), min(a, b, 0), max(a, b, 0, 2.25)]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "int64"])
@pytest.mark.parametrize("bound", [0, 5])
def test_a_minimum_or_maximum_is_compared_with_its_bound(device, dtype, bound):
    """A GPU's assembler combines a minimum and its comparison with the bound into one instruction."""

    @cuda.jit
    def k(x, is_min, is_max):
        i = cuda.grid(1)
        is_min[i] = 1 if min(x[i], bound) == bound else 2
        is_max[i] = 1 if max(x[i], bound) == bound else 2

    x = np.array([-100, -65, -3, -1, 0, 1, 4, 5, 6, 77]).astype(dtype)
    is_min, is_max = np.zeros((2, x.size), np.int32)
    k[1, x.size](x, is_min, is_max)
    np.testing.assert_array_equal(is_min, np.where(x >= bound, 1, 2))
    np.testing.assert_array_equal(is_max, np.where(x <= bound, 1, 2))


def test_min_and_max_ignore_nan_as_on_a_gpu(device):
    @cuda.jit
    def k(out, nan):
        out[0], out[1], out[2] = min(nan, 1.0), max(1.0, nan), min(nan, nan)

    out = np.zeros(3)
    k[1, 1](out, np.nan)
    np.testing.assert_array_equal(out, [1, 1, np.nan])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_round_is_half_to_even(device, dtype):
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, -2.6, 1e9], dtype)
    out = np.zeros(len(x), np.int64)
    np.testing.assert_array_equal(in_kernel(round, x, out=out), np.rint(x).astype(np.int64))


@pytest.mark.parametrize("digits", [0, 1, 2, -1, -2, 5, 400, -400])
def test_round_to_digits_is_pythons_but_for_ties(device, digits):
    x = np.array([2.671, -1234.5678, 0.16, 5e-320, 1e300, 25.0, np.inf])

    @cuda.jit
    def k(x, digits, out):
        i = cuda.grid(1)
        out[i] = round(x[i], digits)

    out = np.zeros(len(x))
    k[1, len(x)](x, digits, out)
    np.testing.assert_allclose(out, [round(float(v), digits) for v in x], rtol=1e-15)


@pytest.mark.parametrize("a, b", [(7, 2), (-7, 2), (7, -2), (7.5, 2), (-7.5, 2.0)])
def test_divmod_and_pow(device, a, b):
    @cuda.jit
    def k(out, a, b):
        out[0], out[1] = divmod(a, b)
        out[2] = pow(a, 2)

    out = np.zeros(3)
    k[1, 1](out, a, b)
    assert list(out) == [*divmod(a, b), a**2]


@pytest.mark.parametrize("value", [3.99, -3.99, 2**62, True, np.float32(2.5), np.uint8(200)])
def test_casts_of_builtins(device, value):
    @cuda.jit
    def k(out, x):
        out[0], out[1], out[2] = int(x), bool(x), float(x + 0)

    out = np.zeros(3)
    k[1, 1](out, value)
    assert list(out) == [int(value), bool(value), float(value)]


@pytest.mark.parametrize("dtype", ["uint8", "uint32", "uint64"])
def test_a_negative_float_that_a_condition_makes_is_no_unsigned_integer(device, dtype):
    """A GPU's assembler has a shortcut for c ? -1 : 0, which must not be used."""

    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        v = np.float32(0.0)
        v -= x[i] > 0
        out[i] = np.uint64(v)

    x = np.array([1.0, 0.0, -1.0, 7.0])
    out = np.ones(4, dtype)
    k[1, 4](x, out)
    np.testing.assert_array_equal(out, np.zeros(4))


@pytest.mark.parametrize(
    "name", ["int8", "uint8", "int32", "uint32", "int64", "float32", "float64"]
)
def test_casts_of_numpy(device, name):
    cast = getattr(np, name)

    @cuda.jit
    def k(out, x, y):
        out[0], out[1] = cast(x), cast(y)

    out = np.zeros(2)
    k[1, 1](out, 300, 2.75)
    assert list(out) == [np.array(300).astype(name), np.array(2.75).astype(name)]


@pytest.mark.parametrize("value, expected", [(np.nan, 0), (1e300, 2**63 - 1), (-1e300, -(2**63))])
def test_a_float_out_of_range_saturates_as_on_a_gpu(device, value, expected):
    @cuda.jit
    def k(out, x):
        out[0] = int(x)

    out = np.zeros(1, np.int64)
    k[1, 1](out, value)
    assert out[0] == expected


def test_every_thread_may_take_the_parts_of_the_same_number(device):
    @cuda.jit
    def k(x, fractions, exponents):
        i = cuda.grid(1)
        if i < exponents.size:
            fractions[i], exponents[i] = math.frexp(x[0])

    fractions, exponents = np.zeros(64), np.zeros(64, np.int64)
    k[2, 32](np.float32([5e-40]), fractions, exponents)
    assert (fractions[63], exponents[63]) == math.frexp(np.float32(5e-40))
