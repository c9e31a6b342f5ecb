"""``cuda.libdevice``: each name with numba's types, and values compared with exact arithmetic and mpmath."""

import math
import struct
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from exact_math import errors_in_ulps, exact_functions, exact_pairs, sample
from in_kernels import store_each_row

from heddle import cuda, float32, float64, int16, int32, int64
from heddle.cuda import libdevice

random = np.random.default_rng(317)


def in_kernel(function, *columns, results):
    """The results of ``function`` for each row of the columns, as arrays."""
    return store_each_row(np.zeros(len(columns[0]), results), function, *columns)


def pair_in_kernel(function, *columns, results):
    """Both results of ``function``, which returns a tuple."""

    @cuda.jit
    def one(a, x, y):
        i = cuda.grid(1)
        if i < a.size:
            x[i], y[i] = function(a[i])

    @cuda.jit
    def two(a, b, x, y):
        i = cuda.grid(1)
        if i < a.size:
            x[i], y[i] = function(a[i], b[i])

    x, y = (np.zeros(len(columns[0]), dtype) for dtype in results)
    {1: one, 2: two}[len(columns)][-(-len(x) // 64), 64](*columns, x, y)
    return x, y


# Names and types


def test_every_name_is_there():
    assert len(libdevice.__all__) == 317
    assert cuda.libdevice is libdevice


def numbas_functions():
    functions = pytest.importorskip("numba.cuda.libdevicefuncs").functions
    return {name.removeprefix("__nv_"): row for name, row in functions.items()}


def test_the_names_are_numbas():
    assert set(libdevice.__all__) == set(numbas_functions())


@pytest.mark.parametrize("name", libdevice.__all__)
def test_a_function_has_numbas_type_and_compiles_for_gpus(name):
    result, arguments = numbas_functions()[name]
    outputs = [result] * (str(result) != "none") + [a.ty for a in arguments if a.is_ptr]
    inputs = [str(a.ty) for a in arguments if not a.is_ptr]
    function = getattr(libdevice, name)
    calls = {
        1: lambda a: function(a),
        2: lambda a, b: function(a, b),
        3: lambda a, b, c: function(a, b, c),
    }
    types = {"int16": int16, "int32": int32, "int64": int64, "float32": float32, "float64": float64}
    signature = tuple(types[t] for t in inputs)
    code, found = cuda.compile(calls[len(inputs)], signature, cc=(9, 0), abi_info={"abi_name": "f"})
    wanted = [str(t) for t in outputs]
    if len(wanted) == 1:
        assert str(found) == wanted[0]
    elif len(set(wanted)) == 1:
        assert str(found) == f"UniTuple({wanted[0]} x {len(wanted)})"
    else:
        assert str(found) == f"Tuple({', '.join(wanted)})"
    assert code


# Functions of floats


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", exact_functions)
def test_a_function_is_as_exact_as_cudas(device, name, dtype):
    function = exact_functions[name]
    x = sample(*function.ends, dtype)
    found = in_kernel(getattr(libdevice, name + "f" * (dtype is np.float32)), x, results=dtype)
    assert errors_in_ulps(found, function.exact, [x]).max() <= function.bound(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", exact_pairs)
def test_a_function_of_two_numbers_is_as_exact_as_cudas(device, name, dtype):
    function = exact_pairs[name]
    x, y = sample(*function.ends, dtype), sample(*function.ends, dtype)
    found = in_kernel(getattr(libdevice, name + "f" * (dtype is np.float32)), x, y, results=dtype)
    assert errors_in_ulps(found, function.exact, [x, y]).max() <= function.bound(dtype)


fast_functions = {
    "fast_sinf": (mpmath.sin, (-3, 3)),
    "fast_cosf": (mpmath.cos, (-3, 3)),
    "fast_tanf": (mpmath.tan, (-1, 1)),
    "fast_expf": (mpmath.exp, (-10, 10)),
    "fast_exp10f": (lambda x: mpmath.power(10, x), (-5, 5)),
    "fast_logf": (mpmath.log, (2, 1000)),
    "fast_log2f": (lambda x: mpmath.log(x, 2), (2, 1000)),
    "fast_log10f": (mpmath.log10, (2, 1000)),
}


@pytest.mark.parametrize("name", fast_functions)
def test_a_fast_function_is_near(device, name):
    exact, ends = fast_functions[name]
    x = sample(*ends, np.float32)
    found = in_kernel(getattr(libdevice, name), x, results=np.float32)
    np.testing.assert_allclose(found, [float(exact(float(v))) for v in x], rtol=2e-5, atol=2e-6)


def test_fast_division_and_power_are_near(device):
    x, y = sample(1, 10, np.float32), sample(1, 5, np.float32)
    quotient = in_kernel(libdevice.fast_fdividef, x, y, results=np.float32)
    power = in_kernel(libdevice.fast_powf, x, y, results=np.float32)
    np.testing.assert_allclose(quotient, x / y, rtol=1e-6)
    np.testing.assert_allclose(power, x.astype(float) ** y.astype(float), rtol=2e-5)


special_values = {
    "erfinv": {0.0: 0.0, 1.0: np.inf, -1.0: -np.inf, 1.5: np.nan},
    "erfcinv": {1.0: 0.0, 0.0: np.inf, 2.0: -np.inf, -1.0: np.nan},
    "normcdfinv": {0.5: 0.0, 0.0: -np.inf, 1.0: np.inf, 2.0: np.nan},
    "normcdf": {-np.inf: 0.0, np.inf: 1.0, 0.0: 0.5},
    "erfcx": {0.0: 1.0, np.inf: 0.0, -30.0: np.inf},
    "rsqrt": {0.0: np.inf, np.inf: 0.0, -1.0: np.nan, 4.0: 0.5},
    "rcbrt": {8.0: 0.5, -8.0: -0.5, np.inf: 0.0},
    "exp10": {0.0: 1.0, 2.0: 100.0, np.inf: np.inf, -np.inf: 0.0},
    "sinpi": {0.5: 1.0, 1.5: -1.0, 2.0: 0.0, 1e15: 0.0, np.inf: np.nan},
    "cospi": {0.5: 0.0, 1.0: -1.0, 2.0: 1.0, 0.0: 1.0, np.inf: np.nan},
    "logb": {8.0: 3.0, 0.75: -1.0, 0.0: -np.inf, -np.inf: np.inf, np.nan: np.nan},
    "round": {0.5: 1.0, -2.5: -3.0, 2.4: 2.0},
    "rint": {0.5: 0.0, 1.5: 2.0, -2.5: -2.0},
    "nearbyint": {0.5: 0.0, 1.5: 2.0, -2.5: -2.0},
    "floor": {-0.5: -1.0},
    "ceil": {0.5: 1.0},
    "trunc": {-1.7: -1.0},
    "fabs": {-2.0: 2.0},
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", special_values)
def test_special_values(device, name, dtype):
    x = np.array(list(special_values[name]), dtype)
    found = in_kernel(getattr(libdevice, name + "f" * (dtype is np.float32)), x, results=dtype)
    np.testing.assert_array_equal(found, list(special_values[name].values()))


@pytest.mark.parametrize("name", ["jn", "yn"])
def test_bessel_functions_of_an_order(device, name):
    n, x = np.array([0, 1, 2, 5, -1], np.int32), np.array([1.5, 2.5, 3.5, 4.5, 1.0])
    found = in_kernel(getattr(libdevice, name), n, x, results=np.float64)
    exact = {"jn": mpmath.besselj, "yn": mpmath.bessely}[name]
    wanted = [float(exact(int(k), float(v))) for k, v in zip(n[:4], x)]
    np.testing.assert_allclose(found[:4], wanted, rtol=1e-14)
    assert np.isnan(found[4])


# Rounding in a chosen direction

directions = {
    "rd": lambda found, exact: found <= exact < up(found),
    "ru": lambda found, exact: down(found) < exact <= found,
    "rz": lambda found, exact: (
        found <= exact < up(found) if exact >= 0 else down(found) < exact <= found
    ),
    "rn": lambda found, exact: (
        abs(found - exact) <= min(abs(up(found) - exact), abs(down(found) - exact))
    ),
}


def up(x):
    return Fraction(float(np.nextafter(x.base, x.base.dtype.type(np.inf))))


def down(x):
    return Fraction(float(np.nextafter(x.base, x.base.dtype.type(-np.inf))))


class Rounded(Fraction):
    """The value of a NumPy float, together with that float."""

    def __new__(cls, base):
        self = super().__new__(cls, float(base))
        self.base = base
        return self


arithmetic = {
    "add": (2, lambda x, y: x + y),
    "sub": (2, lambda x, y: x - y),
    "mul": (2, lambda x, y: x * y),
    "div": (2, lambda x, y: x / y),
    "rcp": (1, lambda x: 1 / x),
}


@pytest.mark.parametrize("direction", directions)
@pytest.mark.parametrize(
    "name", [letter + name for letter in "df" for name in arithmetic if letter + name != "dsub"]
)
def test_arithmetic_is_rounded_as_its_name_says(device, name, direction):
    dtype = {"d": np.float64, "f": np.float32}[name[0]]
    count, exact = arithmetic[name[1:]]
    columns = [random.normal(size=200).astype(dtype) * dtype(10) for _ in range(count)]
    found = in_kernel(getattr(libdevice, f"{name}_{direction}"), *columns, results=dtype)
    for value, *row in zip(found, *columns):
        wanted = exact(*(Fraction(float(v)) for v in row))
        assert directions[direction](Rounded(value), wanted), (row, value)


@pytest.mark.parametrize("direction", directions)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fma_is_rounded_once_as_its_name_says(device, dtype, direction):
    columns = [random.normal(size=200).astype(dtype) for _ in range(3)]
    name = f"fma{'f' * (dtype is np.float32)}_{direction}"
    found = in_kernel(getattr(libdevice, name), *columns, results=dtype)
    for value, x, y, z in zip(found, *columns):
        wanted = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        assert directions[direction](Rounded(value), wanted), (x, y, z, value)


@pytest.mark.parametrize("direction", directions)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_square_root_is_rounded_as_its_name_says(device, dtype, direction):
    x = random.uniform(0.1, 100, 200).astype(dtype)
    name = f"{'fd'[dtype is np.float64]}sqrt_{direction}"
    found = in_kernel(getattr(libdevice, name), x, results=dtype)
    for value, v in zip(found, x):
        with mpmath.workprec(300):
            root = mpmath.sqrt(float(v))
            scaled = int(mpmath.floor(root * mpmath.mpf(2) ** 200))
        wanted = Fraction(scaled, 2**200)
        if wanted**2 != Fraction(float(v)):
            wanted += Fraction(1, 2**201)  # between the two nearest multiples
        assert directions[direction](Rounded(value), wanted), (v, value)


def test_a_rounded_product_is_not_contracted_with_a_sum(device):
    @cuda.jit
    def k(x, out):
        out[0] = libdevice.dadd_rn(libdevice.dmul_rn(x[0], x[0]), x[1])

    x, out = np.array([1 + 2.0**-30, -1 - 2.0**-29]), np.ones(1)
    k[1, 1](x, out)
    assert out[0] == 0  # an FMA leaves 2**-60


def test_the_reciprocal_square_root_is_rounded_to_the_nearest(device):
    x = np.exp(random.uniform(-80, 80, 500)).astype(np.float32)
    found = in_kernel(libdevice.frsqrt_rn, x, results=np.float32)
    with mpmath.workprec(200):
        errors = errors_in_ulps(found, lambda v: 1 / mpmath.sqrt(v), [x])
    assert errors.max() <= 0.5


@pytest.mark.parametrize("direction", directions)
def test_a_double_is_narrowed_as_the_name_says(device, direction):
    x = np.concatenate([random.normal(size=200) * 1e5, [0.0, 1.0, -2.5]])
    found = in_kernel(getattr(libdevice, f"double2float_{direction}"), x, results=np.float32)
    for value, v in zip(found, x):
        assert directions[direction](Rounded(value), Fraction(float(v))), (v, value)


def test_a_double_beyond_the_floats_is_narrowed_to_the_largest_or_to_infinity(device):
    x, largest = np.array([1e300, -1e300]), np.finfo(np.float32).max
    found = {
        d: in_kernel(getattr(libdevice, f"double2float_{d}"), x, results=np.float32)
        for d in directions
    }
    assert list(found["rd"]) == [largest, -np.inf]
    assert list(found["ru"]) == [np.inf, -largest]
    assert list(found["rz"]) == [largest, -largest]
    assert list(found["rn"]) == [np.inf, -np.inf]


integer_sources = {
    "int2float": (np.int32, np.float32),
    "uint2float": (np.uint32, np.float32),
    "ll2float": (np.int64, np.float32),
    "ull2float": (np.uint64, np.float32),
    "ll2double": (np.int64, np.float64),
    "ull2double": (np.uint64, np.float64),
}


@pytest.mark.parametrize("direction", directions)
@pytest.mark.parametrize("name", integer_sources)
def test_an_integer_becomes_a_float_as_the_name_says(device, name, direction):
    source, result = integer_sources[name]
    info = np.iinfo(source)
    x = random.integers(info.min, info.max, 200, source, endpoint=True)
    x = np.concatenate([x, x >> source(20), np.array([0, 1, info.min, info.max], source)])
    signed = x.view(f"i{x.itemsize}")
    found = in_kernel(getattr(libdevice, f"{name}_{direction}"), signed, results=result)
    for value, v in zip(found, x):
        assert directions[direction](Rounded(value), Fraction(int(v))), (v, value)


whole_numbers = {"rd": math.floor, "ru": math.ceil, "rz": math.trunc, "rn": round}
integer_results = {
    "double2int": (np.float64, np.int32),
    "double2uint": (np.float64, np.uint32),
    "double2ll": (np.float64, np.int64),
    "double2ull": (np.float64, np.uint64),
    "float2int": (np.float32, np.int32),
    "float2uint": (np.float32, np.uint32),
    "float2ll": (np.float32, np.int64),
    "float2ull": (np.float32, np.uint64),
}


@pytest.mark.parametrize("direction", whole_numbers)
@pytest.mark.parametrize("name", integer_results)
def test_a_float_becomes_an_integer_that_saturates(device, name, direction):
    source, result = integer_results[name]
    info = np.iinfo(result)
    x = np.array([0.5, 1.5, -0.5, -1.5, 2.7, -2.7, 12345.5, 1e30, -1e30, 0, 3e9], source)
    signed = f"i{np.dtype(result).itemsize}"
    found = in_kernel(getattr(libdevice, f"{name}_{direction}"), x, results=signed).view(result)
    wanted = [min(max(whole_numbers[direction](float(v)), info.min), info.max) for v in x]
    assert found.tolist() == wanted


@pytest.mark.parametrize("name", integer_results)
def test_a_nan_becomes_the_integer_that_gpus_make_of_it(device, name):
    source, result = integer_results[name]
    bits = 8 * np.dtype(result).itemsize
    x = np.array([np.nan], source)
    found = in_kernel(getattr(libdevice, f"{name}_rz"), x, results=f"u{bits // 8}")
    assert found[0] == (0 if source is np.float32 and bits == 32 else 1 << (bits - 1))


# Two results


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name, pi", [("sincos", False), ("sincospi", True)])
def test_sine_and_cosine_come_together(device, name, pi, dtype):
    x = sample(-10, 10, dtype)
    name += "f" * (dtype is np.float32)
    sine, cosine = pair_in_kernel(getattr(libdevice, name), x, results=(dtype, dtype))
    exact = (mpmath.sinpi, mpmath.cospi) if pi else (mpmath.sin, mpmath.cos)
    assert errors_in_ulps(sine, exact[0], [x]).max() <= 2.5
    assert errors_in_ulps(cosine, exact[1], [x]).max() <= 2.5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_frexp_and_modf_are_tuples(device, dtype):
    x = np.array([2.75, -2.75, 0.0, -8, 1e10], dtype)
    suffix = "f" * (dtype is np.float32)
    frexp, modf = (getattr(libdevice, name + suffix) for name in ("frexp", "modf"))
    for found, wanted in zip(pair_in_kernel(frexp, x, results=(dtype, np.int32)), np.frexp(x)):
        np.testing.assert_array_equal(found, wanted)
    for found, wanted in zip(pair_in_kernel(modf, x, results=(dtype, dtype)), np.modf(x)):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_remquo_gives_the_remainder_and_the_low_bits_of_the_quotient(device, dtype):
    x = np.array([10, -10, 7.5, 100, -3, 2.5], dtype)
    y = np.array([3, 3, 2, -7, 2, 1], dtype)
    function = libdevice.remquo if dtype is np.float64 else libdevice.remquof
    rest, quotient = pair_in_kernel(function, x, y, results=(dtype, np.int32))
    assert rest.tolist() == [math.remainder(a, b) for a, b in zip(x.tolist(), y.tolist())]
    whole = [round(Fraction(a) / Fraction(b)) for a, b in zip(x.tolist(), y.tolist())]
    assert quotient.tolist() == [int(math.copysign(abs(q) % 8, q)) for q in whole]


def test_the_fast_sine_and_cosine_come_together(device):
    x = sample(-3, 3, np.float32)
    sine, cosine = pair_in_kernel(libdevice.fast_sincosf, x, results=(np.float32, np.float32))
    np.testing.assert_allclose(sine, np.sin(x), atol=2e-6)
    np.testing.assert_allclose(cosine, np.cos(x), atol=2e-6)


# Floats, exactly


def test_the_larger_and_the_smaller_ignore_a_nan(device):
    x, y = np.array([1.0, np.nan, 3, -0.0]), np.array([2.0, 5, np.nan, 0.0])
    larger = in_kernel(libdevice.fmax, x, y, results=np.float64)
    smaller = in_kernel(libdevice.fmin, x, y, results=np.float64)
    assert larger.tolist() == [2, 5, 3, 0] and not np.signbit(larger[3])
    assert smaller.tolist() == [1, 5, 3, 0] and np.signbit(smaller[3])


float_functions = {
    "fmod": math.fmod,
    "remainder": math.remainder,
    "copysign": math.copysign,
    "nextafter": math.nextafter,
    "fdim": lambda x, y: max(x - y, 0.0),
}


@pytest.mark.parametrize("name", float_functions)
def test_an_exact_function_of_two_floats(device, name):
    x, y = random.normal(size=50) * 10, random.normal(size=50)
    found = in_kernel(getattr(libdevice, name), x, y, results=np.float64)
    assert found.tolist() == [float_functions[name](a, b) for a, b in zip(x, y)]


@pytest.mark.parametrize("name", ["ldexp", "scalbn"])
def test_scaling_by_a_power_of_two(device, name):
    x, n = np.array([1.5, -3, 1, 1]), np.array([10, -2, 2000, -2000], np.int32)
    found = in_kernel(getattr(libdevice, name), x, n, results=np.float64)
    assert found.tolist() == [1536, -0.75, np.inf, 0]


def test_an_integer_power(device):
    x, n = np.array([2.0, -3, 1.5, 2]), np.array([10, 3, -2, 0], np.int32)
    found = in_kernel(libdevice.powi, x, n, results=np.float64)
    np.testing.assert_allclose(found, [1024, -27, 1.5**-2, 1], rtol=1e-15)


def test_saturation(device):
    x = np.array([-1, 0.25, 2, np.nan, np.inf], np.float32)
    assert in_kernel(libdevice.saturatef, x, results=np.float32).tolist() == [0, 0.25, 1, 0, 1]


def test_the_exponent_as_an_integer(device):
    x = np.array([8.0, 0.75, 5e-324, 0.0, np.inf, np.nan])
    found = in_kernel(libdevice.ilogb, x, results=np.int32)
    assert found.tolist() == [3, -1, -1074, -(2**31), 2**31 - 1, -(2**31)]


tests = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit}


@pytest.mark.parametrize("name", tests)
def test_a_test_gives_one_or_zero(device, name):
    x = np.array([1.0, -2, np.inf, -np.inf, np.nan, 0.0, -0.0])
    single = "finitef" if name == "isfinite" else name + "f"
    found = in_kernel(getattr(libdevice, name + "d"), x, results=np.int32)
    found32 = in_kernel(getattr(libdevice, single), x.astype(np.float32), results=np.int32)
    assert found.tolist() == found32.tolist() == tests[name](x).astype(int).tolist()


@pytest.mark.parametrize(
    "name, wanted",
    [("llrint", [0, 2, -2, 3]), ("llround", [1, 2, -3, 3]), ("llrintf", [0, 2, -2, 3])],
)
def test_rounding_to_an_int64(device, name, wanted):
    x = np.array([0.5, 1.5, -2.5, 2.7], np.float32 if name.endswith("f") else np.float64)
    assert in_kernel(getattr(libdevice, name), x, results=np.int64).tolist() == wanted


# Bits


def bits(format, value):
    return struct.unpack(format[1], struct.pack(format[0], value))[0]


@pytest.mark.parametrize(
    "name, argument, result, dtype",
    [
        ("double_as_longlong", np.array([-1.5]), bits("dq", -1.5), np.int64),
        ("longlong_as_double", np.array([bits("dq", 2.5)]), 2.5, np.float64),
        ("float_as_int", np.array([-1.5], np.float32), bits("fi", -1.5), np.int32),
        ("int_as_float", np.array([bits("fi", 2.5)], np.int32), 2.5, np.float32),
        ("double2hiint", np.array([-1.5]), bits("dq", -1.5) >> 32, np.int32),
        ("double2loint", np.array([0.1]), bits("dq", 0.1) % 2**32 - 2**32, np.int32),
        ("float2half_rn", np.array([-1.5], np.float32), bits("eh", -1.5), np.int16),
        ("half2float", np.array([bits("eh", 0.1)], np.int16), float(np.float16(0.1)), np.float32),
        ("int2double_rn", np.array([-7], np.int32), -7, np.float64),
        ("uint2double_rn", np.array([-1], np.int32), 2**32 - 1, np.float64),
    ],
)
def test_bits_are_read_in_another_way(device, name, argument, result, dtype):
    assert in_kernel(getattr(libdevice, name), argument, results=dtype)[0] == result


def test_a_double_is_made_of_two_words(device):
    raw = bits("dq", 0.1)
    high, low = np.array([raw >> 32], np.int32), np.array([raw], np.int64).astype(np.int32)
    assert in_kernel(libdevice.hiloint2double, high, low, results=np.float64)[0] == 0.1


def signed(value, size):
    value %= 2**size
    return value - 2**size if value >> (size - 1) else value


def unsigned(value, size=32):
    return value % 2**size


def low24(value, sign):
    value %= 2**24
    return value - 2**24 if sign and value >> 23 else value


integer_functions = {
    "abs": (32, 1, abs),
    "llabs": (64, 1, abs),
    "max": (32, 2, max),
    "min": (32, 2, min),
    "umax": (32, 2, lambda x, y: max(x, y, key=unsigned)),
    "umin": (32, 2, lambda x, y: min(x, y, key=unsigned)),
    "llmax": (64, 2, max),
    "llmin": (64, 2, min),
    "ullmax": (64, 2, lambda x, y: max(x, y, key=lambda v: unsigned(v, 64))),
    "ullmin": (64, 2, lambda x, y: min(x, y, key=lambda v: unsigned(v, 64))),
    "mulhi": (32, 2, lambda x, y: x * y >> 32),
    "umulhi": (32, 2, lambda x, y: unsigned(x) * unsigned(y) >> 32),
    "mul64hi": (64, 2, lambda x, y: x * y >> 64),
    "umul64hi": (64, 2, lambda x, y: unsigned(x, 64) * unsigned(y, 64) >> 64),
    "mul24": (32, 2, lambda x, y: low24(x, True) * low24(y, True)),
    "umul24": (32, 2, lambda x, y: low24(x, False) * low24(y, False)),
    "hadd": (32, 2, lambda x, y: (x + y) >> 1),
    "rhadd": (32, 2, lambda x, y: (x + y + 1) >> 1),
    "uhadd": (32, 2, lambda x, y: (unsigned(x) + unsigned(y)) >> 1),
    "urhadd": (32, 2, lambda x, y: (unsigned(x) + unsigned(y) + 1) >> 1),
    "sad": (32, 3, lambda x, y, z: abs(x - y) + z),
    "usad": (32, 3, lambda x, y, z: abs(unsigned(x) - unsigned(y)) + z),
    "brev": (32, 1, lambda x: int(f"{unsigned(x):032b}"[::-1], 2)),
    "brevll": (64, 1, lambda x: int(f"{unsigned(x, 64):064b}"[::-1], 2)),
    "clz": (32, 1, lambda x: 32 - unsigned(x).bit_length()),
    "clzll": (64, 1, lambda x: 64 - unsigned(x, 64).bit_length()),
    "popc": (32, 1, lambda x: unsigned(x).bit_count()),
    "popcll": (64, 1, lambda x: unsigned(x, 64).bit_count()),
    "ffs": (32, 1, lambda x: (x & -x).bit_length()),
    "ffsll": (64, 1, lambda x: (x & -x).bit_length()),
    "byte_perm": (
        32,
        3,
        lambda x, y, s: sum(
            ((unsigned(x) | unsigned(y) << 32) >> 8 * (s >> 4 * i & 7) & 255) << 8 * i
            for i in range(4)
        ),
    ),
}


@pytest.mark.parametrize("name", integer_functions)
def test_a_function_of_integers(device, name):
    size, count, python = integer_functions[name]
    info = np.iinfo(f"i{size // 8}")
    columns = [
        random.integers(info.min, info.max, 100, info.dtype, endpoint=True) for _ in range(count)
    ]
    columns = [np.append(column, [0, 1, info.max]).astype(info.dtype) for column in columns]
    narrow = name in ("clzll", "popcll", "ffsll")
    results = np.int32 if narrow else info.dtype
    found = in_kernel(getattr(libdevice, name), *columns, results=results)
    rows = zip(*(column.tolist() for column in columns))
    assert found.tolist() == [
        signed(python(*row), 8 * results().itemsize if narrow else size) for row in rows
    ]
