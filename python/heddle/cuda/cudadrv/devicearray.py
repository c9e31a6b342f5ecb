"""numba.cuda.cudadrv.devicearray: device array classes, and functions that check and create device arrays.

>>> isinstance(x, cuda.devicearray.DeviceNDArray)
"""

import numpy as np

from heddle.cuda import transfers
from heddle.cuda.arrays import to_device
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.device_record import DeviceRecord
from heddle.cuda.foreign_arrays import is_cuda_array
from heddle.cuda.ipc import IpcArrayHandle
from heddle.cuda.layout import has_dense_strides
from heddle.cuda.shared_arrays import ManagedNDArray, MappedNDArray
from heddle.errors import NumbaPerformanceWarning
from heddle.support.missing_names import make_missing_name_error as _missing_name

DeviceNDArrayBase = DeviceNDArray

__all__ = [
    "DeviceNDArray",
    "DeviceNDArrayBase",
    "DeviceRecord",
    "IpcArrayHandle",
    "ManagedNDArray",
    "MappedNDArray",
    "NumbaPerformanceWarning",
    "array_core",
    "auto_device",
    "check_array_compatibility",
    "errmsg_contiguous_buffer",
    "from_array_like",
    "from_record_like",
    "is_contiguous",
    "is_cuda_ndarray",
    "numpy_version",
    "require_cuda_ndarray",
    "sentry_contiguous",
    "verify_cuda_ndarray_interface",
]

numpy_version = tuple(int(part) for part in np.__version__.split(".")[:2])
errmsg_contiguous_buffer = (
    "the elements of the array are not contiguous in memory: copy it with "
    "np.ascontiguousarray first"
)


def is_cuda_ndarray(obj):
    """True if ``obj`` is an array in device memory."""
    return isinstance(obj, DeviceNDArray) or is_cuda_array(obj)


def require_cuda_ndarray(obj):
    """Raises ValueError unless ``obj`` is an array in device memory."""
    if not is_cuda_ndarray(obj):
        raise ValueError(f"a {type(obj).__name__} is not an array in device memory")


def verify_cuda_ndarray_interface(obj):
    """Raises ValueError or AttributeError for an object without the attributes of a device array."""
    require_cuda_ndarray(obj)
    for name, kind in {"shape": tuple, "strides": tuple, "dtype": np.dtype, "size": int}.items():
        if not isinstance(getattr(obj, name), kind):
            raise AttributeError(f"{name} of a device array is a {kind.__name__}")


def from_array_like(ary, stream=0, gpu_data=None):
    """Creates a device array with the layout of ``ary``, over ``gpu_data`` or over new memory."""
    return DeviceNDArray(ary.shape, ary.strides, ary.dtype, stream, gpu_data)


def from_record_like(rec, stream=0, gpu_data=None):
    """Creates a device record with the dtype of ``rec``, over ``gpu_data`` or over new memory."""
    return DeviceRecord(rec.dtype, stream, gpu_data)


def array_core(ary):
    """A view without the axes that repeat one element."""
    if not ary.size:
        return ary
    return ary[tuple(0 if stride == 0 else slice(None) for stride in ary.strides)]


def is_contiguous(ary):
    """True if an array is contiguous in C order, apart from axes that repeat one element."""
    expected = ary.dtype.itemsize
    for extent, stride in zip(reversed(ary.shape), reversed(ary.strides), strict=True):
        if extent > 1 and stride != 0:
            if stride != expected:
                return False
            expected *= extent
    return True


def sentry_contiguous(ary):
    """Raises ValueError for an array whose elements are not contiguous in memory."""
    core = array_core(ary)
    if not (core.flags["C_CONTIGUOUS"] or core.flags["F_CONTIGUOUS"]):
        raise ValueError(errmsg_contiguous_buffer)


def check_array_compatibility(ary1, ary2):
    """Raises TypeError or ValueError if the dtypes, shapes or strides do not allow a copy."""
    transfers.reshape_compatible_source(ary1, ary2)
    if (
        ary1.size
        and ary1.strides != ary2.strides
        and not (has_dense_strides(ary1) and has_dense_strides(ary2))
    ):
        raise ValueError(f"incompatible strides: {ary1.strides} and {ary2.strides}")


def auto_device(obj, stream=0, copy=True, user_explicit=False):
    """Converts ``obj`` to an array or record on the current device. Returns it and whether it is new.

    Device memory is not copied. copy=False: only allocates. user_explicit: ignored, as in numba.
    """
    if is_cuda_ndarray(obj):
        return to_device(obj, stream), False
    return to_device(obj, stream, copy), True


def __getattr__(name):
    raise _missing_name("heddle.cuda.cudadrv.devicearray", name)
