"""What numba calls object mode: functions that run as Python runs them."""

import functools

from heddle.public_function import public


class ObjectModeFunction:
    """A function that ``jit(forceobj=True)`` leaves to Python. ``py_func`` is the function itself."""

    def __init__(self, function):
        self.py_func = function
        functools.update_wrapper(self, function)

    @public
    def __call__(self, *args, **kwargs):
        return self.py_func(*args, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self):
        return f"<heddle function {self.__name__!r} in object mode>"


class objmode:
    """``with objmode(y="float64[:]"):`` runs a block as Python does, as outside of compiled functions all do."""

    def __init__(self, *args, **types):
        """types: those of the variables that the block gives to the compiled function around it."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False
