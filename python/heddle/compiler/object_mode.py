"""numba's object mode: functions that the Python interpreter runs."""

import functools

from heddle.support.public_function import public


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
    """``with objmode(y="float64[:]"):`` runs a block in the interpreter. Outside compiled functions it has no
    effect.

    >>> @njit
    ... def show(x):
    ...     with objmode():
    ...         print(np.sort(x))
    >>> show(np.array([3, 1, 2]))
    [1 2 3]
    """

    def __init__(self, *args, **types):
        """types: the types of the variables that the block passes to the enclosing compiled function."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False
