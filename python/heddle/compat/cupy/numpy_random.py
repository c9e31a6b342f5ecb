"""cupy.random with NumPy's generators: the numbers for a seed are NumPy's, not those of CuPy on a GPU."""

import functools
import sys

import numpy as np

from heddle.compat.cupy.arrays import run_numpy_work
from heddle.compat.cupy.host_access import to_numpy_views
from heddle.support.missing_names import make_missing_name_error

# The draws whose ``dtype`` CuPy takes and NumPy does not, by the number of positional arguments before it.
_positions_of_dtype = {
    name: position
    for position, names in {
        1: "random random_sample ranf sample standard_cauchy standard_exponential standard_normal",
        2: "chisquare dirichlet exponential geometric logseries pareto poisson power rayleigh "
        "standard_gamma standard_t weibull zipf",
        3: "beta binomial f gamma gumbel laplace logistic lognormal negative_binomial "
        "noncentral_chisquare normal uniform vonmises wald",
        4: "hypergeometric noncentral_f triangular",
        sys.maxsize: "rand randn",  # only as a keyword
    }.items()
    for name in names.split()
}
_generators_with_dtype = {"random", "standard_exponential", "standard_gamma", "standard_normal"}


def _accept_dtype(draw):
    """Wrap a method of a NumPy generator so that it takes ``dtype`` where CuPy's does."""
    position = _positions_of_dtype.get(draw.__name__)
    if position is None:
        return draw

    @functools.wraps(draw)
    def draw_with_dtype(*args, dtype=None, **keywords):
        if len(args) == position + 1:
            *args, dtype = args
        values = draw(*args, **keywords)
        return values if dtype is None else np.asarray(values, dtype)

    return draw_with_dtype


def _take_cupy_arrays(draw):
    """Wrap a method of a NumPy generator so that arguments may be CuPy arrays, and numbers become arrays."""

    @functools.wraps(draw)
    def draw_from_views(*args, **keywords):
        keywords = {name: to_numpy_views(value) for name, value in keywords.items()}
        values = draw(*to_numpy_views(args), **keywords)
        return np.asarray(values) if isinstance(values, (int, float)) else values

    return draw_from_views


def _wrap_to_return_arrays(draw):
    """Wrap a function so that it returns CuPy arrays for NumPy arrays and numbers."""

    @functools.wraps(draw)
    def draw_cupy_arrays(*args, **keywords):
        return run_numpy_work(lambda: draw(*args, **keywords))

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
        return _wrap_to_return_arrays(_take_cupy_arrays(_accept_dtype(getattr(self._state, name))))


class Generator:
    """numpy.random.Generator with CuPy arrays as results."""

    def __init__(self, bit_generator):
        self._generator = np.random.Generator(bit_generator)

    def shuffle(self, x, axis=0):
        run_numpy_work(lambda: self._generator.shuffle(to_numpy_views(x), axis), writes=True)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        draw = getattr(self._generator, name)
        if name not in _generators_with_dtype:
            draw = _accept_dtype(draw)
        return _wrap_to_return_arrays(_take_cupy_arrays(draw))


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
    return _take_cupy_arrays(_accept_dtype(getattr(_state._state, name)))


def __getattr__(name):
    return _wrap_to_return_arrays(find_numpy_function(name))
