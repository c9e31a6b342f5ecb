"""DeviceNDArray: an array in a device's memory, with the methods of numba.cuda's."""

import ctypes

import numpy as np

from heddle import _heddle
from heddle.cuda import transfers
from heddle.cuda.array_exchange import ExchangedArray
from heddle.cuda.array_indexing import IndexedArray
from heddle.cuda.devices import current_context, device_of
from heddle.cuda.host_memory import Window, is_pinned, record_place
from heddle.cuda.ipc import ipc_array_handle
from heddle.cuda.ipc_handles import IpcHandle
from heddle.cuda.layout import (
    byte_span,
    contiguous_strides,
    reshape_without_copy,
    strides_of_copy,
)
from heddle.cuda.memory import MemoryPointer, as_pointer
from heddle.cuda.memory_managers import allocate


class DeviceNDArray(IndexedArray, ExchangedArray):
    """An array in a device's memory.

    Made by ``cuda.to_device`` and ``cuda.device_array``. Kernels take it without a copy. Indexing with integers and
    slices gives an element or a view; there is no arithmetic: that is what kernels are for.

    Other libraries share its memory through DLPack and, on a GPU, through ``__cuda_array_interface__``; on the CPU
    device NumPy does, too (buffer protocol). What they see is up to date after ``cuda.synchronize()``.
    """

    def __init__(self, shape, strides, dtype, stream=0, gpu_data=None):
        """An array over ``gpu_data`` (what ``Context.memalloc`` returned), or over new memory.

        shape: ints. strides: bytes per axis, None for C order.
        """
        dtype = np.dtype(dtype)
        shape = tuple(shape)
        strides = contiguous_strides(shape, dtype.itemsize) if strides is None else tuple(strides)
        low, high = byte_span(shape, strides, dtype.itemsize)
        if low < 0:
            raise ValueError(f"strides {strides} reach {-low} bytes in front of the array")
        if gpu_data is None:
            gpu_data = allocate(current_context(), high)
        elif high > gpu_data.nbytes:
            raise ValueError(
                f"shape {shape} with strides {strides} reaches {high} bytes far, but the memory has {gpu_data.nbytes}"
            )
        self._set(gpu_data.device, gpu_data.address, shape, strides, dtype, False, gpu_data, stream)

    def _set(self, device, address, shape, strides, dtype, readonly, owner, stream):
        if dtype.hasobject:
            raise TypeError(f"a device array cannot hold Python objects (dtype {dtype})")
        typestr = "|V1" if dtype.str == "<f1" else dtype.str  # NumPy itself has no floats of 8 bits
        element = _element_type(dtype) if typestr[1] in "VMm" else None
        super().__init__(device, address, shape, strides, typestr, readonly, owner, element)
        self._dtype = dtype
        self.stream = stream

    @classmethod
    def _over(cls, device, array, owner, stream=0):
        """A device array over the memory that a NumPy array looks at."""
        view = cls.__new__(cls)
        address, readonly = array.__array_interface__["data"]
        view._set(device, address, array.shape, array.strides, array.dtype, readonly, owner, stream)
        return view

    def _view(self, array):
        """A device array over the part of this one that a NumPy array looks at."""
        return self._over(self.device, array, self.owner, self.stream)

    def _window(self):
        """This array as NumPy sees it: for its layout only, or, after waiting for the device, for its values."""
        return self._new_window()

    def _new_window(self):
        window = Window(
            self.device,
            self.address,
            self.shape,
            self.strides,
            self.typestr,
            self.readonly,
            self.owner,
        )
        return window.array(self._dtype)

    @property
    def _context(self):
        return device_of(self.device).get_primary_context()

    @property
    def dtype(self):
        return self._dtype

    @property
    def alloc_size(self):
        """Bytes from the first element to the end of the last."""
        low, high = byte_span(self.shape, self.strides, self.itemsize)
        return high - low

    @property
    def gpu_data(self):
        """The piece of memory that keeps the array's elements, a MemoryPointer; None where another library has it."""
        memory = as_pointer(self._context, self.owner)
        return memory if isinstance(memory, MemoryPointer) else None

    @property
    def flags(self):
        return self._window().flags

    @property
    def device_ctypes_pointer(self):
        return ctypes.c_uint64(self.address)

    @property
    def device_pointer(self):
        """The address of the first element."""
        return self.address

    def is_c_contiguous(self):
        return self.flags.c_contiguous

    def is_f_contiguous(self):
        return self.flags.f_contiguous

    def as_cuda_arg(self):
        return self

    def bind(self, stream=0):
        """The same array with ``stream`` as the stream of operations that name none."""
        return self._over(self.device, self._window(), self.owner, stream)

    def copy_to_host(self, ary=None, stream=0):
        """Copy to a NumPy array, or to a scalar of a structured dtype.

        ary: where to; a new array when None. Returns it. With a stream, a copy to pinned memory may still be running
        on return. Raises TypeError or ValueError when dtype or shape differ.
        """
        source = self._window()
        if ary is None:
            ary = target = np.empty_like(source, order="K", subok=False)
        elif isinstance(ary, np.void):
            target = record_place(ary)
        elif not isinstance(ary, np.ndarray):
            raise TypeError(f"copy_to_host copies to a NumPy array, not to a {type(ary).__name__}")
        else:
            target = ary
        source = transfers.check_compatible(target, source)
        transfers.to_host_memory(target, source, self.device, stream or self.stream)
        return ary

    def copy_to_device(self, ary, stream=0):
        """Copy from a NumPy array, or from another device array, to this one.

        With a stream the copy may still be running on return; a source that is not pinned may be changed at once.
        Raises TypeError or ValueError when dtype or shape differ.
        """
        target = self._window()
        stream = stream or self.stream
        if isinstance(ary, DeviceNDArray):
            source = transfers.check_compatible(target, ary._window())
            transfers.between_devices(target, self.device, source, ary.device, stream)
            return
        source = transfers.check_compatible(target, np.asarray(ary))
        transfers.to_device_memory(target, source, self.device, stream)

    def reshape(self, *newshape, order="C"):
        """A view with another shape. Raises NotImplementedError when only a copy could have it."""
        if len(newshape) == 1 and isinstance(newshape[0], (tuple, list)):
            newshape = tuple(newshape[0])
        return self._view(reshape_without_copy(self._window(), newshape, order))

    def ravel(self, order="C", stream=0):
        """A view of rank 1. Raises NotImplementedError when only a copy could have it."""
        return self._view(reshape_without_copy(self._window(), (self.size,), order)).bind(
            stream or self.stream
        )

    def squeeze(self, axis=None, stream=0):
        """A view without the axes of extent 1, or without those named by ``axis``."""
        return self._view(self._window().squeeze(axis)).bind(stream or self.stream)

    def view(self, dtype):
        """The same bytes with another dtype; NumPy's rules for the last axis."""
        return self._view(self._window().view(np.dtype(dtype)))

    @property
    def T(self):
        return self.transpose()

    def transpose(self, axes=None):
        """A new, C-contiguous array with the axes reversed, or in the order ``axes``."""
        if axes is not None and tuple(axes) == tuple(range(self.ndim)):
            return self
        turned = self._window().transpose(axes)
        memory = allocate(self._context, self.nbytes)
        result = DeviceNDArray(turned.shape, None, self._dtype, self.stream, memory)
        result.copy_to_device(self._view(turned))
        return result

    def split(self, section, stream=0):
        """Views of ``section`` elements each along the first axis, one after the other; the last may be shorter."""
        if section < 1:
            raise ValueError(f"a section has at least 1 element, not {section}")
        for first in range(0, len(self), section):
            yield self._view(self._window()[first : first + section]).bind(stream or self.stream)

    def get_ipc_handle(self):
        """A handle by which another process of this machine uses the array, an IpcArrayHandle.

        Raises CudaSupportError on the CPU device and for memory that another library allocated.
        """
        return ipc_array_handle(self)

    @property
    def __cuda_memory__(self):
        return True

    def _copied(self):
        memory = allocate(self._context, self.nbytes)
        copy = DeviceNDArray(self.shape, None, self._dtype, self.stream, memory)
        copy.copy_to_device(self)
        return copy

    def __reduce__(self):
        return _unpickled, (self.copy_to_host(),)

    def __repr__(self):
        return f"<heddle device array of shape {self.shape}, {self._dtype}, on device {self.device.index}>"


IpcHandle.array_class = DeviceNDArray


def new_array(context, shape, strides, dtype, stream=0):
    """A device array in new memory of a context's device. strides: bytes per axis, none negative."""
    _, size = byte_span(shape, strides, dtype.itemsize)
    return DeviceNDArray(shape, strides, dtype, stream, allocate(context, size))


def fill_new_array(array, values, stream=0):
    """Copies a NumPy array into a device array that nothing uses yet, in the order of ``stream``."""
    if is_pinned(values) or not array.device.uses_host_memory:
        array.copy_to_device(values, stream)
    else:  # no work that is still running knows either memory, so there is nothing to wait for
        np.copyto(array._window(), values)


def _unpickled(values):
    """The device array, on the current device, of a pickled one's values."""
    array = new_array(current_context(), values.shape, strides_of_copy(values), values.dtype)
    fill_new_array(array, values)
    return array


def _element_type(dtype):
    """The type that a kernel has for elements of a dtype; None when it has none."""
    try:
        return _heddle.dtype_type(dtype)
    except TypeError:
        return None
