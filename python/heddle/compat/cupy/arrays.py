"""cupy.ndarray on the CPU device: an array in device memory, with CuPy's methods and results.

Kernels take it like any device array: without a copy, in stream order. NumPy does all other work on
``array._get_numpy_view()``, a NumPy array over the same memory, called through ``run_numpy_work``. Results are copied
to memory from CuPy's allocator unless they are views of device memory. As in CuPy, an element and a full sum are
0-dimensional arrays, and arithmetic never warns.
"""

import contextlib
import math

import numpy as np

from heddle import _heddle
from heddle.compat.cupy.devices import Device
from heddle.compat.cupy.dlpack_capsules import Capsule
from heddle.compat.cupy.host_access import (
    get_native_array_stream,
    run_in_stream_order,
    to_numpy_views,
    wait_for_values,
    writes_to_argument,
)
from heddle.compat.cupy.memory import OutOfMemoryError, alloc
from heddle.compat.cupy.pools.memory_pointers import BaseMemory, MemoryPointer
from heddle.compat.cupy.streams import get_current_stream
from heddle.cuda.array_exchange import make_cuda_array_interface
from heddle.cuda.array_indexing import is_basic_index_part
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.host_memory import (
    SHARED_KINDS,
    Window,
    export_as_numpy_array,
    find_window,
    make_owner_of_foreign_memory,
    record_host_write_for_check,
    record_stream_access_for_check,
)
from heddle.cuda.layout import address_of, contiguous_strides, reshape_without_copy
from heddle.cuda.native_devices import current_native, refuse_sharing_if_has_gpu
from heddle.cuda.streams import to_native_stream
from heddle.support.byte_span import byte_span


