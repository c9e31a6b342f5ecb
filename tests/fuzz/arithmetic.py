"""Scalar operations as kernels compute them, with a bound on the differences between devices.

Values are Python's: bool, int (already in the range of its type), float (a float32 value is a float that a float32 can
hold). A float whose last bits depend on the device (an inexact product that may be contracted to an FMA, a function
that is not correctly rounded) is an Approx; results computed from it propagate the bound. A decision that the bound
leaves open raises Ambiguous: such a kernel has no unique correct result.
"""

import ctypes
import math
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "python"))
import oracle  # noqa: E402

bits = {name: 8 * np.dtype(name).itemsize for name in oracle.scalars}
bits["bool"] = 1
bits["float16"] = 16


class Ambiguous(Exception):
    """The kernel branches on a value that differs between devices."""


class Approx:
    """A float known to lie within `error` of `value`."""

    __slots__ = ("value", "error")

    def __init__(self, value, error):
        if not math.isfinite(value) or not math.isfinite(error):
            raise Ambiguous("an approximate value overflows")
        self.value = value
        self.error = error

    def __repr__(self):
        return f"{self.value!r} +- {self.error:.3g}"


def make_approx(value, error):
    return Approx(value, error) if error else value


def split_value_and_error(x):
    """(value, error bound) of a float."""
    return (x, 0.0) if type(x) is float else (x.value, x.error)


def f32(x):
    """A float rounded to float32."""
    if type(x) is float:
        return ctypes.c_float(x).value
    rounded = ctypes.c_float(x.value).value
    return Approx(rounded, x.error + ulp32(rounded))


def f16(x):
    """A float rounded to float16."""
    if type(x) is float:
        return float(np.float16(x))
    rounded = float(np.float16(x.value))
    return Approx(rounded, x.error + ulp16(rounded))


def ulp16(x):
    return math.ldexp(1.0, max(math.frexp(x)[1], -13) - 11) if math.isfinite(x) else math.inf


def ulp32(x):
    return math.ldexp(1.0, max(math.frexp(x)[1], -125) - 24) if math.isfinite(x) else math.inf


ulp64 = math.ulp
ulps = {"float16": ulp16, "float32": ulp32, "float64": ulp64}
roundings = {"float16": f16, "float32": f32, "float64": lambda x: x}


# Conversions

# The integer types that a value did not fit since this set was last cleared.
overflows = set()


def make_wrapping(name):
    """A function that keeps an integer's low bits, like the type."""
    info = np.iinfo(name)
    low, high, size = int(info.min), int(info.max), 1 << info.bits

    def wrap(x):
        if low <= x <= high:
            return x
        overflows.add(name)
        return (x - low) % size + low

    return wrap


wrap = {name: make_wrapping(name) for name in oracle.integral if name != "bool"}


def make_saturating_conversion(name):
    """A function from float to integer: truncates, saturates, maps NaN to 0; narrow types keep an int32's low bits."""
    wide = "int32" if bits[name] < 32 else name
    info = np.iinfo(wide)
    low, high, narrow = int(info.min), int(info.max), wrap[name]

    def whole(x):
        return 0 if x != x else low if x <= low else high if x >= high else int(x)

    def convert(x):
        if type(x) is float:
            return narrow(whole(x))
        # Check before the high bits are lost: both ends may have equal low bits.
        first, last = whole(x.value - x.error), whole(x.value + x.error)
        if first != last:
            raise Ambiguous("truncation")
        return narrow(first)

    return convert


def int_to_float32(x):
    """An integer converted to float32 with one rounding."""
    if -(1 << 53) <= x <= 1 << 53:
        return ctypes.c_float(x).value
    return float((np.uint64 if x >= 1 << 63 else np.int64)(x).astype(np.float32))


def int_to_float16(x):
    """An integer converted to float16 with one rounding."""
    return float(np.float16(float(max(-(1 << 20), min(1 << 20, x)))))


def truth(x):
    return ne(x, 0.0) if type(x) in (float, Approx) else x != 0


