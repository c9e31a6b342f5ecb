"""cupy.ndarray on the CPU device: NumPy's array underneath, CuPy's methods and results on top.

What differs from NumPy is what CuPy does otherwise: an element and a sum over everything are arrays of no dimensions,
``get()`` copies to NumPy, ``data`` is a MemoryPointer, and arithmetic never warns. The memory comes from CuPy's
allocator: what a function of NumPy returns is copied there, unless it looks at such memory already.
"""

import contextlib
import math

import numpy as np

from heddle.compat.cupy.devices import Device
from heddle.compat.cupy.dlpack_capsules import Capsule
from heddle.compat.cupy.graphs import perform, require_no_capture, writes_to_argument
from heddle.compat.cupy.memory import OutOfMemoryError, alloc
from heddle.compat.cupy.pools.memory_pointers import BaseMemory, MemoryPointer
from heddle.cuda.host_memory import Window, window_of
from heddle.cuda.layout import byte_span, contiguous_strides
from heddle.cuda.native_devices import current_native, refuse_to_share_with_gpus

# Methods whose results NumPy makes without asking the class.
_METHODS = [
    "all",
    "any",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "astype",
    "choose",
    "clip",
    "compress",
    "conj",
    "conjugate",
    "copy",
    "cumprod",
    "cumsum",
    "diagonal",
    "dot",
    "flatten",
    "max",
    "mean",
    "min",
    "nonzero",
    "prod",
    "ravel",
    "repeat",
    "reshape",
    "round",
    "searchsorted",
    "std",
    "sum",
    "take",
    "trace",
    "var",
]


class ndarray(np.ndarray):
    """An array on the current device.

    memptr: the memory that it looks at; new memory, not initialised, when None. strides: bytes per step of each axis.
    """

    __module__ = "cupy"

    def __new__(cls, shape, dtype=float, memptr=None, strides=None, order="C"):
        dtype = np.dtype(dtype)
        shape = tuple(map(int, shape)) if hasattr(shape, "__iter__") else (int(shape),)
        nbytes = math.prod(shape) * dtype.itemsize
        if dtype.hasobject or (memptr is None and not nbytes):
            return super().__new__(cls, shape, dtype, strides=strides, order=order or "C")
        if strides is None and order == "F":
            strides = contiguous_strides(shape[::-1], dtype.itemsize)[::-1]
        fits = memptr is None and strides is None
        memptr = alloc(nbytes) if memptr is None else memptr
        if not memptr.mem.native.uses_host_memory:
            raise TypeError(
                f"arrays of the CPU device take memory that the host reaches, not memory of {memptr.mem.native.name}\n"
                "  hint: choose the device before CuPy is imported"
            )
        if not fits:
            _check_that_it_fits(shape, strides, dtype, memptr)
        window = Window(memptr.mem.native, memptr.ptr, shape, strides, dtype.str, False, memptr.mem)
        return window.array(dtype).view(cls)

    def get(self, stream=None, order="C", out=None, blocking=True):
        """A NumPy array with the values. out: a NumPy array to copy them to."""
        require_no_capture("get()")
        if out is None:
            return np.array(self, order=order, subok=False)
        np.copyto(out, self, casting="no")
        return out

    def set(self, arr, stream=None):
        """Copy a NumPy array's values here; dtype and shape are this array's."""
        arr = np.asarray(arr)
        if arr.dtype != self.dtype or arr.shape != self.shape:
            raise ValueError(
                f"set() takes an array of {self.dtype} with shape {self.shape}, not of {arr.dtype} with {arr.shape}"
            )
        perform(lambda: np.copyto(np.asarray(self), arr), writes=True)

    @property
    def device(self):
        return Device()

    @property
    def data(self):
        """The memory of the first element, a MemoryPointer."""
        address = self.__array_interface__["data"][0]
        window = window_of(self)
        if window is not None and isinstance(window.owner, BaseMemory):
            return MemoryPointer(window.owner, address - window.owner.ptr)
        _, high = byte_span(self.shape, self.strides, self.itemsize)
        return MemoryPointer.over(address, high, self)

    @property
    def __cuda_array_interface__(self):
        """As of other arrays of the CPU device; raises AttributeError in a process that has a GPU."""
        refuse_to_share_with_gpus()
        interface = self.__array_interface__
        address, readonly = interface["data"]
        return {
            **interface,
            "version": 3,
            "data": (address if self.size else 0, readonly),
            "stream": None,
        }

    def toDlpack(self):
        """The array as a capsule of DLPack, for ``fromDlpack()``."""
        return Capsule(self)

    def scatter_add(self, slices, value):
        self._scatter(np.add, slices, value)

    def scatter_max(self, slices, value):
        self._scatter(np.maximum, slices, value)

    def scatter_min(self, slices, value):
        self._scatter(np.minimum, slices, value)

    def _scatter(self, ufunc, slices, value):
        perform(
            lambda: ufunc.at(np.asarray(self), host_values(slices), host_values(value)),
            writes=True,
        )

    def reduced_view(self, dtype=None):
        """The same elements with as few axes as it takes to tell where they lie."""
        lengths, steps = [], []
        for length, step in zip(self.shape, self.strides, strict=True):
            if length == 1:
                continue
            if lengths and steps[-1] == length * step:
                lengths[-1] *= length
                steps[-1] = step
            else:
                lengths.append(length)
                steps.append(step)
        if not self.size or not lengths:
            return self.reshape(self.size)
        return np.lib.stride_tricks.as_strided(self, lengths, steps, subok=True)

    def ptp(self, axis=None, out=None, keepdims=False):
        return np.ptp(self, axis=axis, out=out, keepdims=keepdims)

    def __setitem__(self, key, value):
        perform(lambda: super(ndarray, self).__setitem__(key, value), writes=True)

    def __getitem__(self, key):
        return perform(lambda: self._element(key), writes=False)

    def _element(self, key):
        found = super().__getitem__(key)
        if isinstance(found, np.generic):
            # Not the element but a view of it: programs write through it.
            key = key if isinstance(key, tuple) else (key,)
            found = super().__getitem__((*key, Ellipsis))
        return device_values(found)

    def __iter__(self):
        if not self.ndim:
            raise TypeError("an array of no dimensions has no elements to iterate over")
        return (self[i] for i in range(len(self)))

    def __reduce__(self):
        # By the values: the class has the name that it has under ``heddle run`` only.
        return _from_host, (self.get(order="A"),)

    def __str__(self):
        return str(self.view(np.ndarray))

    def __repr__(self):
        return repr(self.view(np.ndarray))

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **keywords):
        keywords = {name: host_values(value) for name, value in keywords.items()}
        if out:
            keywords["out"] = host_values(out)

        def compute():
            with cupys_computing():
                return device_values(getattr(ufunc, method)(*host_values(inputs), **keywords))

        result = perform(compute, writes=bool(out) or method == "at")
        if out:
            return out[0] if len(out) == 1 else out
        return result

    def __array_function__(self, function, types, args, keywords):
        def compute():
            with cupys_computing():
                return device_values(
                    super(ndarray, self).__array_function__(function, types, args, keywords)
                )

        result = perform(compute, writes_to_argument(function, args, keywords))
        return keywords.get("out") if result is None else result


