"""numpy.random's distributions, with the numbers of NumPy's legacy generator for the same seed; those based on gamma
draws have numba's numbers."""

import math

import numpy as np

from heddle.compiler.library_registry import compiled
from heddle.host_library.random.drawn_as_python import draw_beta, draw_gamma, draw_triangular
from heddle.host_library.random.mersenne_twister import NUMPY, get_words, next_float, next_normal
from heddle.host_library.random.numpy_random import (
    draw_floats,
    draw_integers,
    implement_for_all_arguments,
)


@implement_for_all_arguments
def triangular(left, mode, right, size=None):
    if left > mode or mode > right or left == right:
        raise ValueError("triangular() needs left <= mode <= right and left < right")
    peak = (mode - left) / (right - left)
    return draw_floats(draw_triangular, (float(left), float(right), peak), size)


# Normal numbers


@implement_for_all_arguments
def randn(*shape):
    if len(shape) == 0:
        return next_normal(get_words(NUMPY))
    return draw_floats(next_normal, (), shape)


@implement_for_all_arguments
def standard_normal(size=None):
    return draw_floats(next_normal, (), size)


@compiled
def _draw_normal(words, loc, scale):
    return loc + scale * next_normal(words)


@implement_for_all_arguments
def normal(loc=0.0, scale=1.0, size=None):
    if scale < 0:
        raise ValueError("scale < 0")
    return draw_floats(_draw_normal, (loc, scale), size)


@compiled
def _draw_lognormal(words, mean, sigma):
    return math.exp(mean + sigma * next_normal(words))


@implement_for_all_arguments
def lognormal(mean=0.0, sigma=1.0, size=None):
    if sigma < 0:
        raise ValueError("sigma < 0")
    return draw_floats(_draw_lognormal, (mean, sigma), size)


# Exponential distributions and those based on them


@compiled
def _draw_exponential(words, scale):
    return scale * -math.log(1.0 - next_float(words))


@implement_for_all_arguments
def exponential(scale=1.0, size=None):
    if scale < 0:
        raise ValueError("scale < 0")
    return draw_floats(_draw_exponential, (scale,), size)


@implement_for_all_arguments
def standard_exponential(size=None):
    return draw_floats(_draw_exponential, (1.0,), size)


@compiled
def _draw_weibull(words, a):
    return math.pow(_draw_exponential(words, 1.0), 1.0 / a) if a != 0 else 0.0


@implement_for_all_arguments
def weibull(a, size=None):
    return draw_floats(_draw_weibull, (a,), size)


@compiled
def _draw_pareto(words, a):
    return 1.0 / math.pow(1.0 - next_float(words), 1.0 / a) - 1.0


@implement_for_all_arguments
def pareto(a, size=None):
    return draw_floats(_draw_pareto, (a,), size)


@compiled
def _draw_power(words, a):
    return math.pow(1 - math.exp(-_draw_exponential(words, 1.0)), 1.0 / a)


@implement_for_all_arguments
def power(a, size=None):
    return draw_floats(_draw_power, (a,), size)


@compiled
def _draw_rayleigh(words, scale):
    return scale * math.sqrt(-2.0 * math.log1p(-next_float(words)))


@implement_for_all_arguments
def rayleigh(scale=1.0, size=None):
    return draw_floats(_draw_rayleigh, (scale,), size)


@compiled
def _draw_laplace(words, loc, scale):
    while True:
        u = next_float(words)
        if u >= 0.5:
            return loc - scale * math.log(2.0 - u - u)
        if u > 0.0:
            return loc + scale * math.log(u + u)


@implement_for_all_arguments
def laplace(loc=0.0, scale=1.0, size=None):
    return draw_floats(_draw_laplace, (loc, scale), size)


@compiled
def _draw_gumbel(words, loc, scale):
    while True:
        u = 1.0 - next_float(words)
        if u < 1.0:
            return loc - scale * math.log(-math.log(u))


@implement_for_all_arguments
def gumbel(loc=0.0, scale=1.0, size=None):
    return draw_floats(_draw_gumbel, (loc, scale), size)


@compiled
def _draw_logistic(words, loc, scale):
    while True:
        u = next_float(words)
        if u > 0.0:
            return loc + scale * math.log(u / (1.0 - u))


