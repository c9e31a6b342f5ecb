"""Python's random, as numba has it: the generator begins as NumPy's does after the same seed, and draws normal numbers
as that one does. The other numbers are those that Python's makes of the same bits. Each thread has a generator."""

import math

import numpy as np

from heddle.host_library.lists import is_list
from heddle.host_library.random.drawn_as_python import (
    beta_of,
    gamma_of,
    triangular_of,
    von_mises_of,
)
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
    peak = 0.5 if mode is None or low == high else (mode - low) / (high - low)
    return triangular_of(words_of(PYTHON), low, high, peak)


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
    return gamma_of(words_of(PYTHON), alpha, beta)


@_always
def betavariate(alpha, beta):
    return beta_of(words_of(PYTHON), alpha, beta)


@_always
def vonmisesvariate(mu, kappa):
    return von_mises_of(words_of(PYTHON), mu, kappa)


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
