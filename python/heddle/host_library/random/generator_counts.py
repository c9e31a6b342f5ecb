"""Methods of numpy.random.Generator that draw integers from distributions, by calling NumPy's C functions."""

import functools

import numpy as np

from heddle.compiler.library_registry import implements
from heddle.host_library.random.generator_distributions import implement_distribution
from heddle.host_library.random.generators import draw_numbers, load_numpy_random_function

_most = np.iinfo(np.int64).max
# The largest mean that NumPy accepts, so that the drawn numbers fit into 64 bits.
_most_lam = _most - np.sqrt(_most) * 10


@implement_distribution("d", "i8", names=("poisson",))
def make_poisson_method(draw):
    def draw_poisson_numbers(self, lam=1.0, size=None):
        if not lam >= 0:
            raise ValueError("lam < 0 or lam is NaN")
        if lam > _most_lam:
            raise ValueError("lam value too large")
        return draw_numbers(self, draw, (lam,), size, np.int64)

    return draw_poisson_numbers


@implement_distribution("dd", "i8", names=("negative_binomial",))
def make_negative_binomial_method(draw):
    def draw_negative_binomial_numbers(self, n, p, size=None):
        if not n > 0:
            raise ValueError("n <= 0 or n is NaN")
        if not 0 < p <= 1:
            raise ValueError("p <= 0, p > 1 or p is NaN")
        return draw_numbers(self, draw, (n, p), size, np.int64)

    return draw_negative_binomial_numbers


@implement_distribution("d", "i8", names=("geometric",))
def make_geometric_method(draw):
    def draw_geometric_numbers(self, p, size=None):
        if not 0 < p <= 1:
            raise ValueError("p <= 0, p > 1 or p is NaN")
        return draw_numbers(self, draw, (p,), size, np.int64)

    return draw_geometric_numbers


@implement_distribution("d", "i8", names=("zipf",))
def make_zipf_method(draw):
    def draw_zipf_numbers(self, a, size=None):
        if not a > 1:
            raise ValueError("a <= 1 or a is NaN")
        return draw_numbers(self, draw, (a,), size, np.int64)

    return draw_zipf_numbers


@implement_distribution("d", "i8", names=("logseries",))
def make_logseries_method(draw):
    def draw_logseries_numbers(self, p, size=None):
        if not 0 <= p < 1:
            raise ValueError("p < 0, p >= 1 or p is NaN")
        return draw_numbers(self, draw, (p,), size, np.int64)

    return draw_logseries_numbers


@implements("Generator.binomial")
def _choose_binomial_implementation(self, n, p, size=None):
    return _make_binomial_method()


# The memory in which NumPy's function caches values computed from n and p: larger than NumPy's binomial_t.
_binomial_bytes = 512


@functools.cache
def _make_binomial_method():
    draw = load_numpy_random_function("binomial", "i8", "d", "i8", "p")

    def draw_binomial_numbers(self, n, p, size=None):
        if n < 0:
            raise ValueError("n < 0")
        if not 0 <= p <= 1:
            raise ValueError("p < 0, p > 1 or p is NaN")
        kept = np.zeros(_binomial_bytes, np.uint8)
        return draw_numbers(self, draw, (p, n, kept.ctypes), size, np.int64)

    return draw_binomial_numbers