conversions = {}
_real = (*oracle.scalars, "float16")
for _to in _real:
    for _from in _real:
        if _from == _to:
            continue
        if _to == "bool":
            f = truth
        elif _to == "float16":
            f = f16 if _from in oracle.floating else int_to_float16
        elif _from == "float16":
            f = None if _to in oracle.floating else make_saturating_conversion(_to)
        elif _to == "float32":
            f = f32 if _from == "float64" else int_to_float32
        elif _to == "float64":
            f = None if _from == "float32" else float
        elif _from in oracle.floating:
            f = make_saturating_conversion(_to)
        elif _from == "bool":
            f = int
        elif np.can_cast(_from, _to):
            f = None
        else:
            f = wrap[_to]
        conversions[_from, _to] = f


def unify(a, b):
    """The type of a variable that can have either type: NumPy's promotion."""
    return a if a == b else np.promote_types(a, b).name


# Float arithmetic: functions from float or Approx to float or Approx.


def _operate_with_errors(a, b, operate, error_of, name):
    (x, dx), (y, dy) = split_value_and_error(a), split_value_and_error(b)
    result = roundings[name](operate(x, y))
    if not math.isfinite(x) or not math.isfinite(y):
        if (dx and abs(x) <= dx) or (dy and abs(y) <= dy):
            raise Ambiguous("the sign of an approximate zero")
        return result
    return make_approx(result, error_of(x, dx, y, dy, result) + ulps[name](result))


def _sum_error(x, dx, y, dy, result):
    return dx + dy


def _product_error(x, dx, y, dy, result):
    return abs(x) * dy + abs(y) * dx + dx * dy


def _quotient_error(x, dx, y, dy, result):
    if abs(y) <= 2 * dy:
        raise Ambiguous("division by an approximate zero")
    return (dx + abs(result) * dy) / (abs(y) - dy)


def add64(a, b):
    return (
        a + b
        if type(a) is type(b) is float
        else _operate_with_errors(a, b, _add, _sum_error, "float64")
    )


def add32(a, b):
    if type(a) is type(b) is float:
        return ctypes.c_float(a + b).value
    return _operate_with_errors(a, b, _add, _sum_error, "float32")


def sub64(a, b):
    return (
        a - b
        if type(a) is type(b) is float
        else _operate_with_errors(a, b, _sub, _sum_error, "float64")
    )


def sub32(a, b):
    if type(a) is type(b) is float:
        return ctypes.c_float(a - b).value
    return _operate_with_errors(a, b, _sub, _sum_error, "float32")


def _add(x, y):
    return x + y


def _sub(x, y):
    return x - y


def _mul(x, y):
    return x * y


def significant_bits(x):
    m = int(abs(math.frexp(x)[0]) * 9007199254740992.0)
    return m.bit_length() - ((m & -m).bit_length() - 1)


def mul64(a, b):
    """An inexact product is approximate: as an operand of a sum it may or may not be rounded."""
    if type(a) is type(b) is float:
        r = a * b
        if r == 0.0 or not math.isfinite(r):
            if r == 0.0 and a and b:
                return Approx(r, sys.float_info.min)
            if math.isinf(r) and math.isfinite(a) and math.isfinite(b):
                raise Ambiguous("a product overflows")
            return r
        if significant_bits(a) + significant_bits(b) <= 53 and abs(r) > 1e-290:
            return r
        return Approx(r, ulp64(r))
    return _operate_with_errors(a, b, _mul, _product_error, "float64")


def mul32(a, b):
    if type(a) is type(b) is float:
        exact = a * b
        r = ctypes.c_float(exact).value
        if r == exact or exact != exact:
            return r
        if math.isinf(r):
            raise Ambiguous("a product overflows")
        return Approx(r, ulp32(r))
    return _operate_with_errors(a, b, _mul, _product_error, "float32")


def _div(x, y):
    if y == 0.0:
        if x == 0.0 or x != x:
            return math.nan
        return math.copysign(math.inf, x) * math.copysign(1.0, y)
    return x / y


