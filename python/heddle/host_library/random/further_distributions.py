"""numpy.random's distributions that are based on others, and those of integers, with the numbers of NumPy's legacy
generator; those based on gamma draws, vonmises and hypergeometric have numba's numbers.

Source: the algorithm BTPE of Kachitvichyanukul and Schmeiser (1988).
"""

import math

import numpy as np

from heddle.compiler.library_registry import (
    compiled,
    implements,
    is_absent_or_none,
    is_integer_or_bool,
)
from heddle.host_library.random.distributions import draw_chisquare, draw_poisson
from heddle.host_library.random.drawn_as_python import draw_gamma, draw_von_mises
from heddle.host_library.random.mersenne_twister import NUMPY, get_words, next_float, next_normal
from heddle.host_library.random.numpy_random import (
    draw_floats,
    draw_integers,
    implement_for_all_arguments,
)

# Distributions of real numbers


@compiled
def _draw_standard_cauchy(words):
    above = next_normal(words)
    return above / next_normal(words)


@implement_for_all_arguments
def standard_cauchy(size=None):
    return draw_floats(_draw_standard_cauchy, (), size)


@compiled
def _draw_wald(words, mean, scale):
    half = mean / (2 * scale)
    y = next_normal(words)
    y = mean * y * y
    x = mean + half * (y - math.sqrt(4 * scale * y + y * y))
    u = next_float(words)
    return x if u <= mean / (mean + x) else mean * mean / x


@implement_for_all_arguments
def wald(mean, scale, size=None):
    if mean <= 0 or scale <= 0:
        raise ValueError("mean <= 0 or scale <= 0")
    return draw_floats(_draw_wald, (float(mean), float(scale)), size)


@compiled
def _draw_noncentral_chisquare(words, df, nonc):
    if math.isnan(nonc):
        return nonc
    if nonc == 0:
        return draw_chisquare(words, df)
    if df > 1:
        central = draw_chisquare(words, df - 1)
        n = next_normal(words) + math.sqrt(nonc)
        return central + n * n
    return draw_chisquare(words, df + 2 * draw_poisson(words, nonc / 2.0))


@implement_for_all_arguments
def noncentral_chisquare(df, nonc, size=None):
    if df <= 0 or nonc < 0:
        raise ValueError("df <= 0 or nonc < 0")
    return draw_floats(_draw_noncentral_chisquare, (float(df), float(nonc)), size)


@implement_for_all_arguments
def vonmises(mu, kappa, size=None):
    return draw_floats(draw_von_mises, (float(mu), float(kappa)), size)


@implements("numpy.random.dirichlet")
def _choose_dirichlet_implementation(alpha, size=None):
    return _draw_one_dirichlet if is_absent_or_none(size) else _draw_dirichlet_rows


@compiled
def _draw_dirichlet_into(alpha, out):
    words = get_words(NUMPY)
    total = 0.0
    for i, a in enumerate(alpha):
        if a <= 0:
            raise ValueError("dirichlet: alpha must be > 0.0")
        out[i] = draw_gamma(words, float(a), 1.0)
        total += out[i]
    inverse = 1 / total
    for i in range(out.size):
        out[i] *= inverse


def _draw_one_dirichlet(alpha, size=None):
    out = np.empty(len(alpha))
    _draw_dirichlet_into(alpha, out)
    return out


