"""The arrays that a kernel makes for its results."""

from heddle.compat.cupy.arrays import ndarray
from heddle.compat.cupy.device_arrays import DeviceArray
from heddle.cuda.device_ndarray import DeviceNDArray


def new_array(shape, dtype, inputs):
    """A new array of the kind of the first of the inputs that is one."""
    for value in inputs:
        if isinstance(value, DeviceNDArray):
            return DeviceArray(shape, dtype)
        if isinstance(value, ndarray):
            break
    return ndarray(shape, dtype)