@implement_for_all_arguments
def logistic(loc=0.0, scale=1.0, size=None):
    return draw_floats(_draw_logistic, (loc, scale), size)


# Gamma distributions and those based on them


@implement_for_all_arguments
def gamma(shape, scale=1.0, size=None):
    return draw_floats(draw_gamma, (float(shape), float(scale)), size)


@implement_for_all_arguments
def standard_gamma(shape, size=None):
    return draw_floats(draw_gamma, (float(shape), 1.0), size)


@compiled
def draw_chisquare(words, df):
    return 2.0 * draw_gamma(words, df / 2.0, 1.0)


@implement_for_all_arguments
def chisquare(df, size=None):
    return draw_floats(draw_chisquare, (df,), size)


@compiled
def _draw_f(words, dfnum, dfden):
    return (draw_chisquare(words, dfnum) * dfden) / (draw_chisquare(words, dfden) * dfnum)


@implement_for_all_arguments
def f(dfnum, dfden, size=None):
    return draw_floats(_draw_f, (dfnum, dfden), size)


@compiled
def _draw_standard_t(words, df):
    num = next_normal(words)
    denom = draw_gamma(words, df / 2.0, 1.0)
    return math.sqrt(df / 2.0) * num / math.sqrt(denom)


@implement_for_all_arguments
def standard_t(df, size=None):
    return draw_floats(_draw_standard_t, (df,), size)


@implement_for_all_arguments
def beta(a, b, size=None):
    return draw_floats(draw_beta, (float(a), float(b)), size)


_stirling = (
    8.333333333333333e-02,
    -2.777777777777778e-03,
    7.936507936507937e-04,
    -5.952380952380952e-04,
    8.417508417508418e-04,
    -1.917526917526918e-03,
    6.410256410256410e-03,
    -2.955065359477124e-02,
    1.796443723688307e-01,
    -1.39243221690590e00,
)


@compiled
def _log_gamma(x):
    """The logarithm of gamma, computed exactly as NumPy does: the drawn numbers depend on its last bit."""
    if x == 1.0 or x == 2.0:
        return 0.0
    n = np.int64(7 - x) if x < 7.0 else 0
    x0 = x + n
    square = (1.0 / x0) * (1.0 / x0)
    series = _stirling[9]
    for k in range(8, -1, -1):
        series = series * square + _stirling[k]
    out = series / x0 + 0.5 * 1.8378770664093453 + (x0 - 0.5) * math.log(x0) - x0
    for _ in range(n):
        out -= math.log(x0 - 1.0)
        x0 -= 1.0
    return out


# Ten standard deviations below the largest int64.
_largest_mean = 2.0**63 - 10.0 * 2.0**31.5


@compiled
def draw_poisson(words, lam):
    if lam == 0:
        return 0
    if not lam <= _largest_mean:  # no draw would be accepted
        return -(2**63)
    if lam < 10:
        limit = math.exp(-lam)
        count, product = 0, next_float(words)
        while product > limit:
            count += 1
            product *= next_float(words)
        return count
    root, log_of = math.sqrt(lam), math.log(lam)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    limit = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = next_float(words) - 0.5
        v = next_float(words)
        us = 0.5 - abs(u)
        k = np.int64(np.floor((2 * a / us + b) * u + lam + 0.43))
        if us >= 0.07 and v <= limit:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        bound = -lam + k * log_of - _log_gamma(k + 1.0)
        if math.log(v) + math.log(inverse) - math.log(a / (us * us) + b) <= bound:
            return k


@implement_for_all_arguments
def poisson(lam=1.0, size=None):
    if not lam >= 0:
        raise ValueError("lam < 0 or lam is NaN")
    if lam > _largest_mean:
        raise ValueError("lam value too large")
    return draw_integers(draw_poisson, (float(lam),), size)


@compiled
def _draw_geometric(words, p):
    if p < 0.333333333333333333333333:
        return np.int64(np.ceil(math.log(1.0 - next_float(words)) / math.log(1.0 - p)))
    count, total, term = 1, p, p
    u = next_float(words)
    while u > total:
        term *= 1.0 - p
        total += term
        count += 1
    return count


@implement_for_all_arguments
def geometric(p, size=None):
    if not (p > 0 and p <= 1):
        raise ValueError("p <= 0, p > 1 or p contains NaNs")
    return draw_integers(_draw_geometric, (float(p),), size)
