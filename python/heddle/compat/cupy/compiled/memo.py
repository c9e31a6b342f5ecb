"""``cupy.memoize``, which programs keep compiled kernels with, and the modules of it: cupy.util and cupy._util."""

import functools
import warnings

from heddle.compat.cupy.devices import Device
from heddle.missing_names import missing_name

__all__ = ["PerformanceWarning", "clear_memo", "memoize"]

_memos = []  # what the functions of memoize() remember


class PerformanceWarning(RuntimeWarning):
    """Something that takes long and need not."""


def clear_memo():
    """Lets every function of memoize() forget what it remembers."""
    for known in _memos:
        known.clear()


def memoize(for_each_device=False):
    """A decorator: the function runs once for each set of arguments, and each device if asked for."""

    def remember(function):
        known = {}
        _memos.append(known)

        @functools.wraps(function)
        def remembered(*args, **keywords):
            where = Device().id if for_each_device else None
            key = (where, args, frozenset(keywords.items()))
            if key not in known:
                known[key] = function(*args, **keywords)
            return known[key]

        return remembered

    return remember


def experimental(api_name):
    """Warns that ``api_name`` may change."""
    warnings.warn(f"{api_name} is experimental: it may change", FutureWarning, stacklevel=2)


def __getattr__(name):
    raise missing_name("heddle.cupy.util", name)
