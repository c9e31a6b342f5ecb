"""NumPy functions under CuPy's names; they return CuPy arrays."""

import functools
import types

import numpy as np

from heddle.compat.cupy.array_kinds import wrap_if_device_memory
from heddle.compat.cupy.arrays import (
    call_numpy,
    copy_to_device,
    ndarray,
    run_numpy_work,
    to_cupy_arrays,
)
from heddle.compat.cupy.host_access import run_in_stream_order, to_numpy_views, writes_to_argument

# These return a Python bool in NumPy and a 0-dimensional array in CuPy.
_PREDICATES = ("allclose", "array_equal", "array_equiv")


class Function:
    """A NumPy function or ufunc that takes and returns CuPy arrays."""

    def __init__(self, function):
        functools.update_wrapper(self, function, updated=())
        self._function = function

    def __call__(self, *args, **keywords):
        args = [_wrap_nested_device_memory(value) for value in args]
        keywords = {name: _wrap_nested_device_memory(value) for name, value in keywords.items()}
        if self.__name__ in _PREDICATES:
            return call_numpy(self._call_predicate, args, keywords)
        result = call_numpy(self._function, args, keywords)
        writes = writes_to_argument(self._function, args, keywords)
        # A ufunc returns the output array, even if that was a positional argument.
        return (
            args[-1]
            if writes and isinstance(self._function, np.ufunc) and len(args) > self.nin
            else result
        )

    def _call_predicate(self, *args, **keywords):
        return np.bool_(self._function(*args, **keywords))

    def __getattr__(self, name):
        """The ufunc's attributes: its methods at, reduce, accumulate and outer, its nin, nout and types."""
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._function, name)
        return Function(found) if callable(found) else found

    def __repr__(self):
        return f"<cupy function {self.__name__}>"


def _wrap_nested_device_memory(value):
    """Replaces every object in ``value`` that offers its memory to CuPy, even inside lists, by a CuPy array."""
    if type(value) in (list, tuple):
        return type(value)(map(_wrap_nested_device_memory, value))
    return wrap_if_device_memory(value)


class NumpyModule(types.ModuleType):
    """A NumPy module, such as numpy.linalg, whose functions return CuPy arrays."""

    def __init__(self, module, name):
        super().__init__(name)
        self._module = module

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._module, name)
        if isinstance(found, types.ModuleType):
            return NumpyModule(found, f"{self.__name__}.{name}")
        return _wrap_numpy_object(found)

    def __dir__(self):
        return dir(self._module)


def wrap_numpy_attribute(name):
    """NumPy's ``name``, adapted to return CuPy arrays. Raises AttributeError if NumPy has no such name."""
    return _wrap_numpy_object(getattr(np, name))


class _Indexed:
    """numpy.mgrid and similar objects, which create arrays from the index expression."""

    def __init__(self, maker):
        self._maker = maker

    def __getitem__(self, key):
        return run_numpy_work(lambda: self._maker[to_numpy_views(key)])


@functools.cache
def _wrap_function(found):
    """The Function for a NumPy function; always the same object, since programs compare functions."""
    return Function(found)


def _wrap_numpy_object(found):
    if callable(found) and not isinstance(found, type):
        return _wrap_function(found)
    return _Indexed(found) if found in (np.mgrid, np.ogrid, np.r_, np.c_) else found


def asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    """``a`` as an array; ``a`` itself if it is a suitable array already."""
    if copy:
        return array(a, dtype, order=order or "K")
    a = wrap_if_device_memory(a)
    if isinstance(a, ndarray):
        keeps = order in (None, "K", "A") or getattr(a.flags, f"{order.lower()}_contiguous")
        if keeps and (dtype is None or dtype == a.dtype):
            return a
    return run_numpy_work(lambda: np.asarray(to_numpy_views(a), dtype, order=order))


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False):
    """A new array with the values of ``obj``."""
    obj = wrap_if_device_memory(obj)

    def make_numpy_array():
        made = np.asarray(to_numpy_views(obj), dtype, order=order)
        return made.reshape((1,) * max(ndmin - made.ndim, 0) + made.shape)

    return run_in_stream_order(make_numpy_array, False, copy_to_device if copy else to_cupy_arrays)


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """A NumPy array with the values of an array or of anything that NumPy converts to one."""
    a = wrap_if_device_memory(a)
    if isinstance(a, ndarray):
        return a.get(stream, order, out)
    if out is not None:
        np.copyto(out, np.asarray(a))
        return out
    return np.asarray(a, order=order)
