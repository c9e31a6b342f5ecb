"""Converts arrays to the one-dimensional arrays that the kernels of this folder take."""

import math

import numpy as np

from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.host_memory import record_host_write_for_check
from heddle.cuda.layout import contiguous_strides
from heddle.cuda.streams import Stream


def flatten_array(array, stream=0):
    """The elements in C order: a view if possible, else a copy. array: a device or host array."""
    if not is_cuda_array(array):
        return np.asarray(array).ravel()
    array = as_cuda_array(array)
    if array.ndim == 1:
        return array
    if not array.is_c_contiguous():
        copy = allocate_like(array, array.shape)
        copy.copy_to_device(array, stream)
        array = copy
    return array.reshape(array.size)


def allocate_like(array, shape, dtype=None):
    """Allocates a device array on the same device as another one."""
    dtype = array.dtype if dtype is None else np.dtype(dtype)
    memory = array._context.memalloc(math.prod(shape) * dtype.itemsize)
    strides = contiguous_strides(shape, dtype.itemsize)
    return _make_array_without_checks(memory.device, memory.address, shape, strides, dtype, memory)


def view_as_dtype(array, dtype):
    """The same memory with elements of another dtype of the same size. Takes less time than ``array.view``."""
    if array.dtype == dtype:
        return array
    return _make_array_without_checks(
        array.device, array.address, array.shape, array.strides, dtype, array.owner
    )


def _make_array_without_checks(device, address, shape, strides, dtype, owner):
    """A device array whose layout needs no checks."""
    made = DeviceNDArray.__new__(DeviceNDArray)
    made._initialize_fields(device, address, shape, strides, dtype, False, owner, 0)
    return made


def make_contiguous(array, native):
    """A 1-D device array without gaps: the array itself, or a copy."""
    if array.is_c_contiguous():
        return array
    copy = allocate_like(array, array.shape)
    copy.copy_to_device(array, Stream._wrap_native(native))
    return copy


def require_same_memory_kind(source, array, first, second):
    """The argument as NumPy or device array. Raises TypeError unless both are on the host, or both on devices.

    first, second: the beginnings of a sentence about both arrays, such as "the keys are" and "the values are".
    """
    on_host = isinstance(source, np.ndarray)
    if is_cuda_array(array) == on_host:
        here, there = ("host", "device") if on_host else ("device", "host")
        raise TypeError(
            f"{first} a {here} array, but {second} a {there} array\n"
            "  hint: copy one of them with cuda.to_device() or copy_to_host()"
        )
    return np.asarray(array) if on_host else as_cuda_array(array)


def store_from_host(array, values):
    """Stores values in an array in host memory, whose stream is idle."""
    target = array._get_numpy_view()
    record_host_write_for_check(target)
    target[:] = values


def allocate_copy_from_host(array, values):
    """A device array with the values of a NumPy array, on the device of another array. The device uses host memory."""
    copy = allocate_like(array, values.shape, values.dtype)
    store_from_host(copy, values)
    return copy
