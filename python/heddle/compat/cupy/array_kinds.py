"""The two kinds of arrays that kernels take: NumPy's underneath, and heddle's device arrays."""

import numpy as np

from heddle.compat.cupy.arrays import ndarray
from heddle.cuda.device_ndarray import DeviceNDArray


def is_array(value):
    return isinstance(value, (ndarray, DeviceNDArray))


def layout_of(array):
    """A NumPy array of the same layout. Its values must not be read: they may be in a GPU's memory."""
    return array._window() if isinstance(array, DeviceNDArray) else array.view(np.ndarray)