def _from_host(values):
    return values.view(ndarray)


def _array_method(name):
    method = getattr(np.ndarray, name)

    def compute(self, args, keywords):
        with cupys_computing():
            return device_values(method(self, *args, **keywords))

    def call(self, *args, **keywords):
        out = keywords.get("out")
        result = perform(lambda: compute(self, args, keywords), writes=out is not None)
        return out if result is None else result

    call.__name__ = name
    call.__doc__ = f"As numpy.ndarray.{name}; the result is an array in any case."
    return call


for _name in _METHODS:
    setattr(ndarray, _name, _array_method(_name))


def _writing_method(name):
    method = getattr(np.ndarray, name)

    def call(self, *args, **keywords):
        perform(lambda: method(self, *args, **keywords), writes=True)

    call.__name__ = name
    call.__doc__ = f"As numpy.ndarray.{name}."
    return call


for _name in ("fill", "itemset", "partition", "put", "sort"):
    if hasattr(np.ndarray, _name):  # NumPy 2 has no itemset
        setattr(ndarray, _name, _writing_method(_name))


def _reading_method(name):
    method = getattr(np.ndarray, name)

    def call(self, *args):
        require_no_capture(f"{name}()")
        return method(self, *args)

    call.__name__ = name
    call.__doc__ = f"As numpy.ndarray.{name}."
    return call


for _name in ("item", "tolist", "tobytes", "__bool__", "__complex__", "__float__", "__int__"):
    setattr(ndarray, _name, _reading_method(_name))


def _check_that_it_fits(shape, strides, dtype, memory):
    low, high = byte_span(
        shape, strides or contiguous_strides(shape, dtype.itemsize), dtype.itemsize
    )
    if low < 0 or high > memory.size:
        raise ValueError(
            f"an array of shape {shape} and dtype {dtype} does not fit into the memory's {memory.size} bytes"
        )


@contextlib.contextmanager
def cupys_computing():
    """Context manager in which NumPy computes as CuPy does: arithmetic never warns, not even of a division by zero, and
    there is one exception for too little memory."""
    try:
        with np.errstate(all="ignore"):
            yield
    except MemoryError as error:
        shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
        if shape is None or dtype is None:
            raise
        raise OutOfMemoryError(int(np.prod(shape, dtype=object)) * dtype.itemsize, -1) from None


def device_values(value):
    """A result of NumPy's as CuPy gives it: arrays and numbers as cupy.ndarray, in tuples and lists, too."""
    if isinstance(value, np.ndarray):
        if window_of(value) is None:
            return copied(value)
        return value if isinstance(value, ndarray) else value.view(ndarray)
    if isinstance(value, np.generic):
        return copied(np.asarray(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(device_values, value))
    if isinstance(value, (tuple, list)):
        return type(value)(device_values(item) for item in value)
    return value


def over(values):
    """An array of CuPy's over the memory of one of NumPy's."""
    address, readonly = values.__array_interface__["data"]
    window = Window(
        current_native(), address, values.shape, values.strides, values.dtype.str, readonly, values
    )
    return window.array(values.dtype).view(ndarray)


def copied(values):
    """The values of an array of NumPy's in memory of CuPy's allocator, in the same order."""
    if values.dtype.hasobject or not values.nbytes:
        return values.view(ndarray)
    strides = values.strides if values.flags.forc else np.empty_like(values, subok=False).strides
    copy = ndarray(values.shape, values.dtype, strides=strides)
    np.copyto(copy.view(np.ndarray), values.view(np.ndarray))
    return copy


def host_values(value):
    """``value`` with NumPy's arrays in the place of CuPy's; without a copy."""
    if isinstance(value, ndarray):
        return value.view(np.ndarray)
    if type(value) in (tuple, list):
        return type(value)(host_values(item) for item in value)
    return value