def div64(a, b):
    if type(a) is type(b) is float:
        return _div(a, b)
    return _operate_with_errors(a, b, _div, _quotient_error, "float64")


def div32(a, b):
    if type(a) is type(b) is float:
        return ctypes.c_float(_div(a, b)).value
    return _operate_with_errors(a, b, _div, _quotient_error, "float32")


def neg(a):
    return -a if type(a) is float else Approx(-a.value, a.error)


def fabs(a):
    return abs(a) if type(a) is float else Approx(abs(a.value), a.error)


def add16(a, b):
    return _operate_in_float16(a, b, _add, _sum_error)


def sub16(a, b):
    return _operate_in_float16(a, b, _sub, _sum_error)


def _operate_in_float16(a, b, operate, error_of):
    """A float16 sum, difference or quotient, rounded once from a double that is exact enough."""
    if type(a) is type(b) is float:
        return float(np.float16(operate(a, b)))
    return _operate_with_errors(a, b, operate, error_of, "float16")


def mul16(a, b):
    if type(a) is type(b) is float:
        exact = a * b
        r = float(np.float16(exact))
        if r == exact or exact != exact:
            return r
        if math.isinf(r):
            raise Ambiguous("a product overflows")
        return Approx(r, ulp16(r))
    return _operate_with_errors(a, b, _mul, _product_error, "float16")


def div16(a, b):
    return _operate_in_float16(a, b, _div, _quotient_error)


def require_exact(a):
    if type(a) is not float:
        raise Ambiguous("an approximate operand of an operation with jumps")
    return a


def make_floor_divide(name):
    scalar = np.dtype(name).type

    def run(a, b):
        if type(a) is type(b) is float:
            return float(np.floor_divide(scalar(a), scalar(b)))
        return require_equal(
            [run(x, y) for x in interval_ends(a) for y in interval_ends(b)],
            "a whole quotient",
        )

    return run


def make_modulo(name):
    scalar = np.dtype(name).type

    def run(a, b):
        if type(a) is type(b) is float:
            return float(np.mod(scalar(a), scalar(b)))
        quotient = float_operators["floordiv"][name](a, b)
        if not math.isfinite(quotient):
            raise Ambiguous("a remainder")
        (x, dx), (y, dy) = split_value_and_error(a), split_value_and_error(b)
        result = run(x, y)
        return make_approx(result, dx + abs(quotient) * dy + ulps[name](result))

    return run


def require_equal(values, what):
    """The common value of all of these, including the sign of zero; raises Ambiguous if there is none."""
    first = values[0]
    if any(v != first or math.copysign(1, v) != math.copysign(1, first) for v in values):
        raise Ambiguous(what)
    return first


def interval_ends(a):
    """The ends of the interval that contains the float."""
    x, dx = split_value_and_error(a)
    return [x] if dx == 0.0 else [x - dx, x + dx]


def power(a, b, name):
    """float ** float with a function that is not correctly rounded."""
    scalar = np.dtype(name).type

    def value(x, y):
        return float(oracle._float_power(scalar(x), scalar(y)))

    return _evaluate_function(value, (a, b), name, 6)


def whole_power(a, n, name):
    """float ** integer by multiplications."""
    x, dx = split_value_and_error(a)
    size = abs(n)
    if n == 0:
        return 1.0
    if x != x or math.isinf(x) or x == 0.0:
        require_exact(a)
        r = float(oracle._float_power(np.dtype(name).type(x), int(n)))
        return f32(r) if name == "float32" else r
    if size > 64:
        raise Ambiguous("a power too far from exact")
    exact = Fraction(x) ** size
    try:
        r = roundings[name](float(exact if n > 0 else 1 / exact))
        back = roundings[name](float(exact))
    except OverflowError:
        raise Ambiguous("a power overflows") from None
    if not math.isfinite(r) or not math.isfinite(back) or abs(back) < 1e-37 or abs(r) < 1e-37:
        raise Ambiguous("a power leaves the range")
    if dx == 0.0 and n > 0 and Fraction(back) == exact:
        return r
    relative = dx / abs(x)
    return Approx(r, abs(r) * relative * size * 2 + (2 * size + 2) * ulps[name](r))


