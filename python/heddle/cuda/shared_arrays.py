"""Arrays in memory that host and device share: page-locked, mapped and managed."""

import contextlib

import numpy as np

from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.devices import current_context
from heddle.cuda.foreign_arrays import wrap_numpy_array_without_sync
from heddle.cuda.host_memory import Window, find_window, pinned
from heddle.cuda.layout import normalize_layout, strides_like
from heddle.cuda.memory_managers import allocate_on_host
from heddle.cuda.native_devices import current_native
from heddle.cuda.streams import to_native_stream
from heddle.support.byte_span import byte_span
from heddle.support.public_function import public


class SharedArray(np.ndarray):
    """A NumPy array in memory that host and device share. Kernels take it without a copy."""

    _stream = 0  # the default stream of copies

    @property
    def __heddle_device_array__(self):
        """A DeviceNDArray over the same memory."""
        window = find_window(self)
        if window is None:  # arithmetic returns this class with ordinary memory
            raise AttributeError("this array is not in memory that the device shares")
        return DeviceNDArray._create_over_memory_of(window.device, self, self, self._stream)

    def copy_to_host(self, ary=None, stream=0):
        return self.__heddle_device_array__.copy_to_host(ary, stream)

    def copy_to_device(self, ary, stream=0):
        self.__heddle_device_array__.copy_to_device(ary, stream)

    # The interface of a device array.
    stream = property(lambda self: self.__heddle_device_array__.stream)
    gpu_data = property(lambda self: self.__heddle_device_array__.gpu_data)
    alloc_size = property(lambda self: self.__heddle_device_array__.alloc_size)
    device_pointer = property(lambda self: self.__heddle_device_array__.device_pointer)
    device_ctypes_pointer = property(
        lambda self: self.__heddle_device_array__.device_ctypes_pointer
    )
    _numba_type_ = property(lambda self: self.__heddle_device_array__._numba_type_)
    __cuda_memory__ = property(lambda self: find_window(self) is not None)
    __cuda_array_interface__ = property(
        lambda self: self.__heddle_device_array__.__cuda_array_interface__
    )


class MappedNDArray(SharedArray):
    """An array from ``cuda.mapped_array``."""


class ManagedNDArray(SharedArray):
    """An array from ``cuda.managed_array``."""


def _allocate_shared_array(kind, shape, dtype, strides, order, portable=False, wc=False):
    shape, strides, dtype = normalize_layout(shape, strides, dtype, order)
    if dtype.hasobject:
        raise TypeError(f"device memory cannot hold Python objects (dtype {dtype})")
    _, size = byte_span(shape, strides, dtype.itemsize)
    context = current_context()
    device = context.device._native
    if kind == "managed":
        memory = device.allocate(size, kind)
    else:
        memory = allocate_on_host(context, size, kind, portable, wc)
    address = memory.address
    return Window(device, address, shape, strides, dtype.str, False, memory, kind).as_numpy_array(
        dtype
    )


@public
def pinned_array(shape, dtype=np.float64, strides=None, order="C"):
    """Allocates an uninitialized NumPy array in page-locked memory, for asynchronous copies.

    >>> host, stream = cuda.pinned_array(1000, np.float32), cuda.stream()
    >>> on_device = cuda.to_device(x, stream=stream)
    >>> kernel[4, 256, stream](on_device)
    >>> result = on_device.copy_to_host(host, stream=stream)
    >>> stream.synchronize()
    >>> host[:3]
    array([2., 2., 2.], dtype=float32)
    """
    return _allocate_shared_array("pinned", shape, dtype, strides, order)


@public
def mapped_array(
    shape, dtype=np.float64, strides=None, order="C", stream=0, portable=False, wc=False
):
    """Allocates an uninitialized NumPy array in host memory that kernels can access.

    The host sees the kernels' writes after ``cuda.synchronize()``. portable, wc: hints for GPUs.

    >>> shared = cuda.mapped_array(4, np.float32)
    >>> shared[:] = 1
    >>> kernel[1, 32](shared)
    >>> cuda.synchronize()  # the launch does not wait
    >>> shared.tolist()
    [2.0, 2.0, 2.0, 2.0]
    """
    array = _allocate_shared_array("mapped", shape, dtype, strides, order, portable, wc)
    return _attach_stream(array.view(MappedNDArray), stream)


@public
def managed_array(shape, dtype=np.float64, strides=None, order="C", stream=0, attach_global=True):
    """Allocates an uninitialized NumPy array in memory that migrates between host and device on demand.

    >>> shared = cuda.managed_array(4, np.float32)
    >>> shared[:] = 1
    >>> kernel[1, 32](shared)
    >>> cuda.synchronize()  # the launch does not wait
    >>> shared.tolist()
    [2.0, 2.0, 2.0, 2.0]
    """
    array = _allocate_shared_array("managed", shape, dtype, strides, order)
    return _attach_stream(array.view(ManagedNDArray), stream)


def _attach_stream(array, stream):
    array._stream = stream
    return array


@public
def pinned_array_like(ary):
    """Like ``pinned_array``, with the shape, dtype and axis order of ``ary``.

    >>> y = cuda.pinned_array_like(x)
    """
    return pinned_array(ary.shape, ary.dtype, strides_like(ary))


@public
def mapped_array_like(ary, stream=0, portable=False, wc=False):
    """Like ``mapped_array``, with the shape, dtype and axis order of ``ary``.

    >>> y = cuda.mapped_array_like(x)
    """
    return mapped_array(ary.shape, ary.dtype, strides_like(ary), stream=stream)


@contextlib.contextmanager
def mapped(*arylist, stream=0):
    """Context manager that yields device arrays over the memory of NumPy arrays: one array, or a list if several.

    On a GPU, the arrays are page-locked inside the block, and kernels access them over the bus. The exit from the block
    waits for ``stream``, or for the device if there is no stream.

    >>> with cuda.mapped(x) as on_device:
    ...     kernel[4, 256](on_device)
    """
    device = current_native()
    with pinned(*arylist):
        arrays = [wrap_numpy_array_without_sync(device, ary) for ary in arylist]
        try:
            yield arrays[0] if len(arrays) == 1 else arrays
        finally:
            to_native_stream(stream, device).synchronize() if stream else device.synchronize()
