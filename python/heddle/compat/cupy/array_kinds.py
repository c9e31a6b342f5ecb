"""The arrays that CuPy kernels accept: cupy.ndarray, Heddle's device arrays, and arrays of other libraries."""

import numpy as np

from heddle import _heddle
from heddle.compat.cupy.arrays import ndarray, wrap_device_array
from heddle.cuda.foreign_arrays import as_cuda_array, from_cuda_array_interface
from heddle.cuda.native_devices import has_gpu
from heddle.cuda.streams import to_native_stream


def is_device_array(value):
    return isinstance(value, _heddle.DeviceArrayBase)


def get_numpy_layout_view(array):
    """A NumPy array with the same layout. Do not read its values: they may be in GPU memory."""
    return array._get_numpy_view()


def wrap_if_device_memory(value):
    """Wrap an object's device memory in a CuPy array; return a value without device memory unchanged.

    value: an object with ``__cupy_get_ndarray__`` or ``__cuda_array_interface__``, or anything else. Waits for the
    stream that the object names. In a process with a GPU the result is a heddle device array. Raises ValueError for
    elements in non-native byte order.
    """
    if isinstance(value, (ndarray, type)):
        return value
    if hasattr(value, "__cupy_get_ndarray__"):
        return value.__cupy_get_ndarray__()
    if has_gpu():
        is_told = hasattr(value, "__cuda_array_interface__")
        return as_cuda_array(value) if is_told else value
    if isinstance(value, _heddle.DeviceArrayBase):
        # The array's own stream, which is not the current stream, writes its values.
        if stream := getattr(value, "stream", 0):
            to_native_stream(stream).synchronize()
        return wrap_device_array(value)
    if hasattr(value, "__heddle_device_array__"):
        return wrap_device_array(as_cuda_array(value))
    if hasattr(value, "__cuda_array_interface__"):
        interface = value.__cuda_array_interface__
        if not np.dtype(interface["typestr"]).isnative:
            raise ValueError(
                f"CuPy does not support the byte order of {interface['typestr']} in __cuda_array_interface__\n"
                "  hint: cupy.asarray converts NumPy arrays"
            )
        return wrap_device_array(from_cuda_array_interface(interface, owner=value))
    return value
