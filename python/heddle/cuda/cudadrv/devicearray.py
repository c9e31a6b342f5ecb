"""numba.cuda.cudadrv.devicearray: the classes of device arrays."""

from heddle.cuda.arrays import ManagedNDArray, MappedNDArray, is_cuda_array
from heddle.cuda.device_ndarray import DeviceNDArray, DeviceRecord
from heddle.cuda.ipc import IpcArrayHandle

DeviceNDArrayBase = DeviceNDArray

__all__ = [
    "DeviceNDArray",
    "DeviceNDArrayBase",
    "DeviceRecord",
    "IpcArrayHandle",
    "ManagedNDArray",
    "MappedNDArray",
    "is_cuda_ndarray",
]


def is_cuda_ndarray(obj):
    """Whether ``obj`` is an array in a device's memory."""
    return isinstance(obj, DeviceNDArray) or is_cuda_array(obj)
