"""NumPy's functions under CuPy's names: what they return are CuPy's arrays."""

import functools
import types

import numpy as np

from heddle.compat.cupy.array_kinds import as_array
from heddle.compat.cupy.arrays import (
    call,
    copied,
    device_values,
    ndarray,
    perform,
)
from heddle.compat.cupy.host_access import host_values, run_in_order, writes_to_argument

# These return a Python bool in NumPy and an array of no dimensions in CuPy.
_PREDICATES = ("allclose", "array_equal", "array_equiv")


class Function:
    """A function of NumPy's, or a ufunc, whose results are CuPy's arrays."""

    def __init__(self, function):
        functools.update_wrapper(self, function, updated=())
        self._function = function

    def __call__(self, *args, **keywords):
        args = [_told(value) for value in args]
        keywords = {name: _told(value) for name, value in keywords.items()}
        if self.__name__ in _PREDICATES:
            return call(self._predicate, args, keywords)
        result = call(self._function, args, keywords)
        writes = writes_to_argument(self._function, args, keywords)
        # A ufunc that is given its result as an argument returns it.
        return (
            args[-1]
            if writes and isinstance(self._function, np.ufunc) and len(args) > self.nin
            else result
        )

    def _predicate(self, *args, **keywords):
        return np.bool_(self._function(*args, **keywords))

    def __getattr__(self, name):
        """A ufunc's at, reduce, accumulate, outer; its nin, nout, types."""
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._function, name)
        return Function(found) if callable(found) else found

    def __repr__(self):
        return f"<cupy function {self.__name__}>"


def _told(value):
    """A value, or the array that a value, or one in a list, tells CuPy of."""
    if type(value) in (list, tuple):
        return type(value)(map(_told, value))
    return as_array(value)


class NumpyModule(types.ModuleType):
    """A module of NumPy's, such as numpy.linalg, with CuPy's results."""

    def __init__(self, module, name):
        super().__init__(name)
        self._module = module

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._module, name)
        if isinstance(found, types.ModuleType):
            return NumpyModule(found, f"{self.__name__}.{name}")
        return _with_results(found)

    def __dir__(self):
        return dir(self._module)


def from_numpy(name):
    """What cupy calls ``name``, from NumPy. Raises AttributeError when NumPy has no such name."""
    return _with_results(getattr(np, name))


class _Indexed:
    """numpy.mgrid and its like, which make arrays of what they are indexed with."""

    def __init__(self, maker):
        self._maker = maker

    def __getitem__(self, key):
        return perform(lambda: self._maker[host_values(key)])


@functools.cache
def _function(found):
    """The Function of one of NumPy's: the same one each time, since programs compare functions."""
    return Function(found)


def _with_results(found):
    if callable(found) and not isinstance(found, type):
        return _function(found)
    return _Indexed(found) if found in (np.mgrid, np.ogrid, np.r_, np.c_) else found


def asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    """``a`` as an array; itself when it is one already."""
    if copy:
        return array(a, dtype, order=order or "K")
    a = as_array(a)
    if isinstance(a, ndarray):
        keeps = order in (None, "K", "A") or getattr(a.flags, f"{order.lower()}_contiguous")
        if keeps and dtype in (None, a.dtype):
            return a
    return perform(lambda: np.asarray(host_values(a), dtype, order=order))


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False):
    """A new array with the values of ``obj``."""
    obj = as_array(obj)

    def values():
        made = np.asarray(host_values(obj), dtype, order=order)
        return made.reshape((1,) * max(ndmin - made.ndim, 0) + made.shape)

    return run_in_order(values, False, copied if copy else device_values)


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """A NumPy array with the values of an array, or of what NumPy makes one of."""
    a = as_array(a)
    if isinstance(a, ndarray):
        return a.get(stream, order, out)
    if out is not None:
        np.copyto(out, np.asarray(a))
        return out
    return np.asarray(a, order=order)
