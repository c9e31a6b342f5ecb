"""Arrays that host and device share: page-locked, mapped and managed ones."""

import contextlib

import numpy as np

from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.devices import current_context
from heddle.cuda.foreign_arrays import over_host_memory
from heddle.cuda.host_memory import Window, pinned, window_of
from heddle.cuda.layout import byte_span, layout_of, strides_like
from heddle.cuda.memory_managers import allocate_on_host
from heddle.cuda.native_devices import current_native
from heddle.cuda.streams import native_stream
from heddle.public_function import public


class SharedArray(np.ndarray):
    """A NumPy array in memory that host and device share: kernels take it without a copy."""

    _stream = 0  # of copies that name none

    @property
    def __heddle_device_array__(self):
        """This array as a DeviceNDArray over the same memory."""
        window = window_of(self)
        if window is None:  # the result of arithmetic has this class, but ordinary memory
            raise AttributeError("this array is not in memory that the device shares")
        return DeviceNDArray._over(window.device, self, self, self._stream)

    def copy_to_host(self, ary=None, stream=0):
        return self.__heddle_device_array__.copy_to_host(ary, stream)

    def copy_to_device(self, ary, stream=0):
        self.__heddle_device_array__.copy_to_device(ary, stream)

    # What a device array answers, too.
    stream = property(lambda self: self.__heddle_device_array__.stream)
    gpu_data = property(lambda self: self.__heddle_device_array__.gpu_data)
    alloc_size = property(lambda self: self.__heddle_device_array__.alloc_size)
    device_pointer = property(lambda self: self.__heddle_device_array__.device_pointer)
    device_ctypes_pointer = property(
        lambda self: self.__heddle_device_array__.device_ctypes_pointer
    )
    _numba_type_ = property(lambda self: self.__heddle_device_array__._numba_type_)
    __cuda_memory__ = property(lambda self: window_of(self) is not None)
    __cuda_array_interface__ = property(
        lambda self: self.__heddle_device_array__.__cuda_array_interface__
    )


class MappedNDArray(SharedArray):
    """What ``cuda.mapped_array`` returns."""


class ManagedNDArray(SharedArray):
    """What ``cuda.managed_array`` returns."""


def _host_array(kind, shape, dtype, strides, order, portable=False, wc=False):
    shape, strides, dtype = layout_of(shape, strides, dtype, order)
    if dtype.hasobject:
        raise TypeError(f"memory of a device cannot hold Python objects (dtype {dtype})")
    _, size = byte_span(shape, strides, dtype.itemsize)
    context = current_context()
    device = context.device._native
    if kind == "managed":
        memory = device.allocate(size, kind)
    else:
        memory = allocate_on_host(context, size, kind, portable, wc)
    address = memory.address
    return Window(device, address, shape, strides, dtype.str, False, memory, kind).array(dtype)


@public
def pinned_array(shape, dtype=np.float64, strides=None, order="C"):
    """An uninitialised NumPy array in page-locked memory, from which copies run asynchronously."""
    return _host_array("pinned", shape, dtype, strides, order)


@public
def mapped_array(
    shape, dtype=np.float64, strides=None, order="C", stream=0, portable=False, wc=False
):
    """An uninitialised NumPy array in host memory that kernels reach, too.

    What kernels write there is seen after ``cuda.synchronize()``. portable, wc: hints for GPUs.
    """
    array = _host_array("mapped", shape, dtype, strides, order, portable, wc)
    return _on_stream(array.view(MappedNDArray), stream)


@public
def managed_array(shape, dtype=np.float64, strides=None, order="C", stream=0, attach_global=True):
    """An uninitialised NumPy array in memory that moves between host and device as it is used."""
    array = _host_array("managed", shape, dtype, strides, order)
    return _on_stream(array.view(ManagedNDArray), stream)


def _on_stream(array, stream):
    array._stream = stream
    return array


@public
def pinned_array_like(ary):
    """``pinned_array`` with the shape, dtype and order of axes of ``ary``."""
    return pinned_array(ary.shape, ary.dtype, strides_like(ary))


@public
def mapped_array_like(ary, stream=0, portable=False, wc=False):
    """``mapped_array`` with the shape, dtype and order of axes of ``ary``."""
    return mapped_array(ary.shape, ary.dtype, strides_like(ary), stream=stream)


@contextlib.contextmanager
def mapped(*arylist, stream=0):
    """Context manager that gives device arrays over the memory of NumPy arrays: one, or a list when there are more.

    On a GPU the arrays are page-locked meanwhile, and kernels reach them across the bus. At the end it waits for
    ``stream``, or without one for the device.
    """
    device = current_native()
    with pinned(*arylist):
        arrays = [over_host_memory(device, ary) for ary in arylist]
        try:
            yield arrays[0] if len(arrays) == 1 else arrays
        finally:
            native_stream(stream, device).synchronize() if stream else device.synchronize()
