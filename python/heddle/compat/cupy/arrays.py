"""cupy.ndarray on the CPU device: an array in device memory, with CuPy's methods and results.

Kernels take it as any device array: in place, in the order of their stream. NumPy does the rest of the work, on
``array._window()``, a NumPy array over the same memory, through ``perform``. Results are copied to memory of CuPy's
allocator, unless they are views of device memory. As in CuPy, an element and a sum over everything are arrays of no
dimensions, and arithmetic never warns.
"""

import contextlib
import math
import operator

import numpy as np

from heddle import _heddle
from heddle.compat.cupy.devices import Device
from heddle.compat.cupy.dlpack_capsules import Capsule
from heddle.compat.cupy.host_access import (
    current_stream,
    host_values,
    run_in_order,
    wait_for_values,
    writes_to_argument,
)
from heddle.compat.cupy.memory import OutOfMemoryError, alloc
from heddle.compat.cupy.pools.memory_pointers import BaseMemory, MemoryPointer
from heddle.compat.cupy.streams import get_current_stream
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.host_memory import (
    SHARED_KINDS,
    Window,
    export_window,
    find_window,
    wrap_foreign_memory,
)
from heddle.cuda.layout import address_of, byte_span, contiguous_strides, reshape_without_copy
from heddle.cuda.native_devices import current_native, refuse_to_share_with_gpus
from heddle.cuda.streams import native_stream


