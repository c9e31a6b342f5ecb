"""Methods of numpy.random.Generator that draw integers of distributions, by NumPy's functions in C."""

import functools

import numpy as np

from heddle.host_library.random.generator_distributions import distribution
from heddle.host_library.random.generators import drawn, of_numpy
from heddle.host_library.registry import implements

_most = np.iinfo(np.int64).max
# What NumPy takes at most for the mean of counts, so that they fit in 64 bits.
_most_lam = _most - np.sqrt(_most) * 10


@distribution("d", "i8")
def poisson(draw):
    def method(self, lam=1.0, size=None):
        if not lam >= 0:
            raise ValueError("lam < 0 or lam is NaN")
        if lam > _most_lam:
            raise ValueError("lam value too large")
        return drawn(self, draw, (lam,), size, np.int64)

    return method


@distribution("dd", "i8")
def negative_binomial(draw):
    def method(self, n, p, size=None):
        if not n > 0:
            raise ValueError("n <= 0 or n is NaN")
        if not 0 < p <= 1:
            raise ValueError("p <= 0, p > 1 or p is NaN")
        return drawn(self, draw, (n, p), size, np.int64)

    return method


@distribution("d", "i8")
def geometric(draw):
    def method(self, p, size=None):
        if not 0 < p <= 1:
            raise ValueError("p <= 0, p > 1 or p is NaN")
        return drawn(self, draw, (p,), size, np.int64)

    return method


@distribution("d", "i8")
def zipf(draw):
    def method(self, a, size=None):
        if not a > 1:
            raise ValueError("a <= 1 or a is NaN")
        return drawn(self, draw, (a,), size, np.int64)

    return method


@distribution("d", "i8")
def logseries(draw):
    def method(self, p, size=None):
        if not 0 <= p < 1:
            raise ValueError("p < 0, p >= 1 or p is NaN")
        return drawn(self, draw, (p,), size, np.int64)

    return method


@implements("Generator.binomial")
def _binomial(self, n, p, size=None):
    return _binomial_of_numpy()


# Where NumPy's function keeps what it computes of n and p: more bytes than its binomial_t has.
_binomial_bytes = 512


@functools.cache
def _binomial_of_numpy():
    draw = of_numpy("binomial", "i8", "d", "i8", "p")

    def method(self, n, p, size=None):
        if n < 0:
            raise ValueError("n < 0")
        if not 0 <= p <= 1:
            raise ValueError("p < 0, p > 1 or p is NaN")
        kept = np.zeros(_binomial_bytes, np.uint8)
        return drawn(self, draw, (p, n, kept.ctypes), size, np.int64)

    return method
