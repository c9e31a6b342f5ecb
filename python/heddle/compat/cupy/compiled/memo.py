"""``cupy.memoize``, with which programs cache compiled kernels, and its modules cupy.util and cupy._util."""

import functools
import warnings

from heddle.compat.cupy.devices import Device
from heddle.support.missing_names import make_missing_name_error

__all__ = ["PerformanceWarning", "clear_memo", "memoize"]

_missing = object()
_memos = []  # the caches of all functions decorated with memoize()


class PerformanceWarning(RuntimeWarning):
    """A slow operation that the program could avoid."""


def clear_memo():
    """Empty the caches of all functions decorated with memoize()."""
    for known in _memos:
        known.clear()


def memoize(for_each_device=False):
    """Decorator: the function runs once for each set of arguments, and once per device with for_each_device."""

    def memoize_function(function):
        known = {}
        _memos.append(known)

        @functools.wraps(function)
        def call_memoized(*args, **keywords):
            where = Device().id if for_each_device else None
            key = (where, args, frozenset(keywords.items()))
            if (found := known.get(key, _missing)) is not _missing:
                return found
            return known.setdefault(key, function(*args, **keywords))

        return call_memoized

    return memoize_function


def experimental(api_name):
    """Warn that ``api_name`` may change."""
    warnings.warn(f"{api_name} is experimental: it may change", FutureWarning, stacklevel=2)


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy.util", name)
