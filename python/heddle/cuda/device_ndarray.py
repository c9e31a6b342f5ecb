"""DeviceNDArray: an array in device memory, with the methods of numba.cuda's."""

import ctypes

import numpy as np

from heddle import _heddle
from heddle.cuda import transfers
from heddle.cuda.array_arithmetic import RefusedArithmetic
from heddle.cuda.array_exchange import ExchangedArray
from heddle.cuda.array_indexing import IndexedArray
from heddle.cuda.devices import current_context, get_device_for_native
from heddle.cuda.host_memory import (
    Window,
    may_copy_asynchronously,
    record_host_copy_for_check,
    record_stream_copy_for_check,
    view_record,
)
from heddle.cuda.ipc import make_ipc_array_handle
from heddle.cuda.ipc_handles import IpcHandle
from heddle.cuda.layout import (
    choose_copy_strides,
    contiguous_strides,
    reshape_without_copy,
)
from heddle.cuda.memory import MemoryPointer, wrap_in_memory_pointer
from heddle.cuda.memory_managers import allocate_on_device
from heddle.cuda.streams import find_graph_stream, to_native_stream
from heddle.support.advised_attributes import AdvisedAttributes
from heddle.support.byte_span import byte_span


class DeviceNDArray(AdvisedAttributes, IndexedArray, ExchangedArray, RefusedArithmetic):
    """An array in device memory.

    ``cuda.to_device`` and ``cuda.device_array`` create it, and kernels take it without a copy. ``shape``, ``strides``,
    ``ndim``, ``size``, ``itemsize`` and ``nbytes`` are those of NumPy arrays. Indexing with integers and slices returns
    an element or a view, and an assignment copies into the array. There is no arithmetic: use kernels.

    Other libraries share its memory through DLPack, on a GPU also through ``__cuda_array_interface__``, and on the CPU
    device also through the buffer protocol. They see current values after ``cuda.synchronize()``.

    >>> on_device = cuda.to_device(np.arange(6).reshape(2, 3))
    >>> on_device[:, 1] = 7
    >>> on_device.copy_to_host()
    array([[0, 7, 2],
           [3, 7, 5]])
    """

    _follows_cupy = False  # True if work on the array runs in CuPy's current stream
    _instead = {"to_host": "use copy_to_host()", "to_device": "use copy_to_device()"}

    def _suggest_for_missing_attribute(self, name):
        if advice := super()._suggest_for_missing_attribute(name):
            return advice
        if not hasattr(np.ndarray, name):
            return None
        call = "()" if callable(getattr(np.ndarray, name)) else ""
        on_device = "cuda.reduce" if name in ("sum", "prod", "min", "max") else "a kernel"
        return f"copy the array, as in x.copy_to_host().{name}{call}, or use {on_device}"

    def __init__(self, shape, strides, dtype, stream=0, gpu_data=None):
        """Creates an array over ``gpu_data`` (the result of ``Context.memalloc``), or over new memory.

        shape: ints. strides: bytes per step along each axis; None for C order. Raises ValueError if the array would
        extend past the memory.
        """
        dtype = np.dtype(dtype)
        shape = tuple(shape)
        strides = contiguous_strides(shape, dtype.itemsize) if strides is None else tuple(strides)
        low, high = byte_span(shape, strides, dtype.itemsize)
        if low < 0:
            raise ValueError(f"strides {strides} reach {-low} bytes before the array")
        if gpu_data is None:
            gpu_data = allocate_on_device(current_context(), high)
        elif high > gpu_data.nbytes:
            raise ValueError(
                f"shape {shape} with strides {strides} spans {high} bytes, but the memory has {gpu_data.nbytes}"
            )
        self._initialize_fields(
            gpu_data.device, gpu_data.address, shape, strides, dtype, False, gpu_data, stream
        )

    def _initialize_fields(self, device, address, shape, strides, dtype, readonly, owner, stream):
        if dtype.hasobject:
            raise TypeError(f"a device array cannot hold Python objects (dtype {dtype})")
        typestr = "|V1" if dtype.str == "<f1" else dtype.str  # NumPy has no 8-bit floats
        element = _find_element_type(dtype) if typestr[1] in "VMm" else None
        super().__init__(
            device, address, shape, strides, typestr, readonly, owner, element, self._follows_cupy
        )
        self._dtype = dtype
        self.stream = stream

    @classmethod
    def _create_over_memory_of(cls, device, array, owner, stream=0):
        """Creates a device array over the memory of a NumPy array."""
        view = cls.__new__(cls)
        address, readonly = array.__array_interface__["data"]
        view._initialize_fields(
            device, address, array.shape, array.strides, array.dtype, readonly, owner, stream
        )
        return view

    def _wrap_numpy_view(self, array):
        """Creates a device array over the part of this one that a NumPy array covers."""
        return self._create_over_memory_of(self.device, array, self.owner, self.stream)

    def _get_numpy_view(self):
        """This array as a NumPy array: for its layout or, after synchronization, for its values."""
        return self._make_numpy_view()

    def _make_numpy_view(self):
        window = Window(
            self.device,
            self.address,
            self.shape,
            self.strides,
            self.typestr,
            self.readonly,
            self.owner,
        )
        return window.as_numpy_array(self._dtype)

    @property
    def _context(self):
        return get_device_for_native(self.device).get_primary_context()

    @property
    def dtype(self):
        """The NumPy dtype of the elements."""
        return self._dtype

    @property
    def alloc_size(self):
        """The number of bytes from the first element to the end of the last."""
        low, high = byte_span(self.shape, self.strides, self.itemsize)
        return high - low

    @property
    def gpu_data(self):
        """The memory of the elements, as a MemoryPointer; None if another library owns it."""
        memory = wrap_in_memory_pointer(self._context, self.owner)
        return memory if isinstance(memory, MemoryPointer) else None

    @property
    def flags(self):
        """The flags of NumPy arrays: ``c_contiguous``, ``f_contiguous`` and others."""
        return self._get_numpy_view().flags

    @property
    def device_ctypes_pointer(self):
        """The address of the first element, as a ctypes value."""
        return ctypes.c_uint64(self.address)

    @property
    def device_pointer(self):
        """The address of the first element."""
        return self.address

    def is_c_contiguous(self):
        """True if the elements are contiguous in C order."""
        return self.flags.c_contiguous

    def is_f_contiguous(self):
        """True if the elements are contiguous in Fortran order."""
        return self.flags.f_contiguous

    def as_cuda_arg(self):
        return self

    def bind(self, stream=0):
        """The same array with another default stream."""
        return self._create_over_memory_of(self.device, self._get_numpy_view(), self.owner, stream)

    def copy_to_host(self, ary=None, stream=0):
        """Copies to a NumPy array, or to a scalar of a structured dtype.

        ary: the destination, by default a new array. Returns the destination. With a stream, a copy to pinned memory
        may still be running when the call returns. Raises TypeError or ValueError if dtype or shape differ.
        """
        source = self._get_numpy_view()
        if ary is None:
            ary = target = np.empty_like(source, order="K", subok=False)
        elif isinstance(ary, np.void):
            target = view_record(ary)
        elif not isinstance(ary, np.ndarray):
            raise TypeError(f"copy_to_host copies to a NumPy array, not to a {type(ary).__name__}")
        else:
            target = ary
        source = transfers.reshape_compatible_source(target, source)
        transfers.copy_to_host_memory(target, source, self.device, stream or self.stream)
        return ary

    def copy_to_device(self, ary, stream=0):
        """Copies a NumPy array or another device array into this array.

        With a stream, the copy may still be running when the call returns; a source that is not pinned may already be
        modified.
        Raises TypeError or ValueError if dtype or shape differ.
        """
        stream, device = stream or self.stream, self.device
        on_device = isinstance(ary, DeviceNDArray)
        if (
            on_device
            and not device.uses_host_memory
            and _heddle.copy_contiguous(self, ary, to_native_stream(stream, device))
        ):
            return
        target = self._get_numpy_view()
        if on_device:
            source = transfers.reshape_compatible_source(target, ary._get_numpy_view())
            transfers.copy_between_devices(target, self.device, source, ary.device, stream)
            return
        source = transfers.reshape_compatible_source(target, np.asarray(ary))
        transfers.copy_to_device_memory(target, source, self.device, stream)

    def reshape(self, *newshape, order="C"):
        """A view with another shape. Raises NotImplementedError if this would need a copy."""
        if len(newshape) == 1 and isinstance(newshape[0], (tuple, list)):
            newshape = tuple(newshape[0])
        return self._wrap_numpy_view(reshape_without_copy(self._get_numpy_view(), newshape, order))

    def ravel(self, order="C", stream=0):
        """A one-dimensional view. Raises NotImplementedError if this would need a copy."""
        return self._wrap_numpy_view(
            reshape_without_copy(self._get_numpy_view(), (self.size,), order)
        ).bind(stream or self.stream)

    def squeeze(self, axis=None, stream=0):
        """A view without the axes of extent 1, or without the axes in ``axis``."""
        return self._wrap_numpy_view(self._get_numpy_view().squeeze(axis)).bind(
            stream or self.stream
        )

    def view(self, dtype):
        """The same bytes with another dtype. The last axis follows NumPy's rules."""
        return self._wrap_numpy_view(self._get_numpy_view().view(np.dtype(dtype)))

    @property
    def T(self):
        """A new, C-contiguous array with the axes reversed."""
        return self.transpose()

    def transpose(self, axes=None):
        """Returns a new, C-contiguous array with the axes reversed, or in the order ``axes``."""
        if axes is not None and tuple(axes) == tuple(range(self.ndim)):
            return self
        turned = self._get_numpy_view().transpose(axes)
        memory = allocate_on_device(self._context, self.nbytes)
        result = DeviceNDArray(turned.shape, None, self._dtype, self.stream, memory)
        result.copy_to_device(self._wrap_numpy_view(turned))
        return result

    def split(self, section, stream=0):
        """Yields consecutive views of ``section`` elements along the first axis; the last view may be shorter."""
        if section < 1:
            raise ValueError(f"a section has at least 1 element, not {section}")
        for first in range(0, len(self), section):
            yield self._wrap_numpy_view(self._get_numpy_view()[first : first + section]).bind(
                stream or self.stream
            )

    def get_ipc_handle(self):
        """An IpcArrayHandle that lets another process on this machine open the array.

        Raises CudaSupportError on the CPU device and for memory that another library allocated.
        """
        return make_ipc_array_handle(self)

    @property
    def __cuda_memory__(self):
        return True

    def _copy_to_new_array(self):
        memory = allocate_on_device(self._context, self.nbytes)
        copy = DeviceNDArray(self.shape, None, self._dtype, self.stream, memory)
        copy.copy_to_device(self)
        return copy

    def __reduce__(self):
        return _restore_array, (self.copy_to_host(),)

    def __repr__(self):
        return f"<heddle device array of shape {self.shape}, {self._dtype}, on device {self.device.index}>"


