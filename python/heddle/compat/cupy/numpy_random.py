"""cupy.random with NumPy's generators: the numbers for a seed are NumPy's, not those of CuPy on a GPU."""

import functools

import numpy as np

from heddle.compat.cupy.arrays import run_numpy_work
from heddle.compat.cupy.host_access import to_numpy_views
from heddle.support.missing_names import make_missing_name_error

_without_dtype = (
    "rand",
    "randn",
    "random",
    "random_sample",
    "uniform",
    "normal",
    "standard_normal",
)


def _accept_dtype(draw):
    """Wrap a method of a NumPy generator so that it takes ``dtype`` where CuPy's does."""

    @functools.wraps(draw)
    def draw_with_dtype(*args, **keywords):
        keywords = {name: to_numpy_views(value) for name, value in keywords.items()}
        dtype = keywords.pop("dtype", None) if draw.__name__ in _without_dtype else None
        values = draw(*to_numpy_views(args), **keywords)
        if isinstance(values, (int, float)):
            values = np.asarray(values)
        return values if dtype is None else np.asarray(values, dtype)

    return draw_with_dtype


def _wrap_to_return_arrays(draw):
    """Wrap a function so that it returns CuPy arrays for NumPy arrays and numbers."""

    @functools.wraps(draw)
    def draw_cupy_arrays(*args, **keywords):
        return run_numpy_work(lambda: draw(*to_numpy_views(args), **keywords))

    return draw_cupy_arrays


class RandomState:
    """numpy.random.RandomState with CuPy arrays as results."""

    def __init__(self, seed=None, method=None):
        self._state = np.random.RandomState(seed)

    def seed(self, seed=None):
        self._state.seed(seed)

    def shuffle(self, a):
        run_numpy_work(lambda: self._state.shuffle(to_numpy_views(a)), writes=True)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return _wrap_to_return_arrays(_accept_dtype(getattr(self._state, name)))


class Generator:
    """numpy.random.Generator with CuPy arrays as results."""

    def __init__(self, bit_generator):
        self._generator = np.random.Generator(bit_generator)

    def shuffle(self, x, axis=0):
        run_numpy_work(lambda: self._generator.shuffle(to_numpy_views(x), axis), writes=True)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return _wrap_to_return_arrays(getattr(self._generator, name))


XORWOW = Philox4x3210 = MRG32k3a = np.random.PCG64
_state = RandomState()


def default_rng(seed=None):
    return Generator(np.random.default_rng(seed).bit_generator)


def get_random_state():
    """The generator that this module's functions use."""
    return _state


def find_numpy_function(name):
    """This module's function ``name``, but with NumPy arrays as results. Raises AttributeError."""
    if name.startswith("_") or not hasattr(_state._state, name):
        raise make_missing_name_error("heddle.cupy.random", name)
    return _accept_dtype(getattr(_state._state, name))


def __getattr__(name):
    return _wrap_to_return_arrays(find_numpy_function(name))
