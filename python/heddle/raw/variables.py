"""Variables of programs in CUDA C++."""

import numpy as np

from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.host_memory import Window


class DeviceVariable:
    """A variable of a program in a device's memory.

    ptr: its address. nbytes: its size.
    """

    def __init__(self, name, device, address, nbytes, owner):
        self.name = name
        self.device = device
        self.ptr = address
        self.nbytes = self.size = nbytes
        self._owner = owner

    def __int__(self):
        return self.ptr

    def array(self, dtype, shape=None):
        """The variable as a device array. shape: as many elements as there are, when it is None."""
        dtype = np.dtype(dtype)
        if shape is None:
            shape = (self.nbytes // dtype.itemsize,)
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if int(np.prod(shape, dtype=object)) * dtype.itemsize > self.nbytes:
            raise ValueError(
                f"{self.name} has {self.nbytes} bytes: an array of shape {shape} and dtype {dtype} does not fit"
            )
        window = Window(self.device, self.ptr, shape, None, dtype.str, False, self._owner)
        return DeviceNDArray._over(self.device, window.array(dtype), self._owner)

    def copy_from_host(self, values):
        """Sets the variable, or its first elements, to the values of a NumPy array or of what NumPy makes one of."""
        values = np.ascontiguousarray(values)
        self.array(values.dtype, values.shape).copy_to_device(values)

    def copy_to_host(self, dtype, shape=None):
        """A NumPy array of the variable's values."""
        return self.array(dtype, shape).copy_to_host()

    def __repr__(self):
        return f"<DeviceVariable {self.name}, {self.nbytes} bytes>"
