"""cupy.random: NumPy's generators. The numbers of a seed are NumPy's, not those of CuPy on a GPU."""

import functools

import numpy as np

from heddle.compat.cupy.arrays import perform
from heddle.compat.cupy.host_access import host_values
from heddle.missing_names import missing_name

_without_dtype = (
    "rand",
    "randn",
    "random",
    "random_sample",
    "uniform",
    "normal",
    "standard_normal",
)


def _drawing(draw):
    """A method of a NumPy generator that takes ``dtype`` where CuPy does."""

    @functools.wraps(draw)
    def drawn(*args, **keywords):
        keywords = {name: host_values(value) for name, value in keywords.items()}
        dtype = keywords.pop("dtype", None) if draw.__name__ in _without_dtype else None
        values = draw(*host_values(args), **keywords)
        if isinstance(values, (int, float)):
            values = np.asarray(values)
        return values if dtype is None else np.asarray(values, dtype)

    return drawn


def _returning_arrays(draw):
    """A function whose NumPy arrays and numbers are returned as CuPy's."""

    @functools.wraps(draw)
    def drawn(*args, **keywords):
        return perform(lambda: draw(*host_values(args), **keywords))

    return drawn


class RandomState:
    """As numpy.random.RandomState, with CuPy's arrays as results."""

    def __init__(self, seed=None, method=None):
        self._state = np.random.RandomState(seed)

    def seed(self, seed=None):
        self._state.seed(seed)

    def shuffle(self, a):
        perform(lambda: self._state.shuffle(host_values(a)), writes=True)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return _returning_arrays(_drawing(getattr(self._state, name)))


class Generator:
    """As numpy.random.Generator, with CuPy's arrays as results."""

    def __init__(self, bit_generator):
        self._generator = np.random.Generator(bit_generator)

    def shuffle(self, x, axis=0):
        perform(lambda: self._generator.shuffle(host_values(x), axis), writes=True)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return _returning_arrays(getattr(self._generator, name))


XORWOW = Philox4x3210 = MRG32k3a = np.random.PCG64
_state = RandomState()


def default_rng(seed=None):
    return Generator(np.random.default_rng(seed).bit_generator)


def get_random_state():
    """The generator behind the functions of this module."""
    return _state


def numpys_drawing(name):
    """The function of this module under that name, with NumPy's arrays as results."""
    if name.startswith("_") or not hasattr(_state._state, name):
        raise missing_name("heddle.cupy.random", name)
    return _drawing(getattr(_state._state, name))


def __getattr__(name):
    return _returning_arrays(numpys_drawing(name))
