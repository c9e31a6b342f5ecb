"""The arrays that kernels take: cupy.ndarray, heddle's device arrays, and arrays of other libraries."""

import numpy as np

from heddle import _heddle
from heddle.compat.cupy.arrays import ndarray, over_device_array
from heddle.cuda.foreign_arrays import as_cuda_array, from_cuda_array_interface
from heddle.cuda.native_devices import is_gpu_in_process
from heddle.cuda.streams import native_stream


def is_array(value):
    return isinstance(value, _heddle.DeviceArrayBase)


def layout_of(array):
    """A NumPy array of the same layout. Its values must not be read: they may be in a GPU's memory."""
    return array._window()


def as_array(value):
    """The CuPy array over an object's memory, after the stream that the object names; other values as they are.

    value: an object with ``__cupy_get_ndarray__`` or ``__cuda_array_interface__``, or anything else.
    Where there is a GPU, the result is a device array. Raises ValueError for elements in the other byte order.
    """
    if isinstance(value, (ndarray, type)):
        return value
    if hasattr(value, "__cupy_get_ndarray__"):
        return value.__cupy_get_ndarray__()
    if is_gpu_in_process():
        is_told = hasattr(value, "__cuda_array_interface__")
        return as_cuda_array(value) if is_told else value
    if isinstance(value, _heddle.DeviceArrayBase):
        # The values are those of the array's own stream, which is not the current one.
        if stream := getattr(value, "stream", 0):
            native_stream(stream).synchronize()
        return over_device_array(value)
    if hasattr(value, "__heddle_device_array__"):
        return over_device_array(as_cuda_array(value))
    if hasattr(value, "__cuda_array_interface__"):
        interface = value.__cuda_array_interface__
        if not np.dtype(interface["typestr"]).isnative:
            raise ValueError(
                f"CuPy does not support the byte order of {interface['typestr']} in __cuda_array_interface__\n"
                "  hint: cupy.asarray converts NumPy arrays"
            )
        return over_device_array(from_cuda_array_interface(interface, owner=value))
    return value
