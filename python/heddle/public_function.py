"""The decorator of functions that users call."""

import functools

from heddle import _heddle


def public(function):
    """A decorator: the function's errors show neither its own frames nor those of what it calls within heddle."""
    return functools.update_wrapper(_heddle.PublicFunction(function), function)
