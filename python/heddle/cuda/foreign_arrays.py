"""Device arrays over the memory of other libraries."""

import numpy as np

from heddle import _heddle, config
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.host_memory import Window, make_owner_of_foreign_memory
from heddle.cuda.layout import contiguous_strides, normalize_shape
from heddle.cuda.native_devices import current_native, has_gpu
from heddle.cuda.streams import external_stream, to_native_stream
from heddle.errors import CudaSupportError
from heddle.support.byte_span import byte_span
from heddle.support.public_function import public


def wrap_numpy_array_without_sync(device, array):
    """A device array over the memory of a NumPy array. The program must synchronize before it reads the values."""
    return DeviceNDArray._create_over_memory_of(device, array, array)


def wrap_numpy_array_with_sync(device, array):
    """A device array over the memory of a NumPy array. Launches on the default stream return when it is complete."""
    return DeviceNDArray._create_over_memory_of(device, array, make_owner_of_foreign_memory(array))


def is_cuda_array(obj):
    """True if kernels take ``obj`` as an array in device memory.

    >>> cuda.is_cuda_array(cuda.to_device(x))
    True
    """
    return (
        isinstance(obj, _heddle.DeviceArrayBase)
        or hasattr(obj, "__heddle_device_array__")
        or hasattr(obj, "__cuda_array_interface__")
    )


@public
def as_cuda_array(obj, sync=True):
    """A device array over the memory of ``obj``, without a copy.

    On a GPU: device arrays, arrays from ``mapped_array`` and ``managed_array``, and objects with the CUDA array
    interface or DLPack for GPU memory.
    On the CPU device: device arrays, NumPy arrays, and objects with the buffer protocol, the array interface or DLPack
    for host memory.
    sync: waits for the stream that the interface names, as the interface requires. Otherwise that stream becomes the
    array's default stream.
    Raises TypeError for other objects, and CudaSupportError for memory that the current device cannot access.

    >>> shared = cuda.as_cuda_array(x)  # on a GPU: of a tensor or a CuPy array
    >>> kernel[4, 256](shared)
    >>> cuda.synchronize()
    >>> x[:3]
    array([2., 2., 2.], dtype=float32)
    """
    if isinstance(obj, DeviceNDArray):
        return obj
    if hasattr(obj, "__heddle_device_array__"):
        return obj.__heddle_device_array__
    if hasattr(obj, "__cuda_array_interface__"):
        return from_cuda_array_interface(obj.__cuda_array_interface__, obj, sync)
    device = current_native()
    if not device.uses_host_memory:
        return _wrap_dlpack_array(device, obj)
    return wrap_numpy_array_with_sync(device, _as_numpy(obj))


def _wrap_dlpack_array(device, obj):
    """A device array over the memory of an object with DLPack for a GPU."""
    kind, number = obj.__dlpack_device__() if hasattr(obj, "__dlpack__") else (None, 0)
    if kind not in (2, 13):  # kDLCUDA, kDLCUDAManaged
        if kind is not None or hasattr(obj, "__array_interface__") or isinstance(obj, np.ndarray):
            raise CudaSupportError(
                f"this array is not in memory of {device.name}: use cuda.to_device"
            )
        raise _make_no_exposed_memory_error(obj)
    if kind == 2 and number != device.index:
        raise CudaSupportError(
            f"this array is in the memory of GPU {number}, and the current device is {device.index}: "
            f"use cuda.select_device({number})"
        )
    stream = to_native_stream(0, device).native_handle or 1
    address, shape, strides, typestr, readonly, owner = _heddle.dlpack_contents(obj, stream)
    window = Window(device, address, shape, strides, typestr, readonly, owner)
    return DeviceNDArray._create_over_memory_of(
        device, window.as_numpy_array(np.dtype(typestr)), owner
    )


def _as_numpy(obj):
    if isinstance(obj, np.ndarray):
        return obj
    if hasattr(obj, "__dlpack__") and hasattr(obj, "__dlpack_device__"):
        kind, _ = obj.__dlpack_device__()
        if kind != 1:  # kDLCPU
            raise CudaSupportError(
                "this array is in the memory of another device: copy it to the host first"
            )
        return np.from_dlpack(obj)
    if hasattr(obj, "__array_interface__") or hasattr(obj, "__array_struct__"):
        return np.asarray(obj)
    try:
        return np.asarray(memoryview(obj))
    except TypeError:
        raise _make_no_exposed_memory_error(obj) from None


def _make_no_exposed_memory_error(obj):
    return TypeError(
        f"a {type(obj).__name__} does not expose its memory: as_cuda_array takes device arrays, NumPy arrays "
        "and objects with DLPack or the buffer protocol"
    )


@public
def from_cuda_array_interface(desc, owner=None, sync=True):
    """A device array over the memory that a ``__cuda_array_interface__`` dictionary describes.

    owner: kept alive with the array. sync: as in ``as_cuda_array``; $NUMBA_CUDA_ARRAY_INTERFACE_SYNC=0 disables it.
    Raises CudaSupportError on the CPU device of a machine with a GPU: the CPU cannot access GPU memory.

    >>> y = cuda.to_device(x)  # or another library's array
    >>> cuda.from_cuda_array_interface(y.__cuda_array_interface__, owner=y).shape
    (1000,)
    """
    device = current_native()
    if device.type != "cuda" and has_gpu():
        raise CudaSupportError(
            f"the array is in the memory of a GPU, but the current device is {device.name}: copy it to the host, then "
            "use cuda.to_device"
        )
    if desc.get("mask") is not None:
        raise NotImplementedError("a device array has no mask: fill the masked elements first")
    address, readonly = desc["data"]
    typestr = np.dtype(desc["typestr"])
    dtype = np.dtype(desc["descr"]) if typestr.kind == "V" and "descr" in desc else typestr
    shape, strides, dtype = _parse_interface_layout(desc, dtype)
    if device.uses_host_memory:
        low, high = ((address or 0) + end for end in byte_span(shape, strides, dtype.itemsize))
        if low < 0 or not _heddle.is_memory(low, high, not readonly):
            raise CudaSupportError(
                "the array is in GPU memory, or its address is invalid: this process has no memory there"
            )
    seen = Window(device, address or 0, shape, strides, dtype.str, readonly, owner).as_numpy_array(
        dtype
    )
    if device.uses_host_memory and address and not device.owns_memory(address):
        owner = make_owner_of_foreign_memory(seen, owner)
    stream = desc.get("stream")
    stream = external_stream(stream) if desc.get("version", 0) >= 3 and stream else 0
    if stream and sync and int(config.CUDA_ARRAY_INTERFACE_SYNC):
        stream.synchronize()
    return DeviceNDArray._create_over_memory_of(device, seen, owner, stream)


def _parse_interface_layout(desc, dtype):
    """Shape, strides and dtype of an interface. Strides may be negative, because the memory already exists."""
    shape = normalize_shape(desc["shape"])
    strides = desc.get("strides")
    if strides is None:
        return shape, contiguous_strides(shape, dtype.itemsize), dtype
    byte_span(shape, strides, dtype.itemsize)
    return shape, tuple(int(stride) for stride in strides), dtype