class ndarray(_heddle.DeviceArrayBase, np.lib.mixins.NDArrayOperatorsMixin):
    """An array on the current device.

    memptr: the memory to use; None allocates new, uninitialized memory. strides: bytes between elements, per axis.
    """

    __module__ = "cupy"
    base = None  # the array that this one is a view of
    _seen = None  # the result of _get_numpy_view(), cached

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order="C"):
        dtype = to_native_order(np.dtype(dtype))
        shape = tuple(map(int, shape)) if hasattr(shape, "__iter__") else (int(shape),)
        if strides is None:
            strides = contiguous_strides(shape, dtype.itemsize, (order or "C").upper())
        nbytes = math.prod(shape) * dtype.itemsize
        if memptr is None and not nbytes:
            self._set_fields(current_native(), 0, shape, strides, dtype, False, None)
            return
        memptr = alloc(nbytes) if memptr is None else memptr
        if not memptr.mem.native.uses_host_memory:
            raise TypeError(
                "arrays of the CPU device need memory that the host can access, not memory of "
                f"{memptr.mem.native.name}\n"
                "  hint: choose the device before CuPy is imported"
            )
        low, high = byte_span(shape, strides, dtype.itemsize)
        if low < 0 or high > memptr.size:
            raise ValueError(
                f"an array of shape {shape} and dtype {dtype} does not fit into the memory's {memptr.size} bytes"
            )
        self._set_fields(memptr.mem.native, memptr.ptr, shape, strides, dtype, False, memptr.mem)

    def _set_fields(self, device, address, shape, strides, dtype, readonly, owner):
        if dtype.hasobject:
            raise ValueError(f"Unsupported dtype {dtype}")
        typestr = "|V1" if dtype.str == "<f1" else dtype.str  # NumPy has no 8-bit floats
        element = find_element_type(dtype) if typestr[1] in "VMm" else None
        super().__init__(device, address, shape, strides, typestr, readonly, owner, element, True)
        self._dtype = dtype

    @classmethod
    def _create_over_numpy_memory(cls, device, seen, owner, readonly=None):
        """An array over the same memory as the NumPy array ``seen``."""
        array = cls.__new__(cls)
        readonly = not seen.flags.writeable if readonly is None else readonly
        array._set_fields(
            device, address_of(seen), seen.shape, seen.strides, seen.dtype, readonly, owner
        )
        return array

    def _view(self, seen, cls=None):
        """A view of this array over the memory of the NumPy array ``seen``; ``cls`` defaults to this array's class."""
        cls = type(self) if cls is None else cls
        view = cls._create_over_numpy_memory(super().device, seen, self.owner, self.readonly)
        view.base = self if self.base is None else self.base
        if cls is not ndarray:
            view.__array_finalize__(self)
        return view

    def __array_finalize__(self, obj):
        """Called on every new view of a subclass. obj: the array that was viewed."""

    def _get_numpy_view(self):
        """A NumPy array over this array's memory. Read and write its values through ``run_numpy_work``."""
        if self._seen is None:
            self._seen = self._make_numpy_view()
        return self._seen

    def _make_numpy_view(self):
        window = Window(
            super().device,
            self.address,
            super().shape,
            self.strides,
            self.typestr,
            self.readonly,
            self.owner,
        )
        return window.as_numpy_array(self._dtype)

    def _get_numpy_view_to_write(self, key=...):
        """The same NumPy array, for host code that writes to the elements that `key` selects."""
        window = self._get_numpy_view()
        parts = key if isinstance(key, tuple) else (key,)
        if all(part is ... or isinstance(part, (int, slice)) for part in parts):
            # With an ellipsis, single elements are arrays, too.
            parts = parts if ... in parts else (*parts, ...)
            try:
                record_host_write_for_check(window[parts])
            except IndexError:
                pass  # the write raises it
        else:
            record_host_write_for_check(window)
        return window

    def _wait_and_get_numpy_view(self, what):
        """The same NumPy array, after waiting until its values can be read. what: the call that reads, for messages."""
        wait_for_values(what)
        record_stream_access_for_check(
            get_native_array_stream(), self._get_numpy_view(), writes=False
        )
        return self._get_numpy_view()

    # The layout.

    @property
    def dtype(self):
        return self._dtype

    @property
    def shape(self):
        return super().shape

    @shape.setter
    def shape(self, shape):
        extents = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        try:
            seen = reshape_without_copy(self._make_numpy_view(), extents, "C")
        except NotImplementedError as error:
            raise AttributeError(f"incompatible shape: {error}") from None
        element = find_element_type(self._dtype) if self.typestr[1] in "VMm" else None
        self.change_layout(seen.shape, seen.strides, self.typestr, element)
        self._seen = None

    @property
    def flags(self):
        return self._get_numpy_view().flags

    @property
    def ctypes(self):
        return self._get_numpy_view_to_write().ctypes

    @property
    def device(self):
        return Device()

    @property
    def data(self):
        """The memory of the first element, a MemoryPointer."""
        if isinstance(self.owner, BaseMemory):
            return MemoryPointer(self.owner, self.address - self.owner.ptr)
        _, high = byte_span(self.shape, self.strides, self.itemsize)
        return MemoryPointer.from_address(self.address, high, self)

    # Views; they wait for no work.

    @property
    def T(self):
        return self.transpose()

    def view(self, dtype=None, type=None):
        """A view of the same memory with another dtype or another array class."""
        if isinstance(dtype, builtin_type) and issubclass(dtype, ndarray):
            dtype, type = None, dtype
        seen = self._get_numpy_view()
        return self._view(seen if dtype is None else seen.view(dtype), type)

    def reshape(self, *shape, order="C"):
        """A view with another shape; a copy if no view can have that shape."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        try:
            return self._view(reshape_without_copy(self._get_numpy_view(), tuple(shape), order))
        except NotImplementedError:
            return run_numpy_work(lambda: self._get_numpy_view().reshape(shape, order=order))

    def ravel(self, order="C"):
        """A one-dimensional array of the elements: a view if possible, else a copy."""
        if order == "C" and self.is_c_contiguous():
            return self.reshape(-1)
        return run_numpy_work(lambda: self._get_numpy_view().ravel(order))

    def is_c_contiguous(self):
        return self.flags.c_contiguous

    def reduced_view(self, dtype=None):
        """A view with adjacent axes merged where the memory layout allows it."""
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
        return self._view(np.lib.stride_tricks.as_strided(self._get_numpy_view(), lengths, steps))

    # Elements.

    def __getitem__(self, key):
        if _is_basic_index(key):
            key = key if isinstance(key, tuple) else (key,)
            seen = self._get_numpy_view()
            if isinstance(key[0], str):  # a field of a structured dtype
                return self._view(seen[key[0]])
            # A zero-dimensional view, not a scalar: programs write through it.
            return self._view(seen[key if Ellipsis in key else (*key, Ellipsis)])
        return run_numpy_work(lambda: self._get_numpy_view()[to_numpy_views(key)])

    def __setitem__(self, key, value):
        def set_elements():
            values = to_numpy_views(value)
            # CuPy sets an element to an array of one element, NumPy does not.
            if isinstance(values, np.ndarray) and values.size == 1:
                values = values.reshape(())
            self._get_numpy_view_to_write(key)[to_numpy_views(key)] = values

        run_numpy_work(set_elements, writes=True)

    def _get_only_element(self):
        if self.size != 1:
            raise TypeError("only arrays of one element can be converted to Python scalars")
        return self.item()

    def __int__(self):
        return int(self._get_only_element())

    def __float__(self):
        return float(self._get_only_element())

    def __complex__(self):
        return complex(self._get_only_element())

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
        run_numpy_work(
            lambda: ufunc.at(
                self._get_numpy_view_to_write(), to_numpy_views(slices), to_numpy_views(value)
            ),
            writes=True,
        )

    # The real and imaginary parts: views, as in NumPy.

    @property
    def real(self):
        return (
            run_numpy_work(lambda: self._get_numpy_view().real) if self._dtype.kind == "c" else self
        )

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        return run_numpy_work(lambda: self._get_numpy_view().imag)

    @imag.setter
    def imag(self, value):
        self.imag[...] = value

    # Copies from and to the host.

    def get(self, stream=None, order="C", out=None, blocking=True):
        """Copy to a NumPy array. out: an existing NumPy array for the values. stream: None means the current stream."""
        stream = get_native_array_stream() if stream is None else to_native_stream(stream)
        wait_for_values("get()", stream)
        record_stream_access_for_check(stream, self._get_numpy_view(), writes=False)
        if out is None:
            return np.array(self._get_numpy_view(), order=order)
        np.copyto(out, self._get_numpy_view(), casting="no")
        return out

    def set(self, arr, stream=None):
        """Copy the values of a NumPy array with the same dtype and shape into this array. Raises ValueError."""
        arr = np.asarray(arr)
        if arr.dtype != self.dtype or arr.shape != self.shape:
            raise ValueError(
                f"set() takes an array of {self.dtype} with shape {self.shape}, not of {arr.dtype} with {arr.shape}"
            )
        stream = get_native_array_stream() if stream is None else to_native_stream(stream)

        def copy_host_values():
            record_stream_access_for_check(stream, self._get_numpy_view(), writes=True)
            np.copyto(self._get_numpy_view_to_write(), arr)

        run_in_stream_order(copy_host_values, True, to_cupy_arrays, stream)

    def astype(self, dtype, order="K", casting="unsafe", subok=None, copy=True):
        """A copy converted to ``dtype``; with ``copy=False``, this array itself if it already has that dtype."""
        if not copy and np.dtype(dtype) == self._dtype and order in "KA":
            return self
        return run_numpy_work(lambda: self._get_numpy_view().astype(dtype, order, casting))

    def ptp(self, axis=None, out=None, keepdims=False):
        return np.ptp(self, axis=axis, out=out, keepdims=keepdims)

    # Other libraries.

    @property
    def __heddle_device_array__(self):
        """A heddle device array over the same memory. Work on the current stream comes before the default stream's."""
        stream = get_native_array_stream()
        is_default = stream.native_handle == stream.device.default_stream.native_handle
        if not (is_default or stream.capturing):
            stream.synchronize()
        return DeviceNDArray._create_over_memory_of(
            super().device, self._get_numpy_view(), self.owner
        )

    @property
    def __cuda_array_interface__(self):
        """The interface that the CPU device's arrays offer. Raises AttributeError in a process that has a GPU."""
        refuse_sharing_if_has_gpu()
        return make_cuda_array_interface(self, get_current_stream().ptr or 1)

    def __array__(self, dtype=None, copy=None):
        self.raise_dropped_error()
        values = self._wait_and_get_numpy_view("numpy.array()")
        if copy is False:
            return export_as_numpy_array(self).__array__(dtype)
        return np.array(values, dtype)

    def __dlpack__(self, *, stream=None, **keywords):
        self._wait_and_get_numpy_view("__dlpack__()")
        return export_as_numpy_array(self).__dlpack__(**keywords)

    def __dlpack_device__(self):
        return 1, 0  # kDLCPU

    def toDlpack(self):
        """The array as a DLPack capsule for ``fromDlpack()``."""
        return Capsule(self)

    def __reduce__(self):
        # Pickles the values: the class has its name only under ``heddle run``.
        return copy_to_device, (self.get(order="A"),)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    # NumPy's functions.

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **keywords):
        def call_ufunc():
            options = {name: to_numpy_views(value) for name, value in keywords.items()}
            if out:
                options["out"] = to_numpy_views(out)
            return getattr(ufunc, method)(*to_numpy_views(inputs), **options)

        result = run_numpy_work(call_ufunc, writes=bool(out) or method == "at")
        if out:
            return out[0] if len(out) == 1 else out
        return result

    def __array_function__(self, function, types, args, keywords):
        return call_numpy(function, args, keywords)

    __hash__ = None