IpcHandle.array_class = DeviceNDArray


def allocate_device_array(context, shape, strides, dtype, stream=0):
    """Creates a device array in new memory of the context's device. strides: bytes per axis, none negative."""
    _, size = byte_span(shape, strides, dtype.itemsize)
    return DeviceNDArray(shape, strides, dtype, stream, allocate_on_device(context, size))


def copy_to_unused_array(array, values, stream=0):
    """Copies a NumPy array into a device array that nothing uses yet, in the order of ``stream``."""
    in_order = may_copy_asynchronously(values) or find_graph_stream(array.device) is not None
    if in_order or not array.device.uses_host_memory:
        array.copy_to_device(values, stream)
    else:  # no pending work uses either memory, so no wait is needed
        target = array._get_numpy_view()
        record_host_copy_for_check(target, values)
        np.copyto(target, values)
        if stream:
            record_stream_copy_for_check(
                to_native_stream(stream, array.device), target, values, done=False
            )


def _restore_array(values):
    """Restores a pickled device array on the current device."""
    array = allocate_device_array(
        current_context(), values.shape, choose_copy_strides(values), values.dtype
    )
    copy_to_unused_array(array, values)
    return array


def _find_element_type(dtype):
    """The kernel type for elements of a dtype; None if there is none."""
    try:
        return _heddle.dtype_type(dtype)
    except TypeError:
        return None