class ndarray(_heddle.DeviceArrayBase, np.lib.mixins.NDArrayOperatorsMixin):
    """An array on the current device.

    memptr: the memory that it looks at; new memory, not initialised, when None. strides: bytes per step of each axis.
    """

    __module__ = "cupy"
    base = None  # the array that this one is a view of
    _seen = None  # the window, once it has been made

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order="C"):
        dtype = native_order(np.dtype(dtype))
        shape = tuple(map(int, shape)) if hasattr(shape, "__iter__") else (int(shape),)
        if strides is None:
            strides = contiguous_strides(shape, dtype.itemsize, order or "C")
        nbytes = math.prod(shape) * dtype.itemsize
        if memptr is None and not nbytes:
            self._set(current_native(), 0, shape, strides, dtype, False, None)
            return
        memptr = alloc(nbytes) if memptr is None else memptr
        if not memptr.mem.native.uses_host_memory:
            raise TypeError(
                f"arrays of the CPU device take memory that the host reaches, not memory of {memptr.mem.native.name}\n"
                "  hint: choose the device before CuPy is imported"
            )
        low, high = byte_span(shape, strides, dtype.itemsize)
        if low < 0 or high > memptr.size:
            raise ValueError(
                f"an array of shape {shape} and dtype {dtype} does not fit into the memory's {memptr.size} bytes"
            )
        self._set(memptr.mem.native, memptr.ptr, shape, strides, dtype, False, memptr.mem)

    def _set(self, device, address, shape, strides, dtype, readonly, owner):
        if dtype.hasobject:
            raise ValueError(f"Unsupported dtype {dtype}")
        typestr = "|V1" if dtype.str == "<f1" else dtype.str  # NumPy itself has no floats of 8 bits
        element = element_type(dtype) if typestr[1] in "VMm" else None
        super().__init__(device, address, shape, strides, typestr, readonly, owner, element)
        self.follows_array_stream = True
        self._dtype = dtype

    @classmethod
    def _over(cls, device, seen, owner, readonly=None):
        """An array over the memory that a NumPy array looks at."""
        array = cls.__new__(cls)
        readonly = not seen.flags.writeable if readonly is None else readonly
        array._set(device, address_of(seen), seen.shape, seen.strides, seen.dtype, readonly, owner)
        return array

    def _view(self, seen, cls=None):
        """An array over the part of this one that a NumPy array looks at; of this one's class when ``cls`` is None."""
        cls = type(self) if cls is None else cls
        view = cls._over(super().device, seen, self.owner, self.readonly)
        view.base = self if self.base is None else self.base
        if cls is not ndarray:
            view.__array_finalize__(self)
        return view

    def __array_finalize__(self, obj):
        """Called for a view whose class derives from this one. obj: the array that it is a view of."""

    def _window(self):
        """This array as NumPy sees it. Its values are read and written through ``perform``."""
        if self._seen is None:
            self._seen = self._new_window()
        return self._seen

    def _new_window(self):
        window = Window(
            super().device,
            self.address,
            super().shape,
            self.strides,
            self.typestr,
            self.readonly,
            self.owner,
        )
        return window.array(self._dtype)

    def _values(self, what):
        """The same, when its values can be read. what: the call that reads them."""
        wait_for_values(what)
        return self._window()

    # The layout.

    @property
    def dtype(self):
        return self._dtype

    @property
    def shape(self):
        return super().shape

    @shape.setter
    def shape(self, shape):
        seen = self._new_window()
        seen.shape = shape
        element = element_type(self._dtype) if self.typestr[1] in "VMm" else None
        self.change_layout(seen.shape, seen.strides, self.typestr, element)
        self._seen = None

    @property
    def flags(self):
        return self._window().flags

    @property
    def ctypes(self):
        return self._window().ctypes

    @property
    def device(self):
        return Device()

    @property
    def data(self):
        """The memory of the first element, a MemoryPointer."""
        if isinstance(self.owner, BaseMemory):
            return MemoryPointer(self.owner, self.address - self.owner.ptr)
        _, high = byte_span(self.shape, self.strides, self.itemsize)
        return MemoryPointer.over(self.address, high, self)

    # Views, which no work has to be waited for.

    @property
    def T(self):
        return self.transpose()

    def view(self, dtype=None, type=None):
        """The same memory with another dtype, or as another class of arrays."""
        if isinstance(dtype, builtin_type) and issubclass(dtype, ndarray):
            dtype, type = None, dtype
        seen = self._window()
        return self._view(seen if dtype is None else seen.view(dtype), type)

    def reshape(self, *shape, order="C"):
        """A view with another shape; a copy where only a copy can have it."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        try:
            return self._view(reshape_without_copy(self._window(), tuple(shape), order))
        except NotImplementedError:
            return perform(lambda: self._window().reshape(shape, order=order))

    def ravel(self, order="C"):
        """The elements in one axis: a view where that needs no copy."""
        if order == "C" and self.is_c_contiguous():
            return self.reshape(-1)
        return perform(lambda: self._window().ravel(order))

    def is_c_contiguous(self):
        return self.flags.c_contiguous

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
        return self._view(np.lib.stride_tricks.as_strided(self._window(), lengths, steps))

    # Elements.

    def __getitem__(self, key):
        if _is_basic(key):
            key = key if isinstance(key, tuple) else (key,)
            seen = self._window()
            if isinstance(key[0], str):  # a field of a structured dtype
                return self._view(seen[key[0]])
            # Not the element but a view of it: programs write through it.
            return self._view(seen[key if Ellipsis in key else (*key, Ellipsis)])
        return perform(lambda: self._window()[host_values(key)])

    def __setitem__(self, key, value):
        perform(
            lambda: self._window().__setitem__(host_values(key), host_values(value)), writes=True
        )

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        if not self.ndim:
            raise TypeError("an array of no dimensions has no elements to iterate over")
        return (self[i] for i in range(len(self)))

    @property
    def flat(self):
        return FlatIterator(self)

    @flat.setter
    def flat(self, value):
        self.flat[:] = value

    def scatter_add(self, slices, value):
        self._scatter(np.add, slices, value)

    def scatter_max(self, slices, value):
        self._scatter(np.maximum, slices, value)

    def scatter_min(self, slices, value):
        self._scatter(np.minimum, slices, value)

    def _scatter(self, ufunc, slices, value):
        perform(
            lambda: ufunc.at(self._window(), host_values(slices), host_values(value)), writes=True
        )

    # Parts of complex numbers: views of them, as NumPy's are.

    @property
    def real(self):
        return perform(lambda: self._window().real) if self._dtype.kind == "c" else self

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        return perform(lambda: self._window().imag)

    @imag.setter
    def imag(self, value):
        self.imag[...] = value

    # Copies from and to the host.

    def get(self, stream=None, order="C", out=None, blocking=True):
        """A NumPy array with the values. out: a NumPy array to copy them to. stream: the current one when None."""
        wait_for_values("get()", None if stream is None else native_stream(stream))
        if out is None:
            return np.array(self._window(), order=order)
        np.copyto(out, self._window(), casting="no")
        return out

    def set(self, arr, stream=None):
        """Copy a NumPy array's values here; dtype and shape are this array's."""
        arr = np.asarray(arr)
        if arr.dtype != self.dtype or arr.shape != self.shape:
            raise ValueError(
                f"set() takes an array of {self.dtype} with shape {self.shape}, not of {arr.dtype} with {arr.shape}"
            )
        stream = None if stream is None else native_stream(stream)
        run_in_order(lambda: np.copyto(self._window(), arr), True, device_values, stream)

    def astype(self, dtype, order="K", casting="unsafe", subok=None, copy=True):
        """The values as numbers of another dtype; this array itself with ``copy=False`` where it has that dtype."""
        if not copy and np.dtype(dtype) == self._dtype and order in "KA":
            return self
        return perform(lambda: self._window().astype(dtype, order, casting))

    def ptp(self, axis=None, out=None, keepdims=False):
        return np.ptp(self, axis=axis, out=out, keepdims=keepdims)

    # Other libraries.

    @property
    def __heddle_device_array__(self):
        """This array as heddle's over the same memory, in the order of the default stream after the current one."""
        stream = current_stream()
        is_default = stream.native_handle == stream.device.default_stream.native_handle
        if not (is_default or stream.capturing):
            stream.synchronize()
        return DeviceNDArray._over(super().device, self._window(), self.owner)

    @property
    def __cuda_array_interface__(self):
        """As of other arrays of the CPU device; raises AttributeError in a process that has a GPU."""
        refuse_to_share_with_gpus()
        return {
            "version": 3,
            "data": (self.address if self.size else 0, self.readonly),
            "shape": self.shape,
            "strides": None if self.is_c_contiguous() else self.strides,
            "typestr": self.typestr,
            "descr": self._dtype.descr,
            "stream": get_current_stream().ptr or 1,
        }

    def __array__(self, dtype=None, copy=None):
        self.raise_dropped_error()
        values = self._values("numpy.array()")
        if copy is False:
            return export_window(self).__array__(dtype)
        return np.array(values, dtype)

    def __dlpack__(self, *, stream=None, **keywords):
        self._values("__dlpack__()")
        return export_window(self).__dlpack__(**keywords)

    def __dlpack_device__(self):
        return 1, 0  # kDLCPU

    def toDlpack(self):
        """The array as a capsule of DLPack, for ``fromDlpack()``."""
        return Capsule(self)

    def __reduce__(self):
        # By the values: the class has the name that it has under ``heddle run`` only.
        return copied, (self.get(order="A"),)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    # NumPy's functions.

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **keywords):
        def compute():
            options = {name: host_values(value) for name, value in keywords.items()}
            if out:
                options["out"] = host_values(out)
            return getattr(ufunc, method)(*host_values(inputs), **options)

        result = perform(compute, writes=bool(out) or method == "at")
        if out:
            return out[0] if len(out) == 1 else out
        return result

    def __array_function__(self, function, types, args, keywords):
        return call(function, args, keywords)

    __hash__ = None


