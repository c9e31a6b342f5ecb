"""Attributes of decorated functions that do not depend on argument types."""

from heddle import _heddle
from heddle.compiler.cache_stats import CacheStats


class DescribedFunction:
    """A decorated function. ``py_func`` is the original function."""

    __numba__ = "py_func"  # some programs recognize jitted functions by this attribute

    @property
    def func_code(self):
        """The bytecode of the original function."""
        return self.py_func.__code__

    @property
    def doc(self):
        """The function's docstring."""
        return self.py_func.__doc__

    @property
    def stats(self):
        """The disk cache statistics: an object with cache_hits and cache_misses."""
        return CacheStats(self)

    def typeof_pyval(self, value):
        """The type for which the function is compiled if this value is an argument."""
        return _heddle.typeof(value)