builtin_type = type


def to_native_order(dtype):
    """The dtype in native byte order, which all CuPy arrays have."""
    return dtype if dtype.isnative else dtype.newbyteorder("=")


class FlatIterator:
    """``array.flat``: the elements in C order."""

    def __init__(self, base):
        self.base = base

    def __getitem__(self, key):
        return run_numpy_work(lambda: self.base._get_numpy_view().flat[to_numpy_views(key)])

    def __setitem__(self, key, value):
        run_numpy_work(
            lambda: self.base._get_numpy_view_to_write().flat.__setitem__(
                to_numpy_views(key), to_numpy_views(value)
            ),
            writes=True,
        )

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return (self[i] for i in range(len(self)))


def run_numpy_work(compute, writes=False):
    """Run ``compute()``, NumPy work on windows, in the order of the current stream; return its arrays as CuPy
    arrays."""

    def compute_with_cupy_error_handling():
        with cupy_error_handling():
            return compute()

    return run_in_stream_order(compute_with_cupy_error_handling, writes, to_cupy_arrays)


def call_numpy(function, args, keywords):
    """Call a NumPy function with CuPy arrays."""

    def call_with_numpy_views():
        options = {name: to_numpy_views(value) for name, value in keywords.items()}
        return function(*to_numpy_views(args), **options)

    out = keywords.get("out")
    result = run_numpy_work(call_with_numpy_views, writes_to_argument(function, args, keywords))
    return result if out is None else out


