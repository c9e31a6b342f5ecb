"""Python's random, as numba has it: the generator begins as NumPy's does after the same seed, and draws normal numbers
as that one does. The other numbers are those that Python's makes of the same bits. Each thread has a generator."""

import math

import numpy as np

from heddle.host_library.lists import is_list
from heddle.host_library.random.mersenne_twister import (
    PYTHON,
    next_float,
    next_normal,
    next_word,
    seed,
    words_of,
)
from heddle.host_library.registry import compiled, implements, is_array, is_integer


@implements("random.seed")
def _seed(a=None, version=None):
    return _seeded if is_integer(a) else None


def _seeded(a):
    seed(words_of(PYTHON), a)


def _always(function):
    """Implements random's function of that name, for all arguments."""
    implements(f"random.{function.__name__}")(lambda *arguments, **named: function)
    return function


@_always
def random():
    return next_float(words_of(PYTHON))


@compiled
def _bits(k):
    words = words_of(PYTHON)
    if k == 0:
        return np.uint64(0)
    if k <= 32:
        return next_word(words) >> np.uint64(32 - k)
    low = next_word(words)
    return low | (next_word(words) >> np.uint64(64 - k)) << np.uint64(32)


@_always
def getrandbits(k):
    if k < 0 or k > 64:
        raise ValueError("number of bits must be from 0 to 64")
    return _bits(k)


@compiled
def _below(n):
    if n <= 0:
        raise ValueError("empty range for randrange()")
    k = 0
    while np.int64(n) >> k:
        k += 1
    value = _bits(k)
    while value >= np.uint64(n):
        value = _bits(k)
    return np.int64(value)


@_always
def randint(a, b):
    return a + _below(b - a + 1)


@_always
def randrange(start, stop=None, step=1):
    if step == 0:
        raise ValueError("zero step for randrange()")
    first, end = (0, start) if stop is None else (start, stop)
    count = (end - first + step - 1) // step if step > 0 else (end - first + step + 1) // step
    return first + step * _below(count)


@_always
def uniform(a, b):
    return a + (b - a) * next_float(words_of(PYTHON))


@_always
def triangular(low=0.0, high=1.0, mode=None):
    u = next_float(words_of(PYTHON))
    if high == low:
        return float(low)
    c = 0.5 if mode is None else (mode - low) / (high - low)
    if u > c:
        return high + (low - high) * math.sqrt((1.0 - u) * (1.0 - c))
    return low + (high - low) * math.sqrt(u * c)


@_always
def gauss(mu=0.0, sigma=1.0):
    return mu + sigma * next_normal(words_of(PYTHON))


@_always
def normalvariate(mu=0.0, sigma=1.0):
    return mu + sigma * next_normal(words_of(PYTHON))


@_always
def lognormvariate(mu, sigma):
    return math.exp(normalvariate_of(mu, sigma))


normalvariate_of = compiled(normalvariate)


@_always
def expovariate(lambd=1.0):
    return -math.log(1.0 - next_float(words_of(PYTHON))) / lambd


@_always
def paretovariate(alpha):
    return 1.0 / math.pow(1.0 - next_float(words_of(PYTHON)), 1.0 / alpha)


@_always
def weibullvariate(alpha, beta):
    return alpha * math.pow(-math.log(1.0 - next_float(words_of(PYTHON))), 1.0 / beta)


@_always
def gammavariate(alpha, beta):
    if alpha <= 0.0 or beta <= 0.0:
        raise ValueError("gammavariate: alpha and beta must be > 0.0")
    if math.isnan(alpha):  # no draw would be accepted
        return alpha
    words = words_of(PYTHON)
    if alpha > 1.0:
        root = math.sqrt(2.0 * alpha - 1.0)
        b = alpha - math.log(4.0)
        c = alpha + root
        while True:
            u = next_float(words)
            if not (u > 1e-7 and u < 0.9999999):
                continue
            w = 1.0 - next_float(words)
            v = math.log(u / (1.0 - u)) / root
            x = alpha * math.exp(v)
            z = u * u * w
            r = b + c * v - x
            if r + (1.0 + math.log(4.5)) - 4.5 * z >= 0.0 or r >= math.log(z):
                return x * beta
    if alpha == 1.0:
        return -math.log(1.0 - next_float(words)) * beta
    while True:
        u = next_float(words)
        b = (math.e + alpha) / math.e
        p = b * u
        x = math.pow(p, 1.0 / alpha) if p <= 1.0 else -math.log((b - p) / alpha)
        w = next_float(words)
        if p > 1.0:
            if w <= math.pow(x, alpha - 1.0):
                return x * beta
        elif w <= math.exp(-x):
            return x * beta


gamma_of = compiled(gammavariate)


@_always
def betavariate(alpha, beta):
    y = gamma_of(alpha, 1.0)
    return y / (y + gamma_of(beta, 1.0)) if y else 0.0


@_always
def vonmisesvariate(mu, kappa):
    if math.isnan(kappa):  # no draw would be accepted
        return kappa
    words = words_of(PYTHON)
    if kappa <= 1e-6:
        return 2.0 * math.pi * next_float(words)
    s = 0.5 / kappa
    r = s + math.sqrt(1.0 + s * s)
    while True:
        z = math.cos(math.pi * next_float(words))
        d = z / (r + z)
        u = next_float(words)
        if u < 1.0 - d * d or u <= (1.0 - d) * math.exp(d):
            break
    q = 1.0 / r
    angle = math.acos((q + z) / (1.0 + q * z))
    if next_float(words) > 0.5:
        return (mu + angle) % (2.0 * math.pi)
    return (mu - angle) % (2.0 * math.pi)


@implements("random.shuffle")
def _shuffle(x):
    return _shuffled if is_array(x, 1) or is_list(x) else None


def _shuffled(x):
    for i in range(len(x) - 1, 0, -1):
        j = _below(i + 1)
        x[i], x[j] = x[j], x[i]


@implements("random.choice")
def _choice(seq):
    return _chosen if is_array(seq, 1) or is_list(seq) else None


def _chosen(seq):
    return seq[_below(len(seq))]