def first_min(a, b):
    return b if lt(b, a) else a


def first_max(a, b):
    return b if gt(b, a) else a


def fmin(a, b):
    return _select_extreme(a, b, min)


def fmax(a, b):
    return _select_extreme(a, b, max)


def _select_extreme(a, b, choose):
    (x, dx), (y, dy) = split_value_and_error(a), split_value_and_error(b)
    if x != x:
        return b
    if y != y:
        return a
    if x == y == 0.0 and math.copysign(1.0, x) != math.copysign(1.0, y):
        raise Ambiguous("the sign of the smaller zero")
    return make_approx(choose(x, y), max(dx, dy))


def maximum(a, b):
    return _propagate_nan(a, b, max)


def minimum(a, b):
    return _propagate_nan(a, b, min)


def _propagate_nan(a, b, choose):
    if split_value_and_error(a)[0] != split_value_and_error(a)[0]:
        return a
    if split_value_and_error(b)[0] != split_value_and_error(b)[0]:
        return b
    return _select_extreme(a, b, choose)


# Comparisons of floats


def _require_decided(a, b):
    (x, dx), (y, dy) = split_value_and_error(a), split_value_and_error(b)
    if (dx or dy) and abs(x - y) <= 2 * (dx + dy):
        raise Ambiguous("a comparison")
    return x, y


def lt(a, b):
    if type(a) is type(b) is float:
        return a < b
    x, y = _require_decided(a, b)
    return x < y


def le(a, b):
    if type(a) is type(b) is float:
        return a <= b
    x, y = _require_decided(a, b)
    return x <= y


def eq(a, b):
    if type(a) is type(b) is float:
        return a == b
    x, y = _require_decided(a, b)
    return x == y


def ne(a, b):
    return not eq(a, b)


def gt(a, b):
    return lt(b, a)


def ge(a, b):
    return le(b, a)


# Functions


def _evaluate_function(value, arguments, name, bound):
    """Evaluates a function with an error of at most `bound` units in the last place.

    The values at the ends of the arguments' intervals bound the effect of the arguments' errors.
    """
    centres = [split_value_and_error(a)[0] for a in arguments]
    errors = [split_value_and_error(a)[1] for a in arguments]
    result = roundings[name](value(*centres))
    if not math.isfinite(result):
        for a in arguments:
            require_exact(a)
        return result
    error = bound * ulps[name](result) if result else 0.0
    if 0.0 < abs(result) < np.finfo(name).tiny:
        error += float(np.finfo(name).tiny)  # the result may be flushed to 0
    if any(errors):
        for signs in range(2 ** len(arguments)):
            corner = [
                x + (e if signs >> i & 1 else -e)
                for i, (x, e) in enumerate(zip(centres, errors, strict=True))
            ]
            there = value(*corner)
            if not math.isfinite(there) or abs(there - result) > 0.1 * max(1.0, abs(result)):
                raise Ambiguous("a function near a pole")
            error = max(error, 4 * abs(there - result) + bound * ulps[name](result))
    return make_approx(result, error)


def _return_nan_on_error(function):
    """Wraps a function of CPython's math module to return NaN or infinity, as in C, instead of raising."""

    def run(*arguments):
        try:
            return float(function(*arguments))
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return run


def _allow_log_of_zero(function):
    def run(x):
        return -math.inf if x == 0.0 else function(x)

    return run


def _cbrt(x):
    return float(np.cbrt(np.float64(x)))


def _allow_overflow(function):
    def run(x):
        try:
            return float(function(x))
        except OverflowError:
            return math.inf

    return run


def _atanh(x):
    return math.copysign(math.inf, x) if abs(x) == 1.0 else math.atanh(x)