builtin_type = type


def native_order(dtype):
    """The dtype with this machine's byte order, which all CuPy arrays have."""
    return dtype if dtype.isnative else dtype.newbyteorder("=")


class FlatIterator:
    """``array.flat``: the elements in the order of C."""

    def __init__(self, base):
        self.base = base

    def __getitem__(self, key):
        return perform(lambda: self.base._window().flat[host_values(key)])

    def __setitem__(self, key, value):
        perform(
            lambda: self.base._window().flat.__setitem__(host_values(key), host_values(value)),
            writes=True,
        )

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return (self[i] for i in range(len(self)))


def perform(compute, writes=False):
    """``compute()``, work of NumPy's on windows, in the order of the current stream, with CuPy's arrays as results."""

    def work():
        with cupys_computing():
            return compute()

    return run_in_order(work, writes, device_values)


def call(function, args, keywords):
    """A function of NumPy's on arrays of CuPy's."""

    def compute():
        options = {name: host_values(value) for name, value in keywords.items()}
        return function(*host_values(args), **options)

    out = keywords.get("out")
    result = perform(compute, writes_to_argument(function, args, keywords))
    return result if out is None else out


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
        window = find_window(value)
        if window is None or window.kind not in SHARED_KINDS:
            return copied(value)
        return ndarray._over(window.device, value, window.owner)
    if isinstance(value, np.generic):
        return copied(np.asarray(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(device_values, value))
    if isinstance(value, (tuple, list)):
        return type(value)(device_values(item) for item in value)
    return value


def host_copy(value):
    """``value`` with copies on the host in the place of CuPy's arrays."""
    if isinstance(value, ndarray):
        return value.get(order="A")
    if type(value) in (tuple, list):
        return type(value)(host_copy(item) for item in value)
    return value


def over(values):
    """An array of CuPy's over the memory of one of NumPy's, which others can read."""
    return ndarray._over(current_native(), values, wrap_foreign_memory(values))


def over_device_array(array):
    """An array of CuPy's over the memory of one of heddle's device arrays."""
    return ndarray._over(array.device, array._window(), array.owner)


def copied(values):
    """The values of an array of NumPy's in memory of CuPy's allocator, in the same order, with native bytes."""
    strides = values.strides if values.flags.forc else np.empty_like(values, subok=False).strides
    copy = ndarray(values.shape, values.dtype, strides=strides)
    np.copyto(copy._window(), values)
    return copy


def element_type(dtype):
    """The type that a kernel has for elements of a dtype; None when it has none."""
    try:
        return _heddle.dtype_type(dtype)
    except TypeError:
        return None


def _is_basic(key):
    """Whether indexing with the key makes a view."""
    return all(map(_is_basic_part, key)) if isinstance(key, tuple) else _is_basic_part(key)


def _is_basic_part(part):
    if part is None or part is Ellipsis or isinstance(part, (slice, str)):
        return True
    if isinstance(part, (bool, np.bool_, np.ndarray, list, _heddle.DeviceArrayBase)):
        return False
    try:
        operator.index(part)
    except TypeError:
        return False
    return True


# The other methods are NumPy's. None of them is written twice: a name is in one of three groups.
_READING = {"item", "tobytes", "tofile", "tolist", "dump", "dumps"}
_READING |= {"__bool__", "__complex__", "__contains__", "__float__", "__format__", "__index__"}
_READING |= {"__int__", "__repr__", "__str__"}
_WRITING = {"fill", "itemset", "partition", "put", "sort"}
_VIEWING = {"diagonal", "squeeze", "swapaxes", "transpose"}
_NOT_CUPYS = {"getfield", "newbyteorder", "resize", "setfield", "setflags", "tostring"}


def _named(name, call):
    call.__name__ = name
    call.__doc__ = f"As numpy.ndarray.{name}."
    return call


def _reading(name):
    return _named(
        name, lambda self, *args: getattr(self._values(f"{name}()"), name)(*host_values(args))
    )


def _viewing(name):
    return _named(
        name,
        lambda self, *args, **keywords: self._view(
            getattr(self._window(), name)(*args, **keywords)
        ),
    )


def _computing(name, writes):
    def compute(self, *args, **keywords):
        out = keywords.get("out")

        def work():
            options = {key: host_values(value) for key, value in keywords.items()}
            return getattr(self._window(), name)(*host_values(args), **options)

        result = perform(work, writes or out is not None)
        return result if out is None else out

    return _named(name, compute)


def _add_numpys_methods():
    names = {name for name in dir(np.ndarray) if callable(getattr(np.ndarray, name))}
    public = {name for name in names if not name.startswith("_")}
    for name in (public | _READING) & names - _NOT_CUPYS:
        if name in vars(ndarray):
            continue
        if name in _READING:
            method = _reading(name)
        elif name in _VIEWING:
            method = _viewing(name)
        else:
            method = _computing(name, name in _WRITING)
        setattr(ndarray, name, method)


_add_numpys_methods()
