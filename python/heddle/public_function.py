"""The decorator of functions that users call."""

import functools

from heddle import _heddle


def public(function, shortcut=None):
    """A decorator: the function's errors show neither its own frames nor those of what it calls within heddle.

    ``shortcut`` is for methods: the name of an attribute. Where an instance has something else there than None, that is
    called in the method's place, and the method only if it raises TypeError.
    """
    return functools.update_wrapper(_heddle.PublicFunction(function, shortcut), function)