def _log1p(x):
    return -math.inf if x == -1.0 else math.log1p(x)


def _sinh(x):
    try:
        return math.sinh(x)
    except OverflowError:
        return math.copysign(math.inf, x)


# name -> (the value in float64, the largest error in units in the last place: CUDA's bound and the reference's
# rounding)
smooth = {
    "sin": (_return_nan_on_error(math.sin), 4),
    "cos": (_return_nan_on_error(math.cos), 4),
    "tan": (_return_nan_on_error(math.tan), 6),
    "asin": (_return_nan_on_error(math.asin), 4),
    "acos": (_return_nan_on_error(math.acos), 4),
    "atan": (_return_nan_on_error(math.atan), 4),
    "sinh": (_sinh, 5),
    "cosh": (_allow_overflow(math.cosh), 4),
    "tanh": (_return_nan_on_error(math.tanh), 4),
    "asinh": (_return_nan_on_error(math.asinh), 5),
    "acosh": (_return_nan_on_error(math.acosh), 6),
    "atanh": (_return_nan_on_error(_atanh), 5),
    "exp": (_allow_overflow(math.exp), 4),
    "exp2": (_allow_overflow(lambda x: math.pow(2.0, x)), 4),
    "expm1": (_allow_overflow(math.expm1), 4),
    "log": (_return_nan_on_error(_allow_log_of_zero(math.log)), 3),
    "log2": (_return_nan_on_error(_allow_log_of_zero(math.log2)), 3),
    "log10": (_return_nan_on_error(_allow_log_of_zero(math.log10)), 4),
    "log1p": (_return_nan_on_error(_log1p), 3),
    "erf": (_return_nan_on_error(math.erf), 4),
    "erfc": (_return_nan_on_error(math.erfc), 8),
    "cbrt": (_cbrt, 3),
    "atan2": (_return_nan_on_error(math.atan2), 5),
    "hypot": (_return_nan_on_error(math.hypot), 5),
}


def _sqrt(x):
    return math.nan if x < 0.0 else math.sqrt(x)


def _make_rounding(function):
    def run(x):
        return math.copysign(float(function(x)), x) if math.isfinite(x) else x

    return run


def _make_step_function(function):
    """Makes a step function of one float, which raises Ambiguous if an approximate argument is close to a step."""

    def run(a):
        if type(a) is float:
            return function(a)
        return require_equal([function(x) for x in interval_ends(a)], "a jump")

    return run


def sqrt(a, name):
    if type(a) is float:
        return roundings[name](_sqrt(a))
    if a.value <= 2 * a.error:
        raise Ambiguous("a root of about zero")
    return _evaluate_function(_sqrt, (a,), name, 1)


exact_functions = {
    "fabs": fabs,
    "floor": _make_step_function(_make_rounding(math.floor)),
    "ceil": _make_step_function(_make_rounding(math.ceil)),
    "trunc": _make_step_function(_make_rounding(math.trunc)),
    "rint": _make_step_function(_make_rounding(lambda x: round(x))),
}


def _fmod(x, y):
    if y == 0.0 or math.isinf(x) or x != x or y != y:
        return math.nan
    return math.fmod(x, y)


def _remainder(x, y):
    if y == 0.0 or math.isinf(x) or x != x or y != y:
        return math.nan
    return math.remainder(x, y)


def fmod(a, b):
    return _fmod(require_exact(a), require_exact(b))


def remainder(a, b):
    return _remainder(require_exact(a), require_exact(b))


def copysign(a, b):
    (x, dx), (y, dy) = split_value_and_error(a), split_value_and_error(b)
    if dy and abs(y) <= dy:
        raise Ambiguous("the sign of an approximate zero")
    if y != y:
        raise Ambiguous("the sign of a NaN")
    return make_approx(math.copysign(x, y), dx)