def _draw_dirichlet_rows(alpha, size):
    out = np.empty((*_to_tuple(size), len(alpha)))
    rows = out.reshape((out.size // len(alpha), len(alpha)))
    for i in range(rows.shape[0]):
        _draw_dirichlet_into(alpha, rows[i])
    return out


@compiled
def _to_tuple(size):
    return size if isinstance(size, tuple) else (size,)


# Distributions of integers


@compiled
def _draw_binomial_by_inversion(words, n, p):
    q = 1.0 - p
    first = math.exp(n * math.log(q))
    mean = n * p
    bound = np.int64(min(float(n), mean + 10.0 * math.sqrt(mean * q + 1)))
    x, px = 0, first
    u = next_float(words)
    while u > px:
        x += 1
        if x > bound:
            x, px = 0, first
            u = next_float(words)
        else:
            u -= px
            px = ((n - x + 1) * p * px) / (x * q)
    return x


@compiled
def _stirling_error(f, square):
    tail = 99.0 - 140.0 / square
    return (13680.0 - (462.0 - (132.0 - tail / square) / square) / square) / f / 166320.0


@compiled
def _draw_binomial_by_rejection(words, n, p):
    """Algorithm BTPE, for ``p`` of at most 0.5."""
    r = p
    q = 1.0 - r
    fm = n * r + r
    m = np.int64(math.floor(fm))
    p1 = math.floor(2.195 * math.sqrt(n * r * q) - 4.6 * q) + 0.5
    xm = m + 0.5
    xl = xm - p1
    xr = xm + p1
    c = 0.134 + 20.5 / (15.3 + m)
    a = (fm - xl) / (fm - xl * r)
    left = a * (1.0 + a / 2.0)
    a = (xr - fm) / (xr * q)
    right = a * (1.0 + a / 2.0)
    p2 = p1 * (1.0 + 2.0 * c)
    p3 = p2 + c / left
    p4 = p3 + c / right
    nrq = n * r * q
    while True:
        u = next_float(words) * p4
        v = next_float(words)
        if u <= p1:  # in the triangle
            return np.int64(math.floor(xm - p1 * v + u))
        if u <= p2:
            x = xl + (u - p1) / c
            v = v * c + 1.0 - abs(m - x + 0.5) / p1
            if v > 1.0:
                continue
            y = np.int64(math.floor(x))
        elif u <= p3:
            if v == 0.0:
                continue
            y = np.int64(math.floor(xl + math.log(v) / left))
            if y < 0:
                continue
            v = v * (u - p2) * left
        else:
            if v == 0.0:
                continue
            y = np.int64(math.floor(xr - math.log(v) / right))
            if y > n:
                continue
            v = v * (u - p3) * right
        k = abs(y - m)
        if k <= 20 or k >= nrq / 2.0 - 1:
            s = r / q
            a = s * (n + 1)
            f = 1.0
            for i in range(m + 1, y + 1):
                f *= a / i - s
            for i in range(y + 1, m + 1):
                f /= a / i - s
            if v > f:
                continue
            return y
        rho = (k / nrq) * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / nrq + 0.5)
        t = -k * k / (2 * nrq)
        log_v = math.log(v)
        if log_v < t - rho:
            return y
        if log_v > t + rho:
            continue
        x1, f1, z, w = float(y + 1), float(m + 1), float(n + 1 - m), float(n - y + 1)
        bound = xm * math.log(f1 / x1) + (n - m + 0.5) * math.log(z / w)
        bound += (y - m) * math.log(w * r / (x1 * q))
        bound += _stirling_error(f1, f1 * f1) + _stirling_error(z, z * z)
        bound += _stirling_error(x1, x1 * x1) + _stirling_error(w, w * w)
        if log_v <= bound:
            return y


@compiled
def _draw_binomial(words, n, p):
    if n == 0 or p == 0.0:
        return 0
    small = p if p <= 0.5 else 1.0 - p
    if small * n <= 30.0:
        count = _draw_binomial_by_inversion(words, n, small)
    else:
        count = _draw_binomial_by_rejection(words, n, small)
    return count if p <= 0.5 else n - count


@implement_for_all_arguments
def binomial(n, p, size=None):
    if n < 0 or not (p >= 0.0 and p <= 1.0):
        raise ValueError("n < 0, or p outside of [0, 1]")
    return draw_integers(_draw_binomial, (np.int64(n), float(p)), size)


@compiled
def _draw_negative_binomial(words, n, p):
    return draw_poisson(words, draw_gamma(words, n, (1 - p) / p))


@implement_for_all_arguments
def negative_binomial(n, p, size=None):
    if not n > 0 or not (p > 0.0 and p <= 1.0):
        raise ValueError("n <= 0, or p outside of (0, 1]")
    return draw_integers(_draw_negative_binomial, (float(n), float(p)), size)


@compiled
def _draw_zipf(words, a):
    if a >= 1025:  # 2.0 ** a overflows; another number has a probability below 2 ** -1023
        return 1
    am1 = a - 1.0
    b = math.pow(2.0, am1)
    while True:
        u = 1.0 - next_float(words)
        v = next_float(words)
        x = math.floor(math.pow(u, -1.0 / am1))
        if x > 9223372036854774784.0 or x < 1.0:
            continue
        t = math.pow(1.0 + 1.0 / x, am1)
        if v * x * (t - 1.0) / (b - 1.0) <= t / b:
            return np.int64(x)


@implement_for_all_arguments
def zipf(a, size=None):
    if not (a > 1.0):
        raise ValueError("a <= 1")
    return draw_integers(_draw_zipf, (float(a),), size)


@compiled
def _draw_logseries(words, p):
    r = math.log(1.0 - p)
    while True:
        v = next_float(words)
        if v >= p:
            return 1
        q = 1.0 - math.exp(r * next_float(words))
        if v <= q * q:
            if v == 0.0:
                continue
            count = np.int64(math.floor(1 + math.log(v) / math.log(q)))
            if count < 1:
                continue
            return count
        return 1 if v >= q else 2


@implement_for_all_arguments
def logseries(p, size=None):
    if not (p > 0.0 and p < 1.0):
        raise ValueError("p outside of (0, 1)")
    return draw_integers(_draw_logseries, (float(p),), size)


@compiled
def _draw_hypergeometric(words, good, bad, sample):
    others = bad + good - sample
    fewer = float(min(bad, good))
    y, k = fewer, sample
    while y > 0.0 and k > 0:
        y -= math.floor(next_float(words) + y / (others + k))
        k -= 1
    z = np.int64(fewer - y)
    return sample - z if good > bad else z


@implement_for_all_arguments
def hypergeometric(ngood, nbad, nsample, size=None):
    if ngood < 0 or nbad < 0 or nsample < 0 or ngood + nbad < nsample:
        raise ValueError("ngood + nbad < nsample, or a count below 0")
    return draw_integers(
        _draw_hypergeometric, (np.int64(ngood), np.int64(nbad), np.int64(nsample)), size
    )


@implements("numpy.random.multinomial")
def _choose_multinomial_implementation(n, pvals, size=None):
    if not is_integer_or_bool(n):
        return None
    return _draw_multinomial if is_absent_or_none(size) else _draw_multinomial_rows


@compiled
def _draw_multinomial_into(n, pvals, out):
    words = get_words(NUMPY)
    left, share = np.int64(n), 1.0
    last = len(pvals) - 1
    for i, p in enumerate(pvals):
        if i == last or left <= 0:
            break
        count = _draw_binomial(words, left, p / share)
        out[i] = count
        left -= count
        share -= p
    if left > 0:
        out[last] = left


def _draw_multinomial(n, pvals, size=None):
    out = np.zeros(len(pvals), np.int64)
    _draw_multinomial_into(n, pvals, out)
    return out


def _draw_multinomial_rows(n, pvals, size):
    out = np.zeros((*_to_tuple(size), len(pvals)), np.int64)
    rows = out.reshape((out.size // len(pvals), len(pvals)))
    for i in range(rows.shape[0]):
        _draw_multinomial_into(n, pvals, rows[i])
    return out
