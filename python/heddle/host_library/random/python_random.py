"""Python's random as in numba: seeds and normal numbers are NumPy's; Python's algorithms make the other numbers from
the same bits. Each thread has a separate generator."""

import math

import numpy as np

from heddle.compiler.library_registry import compiled, implements, is_array, is_integer_or_bool
from heddle.host_library.lists import is_list
from heddle.host_library.random.drawn_as_python import (
    draw_beta,
    draw_gamma,
    draw_triangular,
    draw_von_mises,
)
from heddle.host_library.random.mersenne_twister import (
    PYTHON,
    get_words,
    next_float,
    next_normal,
    next_word,
    seed_state,
)


@implements("random.seed")
def _choose_seed_implementation(a=None, version=None):
    return _seed if is_integer_or_bool(a) else None


def _seed(a):
    seed_state(get_words(PYTHON), a)


def _implement_for_all_arguments(function):
    """Implements the function of ``random`` with that name, for any arguments."""
    implements(f"random.{function.__name__}")(lambda *arguments, **named: function)
    return function


@_implement_for_all_arguments
def random():
    return next_float(get_words(PYTHON))


@compiled
def _draw_bits(k):
    words = get_words(PYTHON)
    if k == 0:
        return np.uint64(0)
    if k <= 32:
        return next_word(words) >> np.uint64(32 - k)
    low = next_word(words)
    return low | (next_word(words) >> np.uint64(64 - k)) << np.uint64(32)


@_implement_for_all_arguments
def getrandbits(k):
    if k < 0 or k > 64:
        raise ValueError("number of bits must be from 0 to 64")
    return _draw_bits(k)


@compiled
def _draw_integer_below(n):
    if n <= 0:
        raise ValueError("empty range for randrange()")
    k = 0
    while np.int64(n) >> k:
        k += 1
    value = _draw_bits(k)
    while value >= np.uint64(n):
        value = _draw_bits(k)
    return np.int64(value)


@_implement_for_all_arguments
def randint(a, b):
    return a + _draw_integer_below(b - a + 1)


@_implement_for_all_arguments
def randrange(start, stop=None, step=1):
    if step == 0:
        raise ValueError("zero step for randrange()")
    first, end = (0, start) if stop is None else (start, stop)
    count = (end - first + step - 1) // step if step > 0 else (end - first + step + 1) // step
    return first + step * _draw_integer_below(count)


@_implement_for_all_arguments
def uniform(a, b):
    return a + (b - a) * next_float(get_words(PYTHON))


@_implement_for_all_arguments
def triangular(low=0.0, high=1.0, mode=None):
    peak = 0.5 if mode is None or low == high else (mode - low) / (high - low)
    return draw_triangular(get_words(PYTHON), low, high, peak)


@_implement_for_all_arguments
def gauss(mu=0.0, sigma=1.0):
    return mu + sigma * next_normal(get_words(PYTHON))


@_implement_for_all_arguments
def normalvariate(mu=0.0, sigma=1.0):
    return mu + sigma * next_normal(get_words(PYTHON))


@_implement_for_all_arguments
def lognormvariate(mu, sigma):
    return math.exp(normalvariate_of(mu, sigma))


normalvariate_of = compiled(normalvariate)


@_implement_for_all_arguments
def expovariate(lambd=1.0):
    return -math.log(1.0 - next_float(get_words(PYTHON))) / lambd


@_implement_for_all_arguments
def paretovariate(alpha):
    return 1.0 / math.pow(1.0 - next_float(get_words(PYTHON)), 1.0 / alpha)


@_implement_for_all_arguments
def weibullvariate(alpha, beta):
    return alpha * math.pow(-math.log(1.0 - next_float(get_words(PYTHON))), 1.0 / beta)


@_implement_for_all_arguments
def gammavariate(alpha, beta):
    return draw_gamma(get_words(PYTHON), alpha, beta)


@_implement_for_all_arguments
def betavariate(alpha, beta):
    return draw_beta(get_words(PYTHON), alpha, beta)


@_implement_for_all_arguments
def vonmisesvariate(mu, kappa):
    return draw_von_mises(get_words(PYTHON), mu, kappa)


@implements("random.shuffle")
def _choose_shuffle_implementation(x):
    return _shuffle if is_array(x, 1) or is_list(x) else None


def _shuffle(x):
    for i in range(len(x) - 1, 0, -1):
        j = _draw_integer_below(i + 1)
        x[i], x[j] = x[j], x[i]


@implements("random.choice")
def _choose_choice_implementation(seq):
    return _draw_item if is_array(seq, 1) or is_list(seq) else None


def _draw_item(seq):
    return seq[_draw_integer_below(len(seq))]
