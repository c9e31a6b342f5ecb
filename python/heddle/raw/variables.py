"""Variables of CUDA C++ programs."""

import numpy as np

from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.host_memory import Window


class DeviceVariable:
    """A variable of a CUDA C++ program, in device memory.

    ptr: its address. nbytes: its size in bytes.
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
        """The variable as a device array. shape: by default one axis that covers the variable."""
        dtype = np.dtype(dtype)
        if shape is None:
            shape = (self.nbytes // dtype.itemsize,)
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if int(np.prod(shape, dtype=object)) * dtype.itemsize > self.nbytes:
            raise ValueError(
                f"{self.name} has {self.nbytes} bytes: an array of shape {shape} and dtype {dtype} does not fit"
            )
        window = Window(self.device, self.ptr, shape, None, dtype.str, False, self._owner)
        return DeviceNDArray._create_over_memory_of(
            self.device, window.as_numpy_array(dtype), self._owner
        )

    def copy_from_host(self, values):
        """Sets the variable, or its first elements, to the values of an array or of an object that NumPy converts."""
        values = np.ascontiguousarray(values)
        self.array(values.dtype, values.shape).copy_to_device(values)

    def copy_to_host(self, dtype, shape=None):
        """A NumPy array with the variable's values."""
        return self.array(dtype, shape).copy_to_host()

    def __repr__(self):
        return f"<DeviceVariable {self.name}, {self.nbytes} bytes>"
