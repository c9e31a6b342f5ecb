"""The values of float functions, with more digits than any device has, and the error that a device may have."""

from dataclasses import dataclass

import mpmath
import numpy as np

random = np.random.default_rng(20260)


@dataclass
class Function:
    """A function, where to sample it, and its largest errors in units in the last place.

    The errors are those of the CUDA C++ Programming Guide, "Mathematical Functions"; where it gives an absolute error
    for Bessel functions, at larger arguments and around zeros, there is no sample.
    """

    single: int
    double: int
    exact: object
    ends: tuple

    def bound(self, dtype):
        """The largest distance from the exact value: CUDA measures from its nearest float, at most half a unit away."""
        return (self.double if dtype is np.float64 else self.single) + 0.51


exact_functions = {
    "sin": Function(2, 2, mpmath.sin, (-100, 100)),
    "cos": Function(2, 2, mpmath.cos, (-100, 100)),
    "tan": Function(4, 2, mpmath.tan, (-100, 100)),
    "sinpi": Function(2, 2, mpmath.sinpi, (-50, 50)),
    "cospi": Function(2, 2, mpmath.cospi, (-50, 50)),
    "asin": Function(2, 2, mpmath.asin, (-1, 1)),
    "acos": Function(2, 2, mpmath.acos, (-1, 1)),
    "atan": Function(2, 2, mpmath.atan, (-30, 30)),
    "sinh": Function(3, 2, mpmath.sinh, (-60, 60)),
    "cosh": Function(2, 1, mpmath.cosh, (-60, 60)),
    "tanh": Function(2, 1, mpmath.tanh, (-10, 10)),
    "asinh": Function(3, 3, mpmath.asinh, (-1000, 1000)),
    "acosh": Function(4, 3, mpmath.acosh, (1, 1000)),
    "atanh": Function(3, 2, mpmath.atanh, (-0.999, 0.999)),
    "exp": Function(2, 1, mpmath.exp, (-80, 80)),
    "exp2": Function(2, 1, lambda x: mpmath.power(2, x), (-120, 120)),
    "exp10": Function(2, 1, lambda x: mpmath.power(10, x), (-37, 38)),
    "expm1": Function(1, 1, mpmath.expm1, (-20, 80)),
    "log": Function(1, 1, mpmath.log, (1e-30, 1e3)),
    "log2": Function(1, 1, lambda x: mpmath.log(x, 2), (1e-30, 1e3)),
    "log10": Function(2, 1, mpmath.log10, (1e-30, 1e3)),
    "log1p": Function(1, 1, mpmath.log1p, (-0.99, 100)),
    "erf": Function(2, 2, mpmath.erf, (-6, 6)),
    "erfc": Function(4, 5, mpmath.erfc, (-6, 9)),
    "erfcx": Function(4, 4, lambda x: mpmath.exp(x * x) * mpmath.erfc(x), (-8, 100)),
    "erfinv": Function(2, 5, mpmath.erfinv, (-0.9999, 0.9999)),
    "erfcinv": Function(4, 6, lambda y: mpmath.erfinv(1 - y), (1e-30, 1.999)),
    "normcdf": Function(5, 5, mpmath.ncdf, (-12, 6)),
    "normcdfinv": Function(
        5, 8, lambda p: mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1), (1e-20, 0.999)
    ),
    "tgamma": Function(5, 10, mpmath.gamma, (0.1, 30)),
    "lgamma": Function(6, 4, lambda x: mpmath.log(abs(mpmath.gamma(x))), (3, 100)),
    "cbrt": Function(1, 1, lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), (-1e6, 1e6)),
    "rcbrt": Function(1, 1, lambda x: mpmath.sign(x) / mpmath.cbrt(abs(x)), (-1e6, 1e6)),
    "sqrt": Function(0, 0, mpmath.sqrt, (0, 1e6)),
    "rsqrt": Function(2, 1, lambda x: 1 / mpmath.sqrt(x), (1e-20, 1e6)),
    "j0": Function(9, 7, lambda x: mpmath.besselj(0, x), (-2, 2)),
    "j1": Function(9, 7, lambda x: mpmath.besselj(1, x), (-3, 3)),
    "y0": Function(9, 7, lambda x: mpmath.bessely(0, x), (1, 3)),
    "y1": Function(9, 7, lambda x: mpmath.bessely(1, x), (0.1, 1.8)),
}

exact_pairs = {
    "pow": Function(4, 2, mpmath.power, (0.1, 20)),
    "atan2": Function(3, 2, mpmath.atan2, (-10, 10)),
    "hypot": Function(3, 2, mpmath.hypot, (-1e10, 1e10)),
}


def sample(low, high, dtype, count=100):
    """Random values between two bounds, spread over decades if the bounds are positive and far apart."""
    if low > 0 and high / low > 1e6:
        low = max(low, 1e-37)
        values = np.exp(random.uniform(np.log(low), np.log(high), count))
    else:
        values = random.uniform(low, high, count)
    return np.clip(values, low, high).astype(dtype)


def errors_in_ulps(found, exact, arguments):
    """The distance of each value from the exact one, in units in the last place of the value's type."""
    tiny = float(np.finfo(found.dtype).smallest_subnormal)
    errors = []
    with mpmath.workprec(400):
        for value, *row in zip(found, *arguments, strict=True):
            wanted = exact(*(mpmath.mpf(float(v)) for v in row))
            unit = float(np.spacing(np.abs(found.dtype.type(float(wanted)))))
            errors.append(float(abs(mpmath.mpf(float(value)) - wanted) / max(unit, tiny)))
    return np.array(errors)
