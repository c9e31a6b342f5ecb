"""What programs ask of a decorated function besides its code for types."""

from heddle import _heddle
from heddle.compiler.cache_stats import CacheStats


class DescribedFunction:
    """A function that was decorated, whose plain form is ``py_func``."""

    __numba__ = "py_func"  # by this attribute some programs tell a jitted function from others

    @property
    def func_code(self):
        """The bytecode of the function as it was written."""
        return self.py_func.__code__

    @property
    def doc(self):
        """The function's docstring."""
        return self.py_func.__doc__

    @property
    def stats(self):
        """How often the disk cache had what was needed: an object with cache_hits and cache_misses."""
        return CacheStats(self)

    def typeof_pyval(self, value):
        """The type that the function is compiled for where this is an argument."""
        return _heddle.typeof(value)
