"""The decorator for functions that users call."""

import functools

from heddle import _heddle


def public(function, shortcut=None):
    """Decorates a function so that tracebacks of its errors hide Heddle's frames.

    shortcut: for methods, the name of an attribute. If an instance has a value other than None there, that value is
    called instead of the method, and the method only if it raises TypeError.
    """
    return functools.update_wrapper(_heddle.PublicFunction(function, shortcut), function)
