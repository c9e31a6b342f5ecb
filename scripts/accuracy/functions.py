"""The functions whose accuracy is measured, and CUDA's error bounds for them.

The bounds are from the CUDA C++ Programming Guide, "Mathematical Functions": the largest distance, in units in the last
place, from the correctly rounded result. The distance from the exact value may therefore be half a unit larger.
"""

import math

# name -> the bounds for float and double. The C name for float ends in f.
UNARY = {
    "sqrt": (0, 0),
    "rsqrt": (2, 1),
    "cbrt": (1, 1),
    "rcbrt": (1, 1),
    "exp": (2, 1),
    "exp2": (2, 1),
    "exp10": (2, 1),
    "expm1": (1, 1),
    "log": (1, 1),
    "log2": (1, 1),
    "log10": (2, 1),
    "log1p": (1, 1),
    "sin": (2, 2),
    "cos": (2, 2),
    "tan": (4, 2),
    "sinpi": (2, 2),
    "cospi": (2, 2),
    "asin": (2, 2),
    "acos": (2, 2),
    "atan": (2, 2),
    "sinh": (3, 2),
    "cosh": (2, 1),
    "tanh": (2, 1),
    "asinh": (3, 3),
    "acosh": (4, 3),
    "atanh": (3, 2),
    "erf": (2, 2),
    "erfc": (4, 5),
    "erfcx": (4, 4),
    "erfinv": (2, 5),
    "erfcinv": (4, 6),
    "normcdf": (5, 5),
    "normcdfinv": (5, 8),
    "lgamma": (6, 4),
    "tgamma": (5, 10),
    "j0": (9, 7),
    "j1": (9, 7),
    "y0": (9, 7),
    "y1": (9, 7),
    "cyl_bessel_i0": (6, 6),
    "cyl_bessel_i1": (6, 6),
    "fabs": (0, 0),
    "ceil": (0, 0),
    "floor": (0, 0),
    "trunc": (0, 0),
    "rint": (0, 0),
    "round": (0, 0),
    "logb": (0, 0),
}
BINARY = {
    "pow": (4, 2),
    "atan2": (3, 2),
    "hypot": (3, 2),
    "rhypot": (2, 1),
    "fmod": (0, 0),
    "remainder": (0, 0),
    "fdim": (0, 0),
    "fmax": (0, 0),
    "fmin": (0, 0),
}
# Where the bound applies, and CUDA's bound for the absolute error elsewhere, for float and double.
DOMAINS = {
    "j0": ("|x| <= 8", 2.2e-6, 5e-12),
    "j1": ("|x| <= 8", 2.2e-6, 5e-12),
    "y0": ("|x| <= 8", 2.2e-6, 5e-12),
    "y1": ("|x| <= 8", 2.2e-6, 5e-12),
    "lgamma": ("outside of (-10.001, -2.264)", None, None),
}


def get_ulp_bound(name, dtype):
    """CUDA's bound in units in the last place. dtype: "float32" or "float64"."""
    return (UNARY | BINARY)[name][dtype == "float64"]


def get_absolute_error_bound(name, dtype):
    """CUDA's bound for the absolute error where the other bound does not apply; infinite if there is none."""
    bound = DOMAINS[name][1 + (dtype == "float64")] if name in DOMAINS else None
    return math.inf if bound is None else bound
