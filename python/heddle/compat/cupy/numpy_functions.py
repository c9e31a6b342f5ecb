"""NumPy's functions under CuPy's names: what they return are CuPy's arrays."""

import functools
import types

import numpy as np

from heddle.compat.cupy.arrays import (
    copied,
    cupys_computing,
    device_values,
    host_values,
    ndarray,
    over,
)
from heddle.compat.cupy.graphs import perform, writes_to_argument
from heddle.cuda.native_devices import is_gpu_in_process

# These return a Python bool in NumPy and an array of no dimensions in CuPy.
_PREDICATES = ("allclose", "array_equal", "array_equiv")


class Function:
    """A function of NumPy's, or a ufunc, whose results are CuPy's arrays."""

    def __init__(self, function):
        functools.update_wrapper(self, function, updated=())
        self._function = function

    def __call__(self, *args, **keywords):
        out = keywords.get("out")
        keywords = {name: host_values(value) for name, value in keywords.items()}

        def compute():
            with cupys_computing():
                result = self._function(*host_values(args), **keywords)
            return device_values(np.bool_(result) if self.__name__ in _PREDICATES else result)

        writes = writes_to_argument(self._function, args, keywords)
        result = perform(compute, writes)
        if isinstance(out, ndarray):
            return out
        return (
            args[-1]
            if writes and result is None and isinstance(self._function, np.ufunc)
            else result
        )

    def __getattr__(self, name):
        """A ufunc's at, reduce, accumulate, outer; its nin, nout, types."""
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._function, name)
        return Function(found) if callable(found) else found

    def __repr__(self):
        return f"<cupy function {self.__name__}>"


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
        return device_values(self._maker[host_values(key)])


@functools.cache
def _function(found):
    """The Function of one of NumPy's: the same one each time, since programs compare functions."""
    return Function(found)


def _with_results(found):
    if callable(found) and not isinstance(found, type):
        return _function(found)
    return _Indexed(found) if found in (np.mgrid, np.ogrid, np.r_, np.c_) else found


class _OverInterface:
    """What NumPy makes an array of that lies where an object's ``__cuda_array_interface__`` says."""

    def __init__(self, shared):
        self._shared = shared  # keeps the memory
        self.__array_interface__ = dict(shared.__cuda_array_interface__)


def _shared(value):
    """The array that an object's ``__cuda_array_interface__`` tells of: on this device its memory is the host's. None
    for an object without one."""
    is_told = hasattr(value, "__cuda_array_interface__") and not isinstance(value, ndarray)
    if not is_told or is_gpu_in_process():
        return None
    return over(np.asarray(_OverInterface(value)))


def asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    """``a`` as an array; itself when it is one already."""
    if copy:
        return array(a, dtype, order=order or "K")
    shared = _shared(a)
    if shared is not None:
        return device_values(np.asanyarray(shared, dtype, order=order))
    a = a if isinstance(a, ndarray) else host_values(a)
    return device_values(np.asanyarray(a, dtype, order=order))


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False):
    """A new array with the values of ``obj``."""
    shared = _shared(obj)
    values = np.asarray(host_values(obj if shared is None else shared), dtype, order=order)
    values = values.reshape((1,) * max(ndmin - values.ndim, 0) + values.shape)
    return copied(values) if copy else device_values(values)


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """A NumPy array with the values of an array, or of what NumPy makes one of."""
    if isinstance(a, ndarray):
        return a.get(stream, order, out)
    if out is not None:
        np.copyto(out, np.asarray(a))
        return out
    return np.asarray(a, order=order)