@contextlib.contextmanager
def cupy_error_handling():
    """Context manager in which NumPy computes as CuPy does: arithmetic never warns, not even about division by zero,
    and a lack of memory raises OutOfMemoryError."""
    try:
        with np.errstate(all="ignore"):
            yield
    except MemoryError as error:
        shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
        if shape is None or dtype is None:
            raise
        raise OutOfMemoryError(int(np.prod(shape, dtype=object)) * dtype.itemsize, -1) from None


def to_cupy_arrays(value):
    """Convert a NumPy result to what CuPy returns: arrays and scalars, also in tuples and lists, become
    cupy.ndarray."""
    if isinstance(value, np.ndarray):
        window = find_window(value)
        if window is None or window.kind not in SHARED_KINDS:
            return copy_to_device(value)
        # CuPy has no read-only views, such as NumPy's of broadcasts and diagonals.
        readonly = window.__array_interface__["data"][1]
        return ndarray._create_over_numpy_memory(window.device, value, window.owner, readonly)
    if isinstance(value, np.generic):
        return copy_to_device(np.asarray(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(to_cupy_arrays, value))
    if isinstance(value, (tuple, list)):
        return type(value)(to_cupy_arrays(item) for item in value)
    return value


def to_host_copy(value):
    """``value`` with its CuPy arrays replaced by NumPy copies."""
    if isinstance(value, ndarray):
        return value.get(order="A")
    if type(value) in (tuple, list):
        return type(value)(to_host_copy(item) for item in value)
    return value


def wrap_numpy_array(values):
    """A CuPy array over the memory of a NumPy array that other code can access."""
    return ndarray._create_over_numpy_memory(
        current_native(), values, make_owner_of_foreign_memory(values)
    )


def wrap_device_array(array):
    """A CuPy array over the memory of a heddle device array."""
    return ndarray._create_over_numpy_memory(array.device, array._get_numpy_view(), array.owner)


def copy_to_device(values):
    """Copy a NumPy array to memory from CuPy's allocator, in the same element order and in native byte order."""
    strides = values.strides if values.flags.forc else np.empty_like(values, subok=False).strides
    copy = ndarray(values.shape, values.dtype, strides=strides)
    np.copyto(copy._get_numpy_view_to_write(), values)
    return copy


def find_element_type(dtype):
    """The heddle type of elements of a dtype; None if kernels have none."""
    try:
        return _heddle.dtype_type(dtype)
    except TypeError:
        return None


def _is_basic_index(key):
    """True if indexing with ``key`` returns a view."""
    return (
        all(map(_is_basic_index_part, key)) if isinstance(key, tuple) else _is_basic_index_part(key)
    )


def _is_basic_index_part(part):
    if isinstance(part, (np.ndarray, _heddle.DeviceArrayBase)):
        return False
    return part is None or isinstance(part, str) or is_basic_index_part(part)


# The remaining methods are generated from NumPy's, in three groups.
_READING = {"item", "tobytes", "tofile", "tolist", "dump", "dumps"}
_READING |= {"__bool__", "__contains__", "__format__", "__index__", "__repr__", "__str__"}
_WRITING = {"fill", "itemset", "partition", "put", "sort"}
_VIEWING = {"diagonal", "squeeze", "swapaxes", "transpose"}
_NOT_CUPYS = {"getfield", "newbyteorder", "resize", "setfield", "setflags", "tostring"}


def _set_name_and_doc(name, call):
    call.__name__ = name
    call.__doc__ = f"As numpy.ndarray.{name}."
    return call


def _make_reading_method(name):
    return _set_name_and_doc(
        name,
        lambda self, *args: getattr(self._wait_and_get_numpy_view(f"{name}()"), name)(
            *to_numpy_views(args)
        ),
    )


def _make_viewing_method(name):
    return _set_name_and_doc(
        name,
        lambda self, *args, **keywords: self._view(
            getattr(self._get_numpy_view(), name)(*args, **keywords)
        ),
    )


def _make_host_numpy_method(name, writes):
    def run_numpy_method(self, *args, **keywords):
        out = keywords.get("out")

        def call_numpy_method():
            options = {key: to_numpy_views(value) for key, value in keywords.items()}
            seen = self._get_numpy_view_to_write() if writes else self._get_numpy_view()
            record_stream_access_for_check(get_native_array_stream(), seen, writes)
            return getattr(seen, name)(*to_numpy_views(args), **options)

        result = run_numpy_work(call_numpy_method, writes or out is not None)
        return result if out is None else out

    return _set_name_and_doc(name, run_numpy_method)


def _add_numpy_methods():
    names = {name for name in dir(np.ndarray) if callable(getattr(np.ndarray, name))}
    public = {name for name in names if not name.startswith("_")}
    for name in (public | _READING) & names - _NOT_CUPYS:
        if name in vars(ndarray):
            continue
        if name in _READING:
            method = _make_reading_method(name)
        elif name in _VIEWING:
            method = _make_viewing_method(name)
        else:
            method = _make_host_numpy_method(name, name in _WRITING)
        setattr(ndarray, name, method)


_add_numpy_methods()