def fma(a, b, c, name):
    (x, dx), (y, dy), (z, dz) = (
        split_value_and_error(a),
        split_value_and_error(b),
        split_value_and_error(c),
    )
    if not all(map(math.isfinite, (x, y, z))):
        require_exact(a), require_exact(b), require_exact(c)
        return x * y + z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:
        require_exact(a), require_exact(b), require_exact(c)
        return x * y + z
    try:
        r = roundings[name](float(exact))
    except OverflowError:
        raise Ambiguous("an fma overflows") from None
    if not math.isfinite(r) or abs(r) < 1e-37:
        raise Ambiguous("an fma leaves the range")
    error = _product_error(x, dx, y, dy, r) + dz
    if error == 0.0 and (name == "float64" or Fraction(r) == exact):
        return r
    return Approx(r, error + ulps[name](r))


def round_to_int(a):
    if type(a) is not float:
        low, high = round_to_int(a.value - a.error), round_to_int(a.value + a.error)
        if low != high:
            raise Ambiguous("rounding")
        return low
    if not math.isfinite(a):
        return conversions["float64", "int64"](a)
    return max(-(1 << 63), min((1 << 63) - 1, round(a)))


def frexp(a, name):
    x = require_exact(a)
    return math.frexp(x) if math.isfinite(x) else (x, 0)


def modf(a, name):
    x = require_exact(a)
    if x != x:
        return x, x
    fraction, whole = math.modf(x)
    return fraction, whole


def ldexp(a, n, name):
    """x * 2 ** n; an inexact result may be flushed or rounded."""
    (x, dx), n = split_value_and_error(a), max(-100000, min(100000, n))
    if not math.isfinite(x) or x == 0.0:
        return require_exact(a)
    tiny = float(np.finfo(name).tiny)
    try:
        r = roundings[name](math.ldexp(x, n))
    except OverflowError:
        r = math.copysign(math.inf, x)
    if math.isinf(r):
        require_exact(a)
        return r
    if abs(r) < tiny:
        raise Ambiguous("ldexp leaves the range")
    return make_approx(r, math.ldexp(dx, n))


def isnan(a):
    return split_value_and_error(a)[0] != split_value_and_error(a)[0]


def isinf(a):
    return math.isinf(split_value_and_error(a)[0])


def isfinite(a):
    return math.isfinite(split_value_and_error(a)[0])


def sign(a):
    x, dx = split_value_and_error(a)
    if dx and abs(x) <= dx:
        raise Ambiguous("the sign of about zero")
    return a if x == 0.0 or x != x else math.copysign(1.0, x)


def make_smooth_function(function, name):
    value, bound = smooth[function]

    def run(*arguments):
        return _evaluate_function(value, arguments, name, bound)

    return run


float_operators = {
    "add": {"float16": add16, "float32": add32, "float64": add64},
    "sub": {"float16": sub16, "float32": sub32, "float64": sub64},
    "mul": {"float16": mul16, "float32": mul32, "float64": mul64},
    "truediv": {"float16": div16, "float32": div32, "float64": div64},
    "floordiv": {name: make_floor_divide(name) for name in oracle.floating},
    "mod": {name: make_modulo(name) for name in oracle.floating},
}
float_comparisons = {"lt": lt, "le": le, "eq": eq, "ne": ne, "gt": gt, "ge": ge}


# Integers


def floordiv(a, b):
    return a // b if b and (a, b) != (-(2**63), -1) else 0


def mod(a, b):
    return a % b if b else 0


def shift_left(a, n):
    return a << n if 0 <= n < 64 else 0


def shift_right(a, n):
    return a >> n if 0 <= n < 64 else -(a < 0)


def integer_power(a, n, name):
    return wrap[name](int(oracle._power(a, n, name)))


def count_bits(x, size):
    return (x % (1 << size)).bit_count()


def leading_zeros(x, size):
    return size - (x % (1 << size)).bit_length()


def first_set(x, size):
    return ((x % (1 << size)) & -(x % (1 << size))).bit_length()


def reversed_bits(x, size):
    return int(f"{x % (1 << size):0{size}b}"[::-1], 2)
