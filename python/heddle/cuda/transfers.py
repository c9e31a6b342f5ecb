"""Copies between arrays in stream order, with CUDA's rules about when host memory can be reused.

Device arrays are passed as NumPy arrays over their memory (``DeviceNDArray._get_numpy_view``). Source and target have
equal shapes. For GPU memory such an array only describes the layout: the host must not read it.
"""

from heddle.cuda import driver_transfers, host_transfers
from heddle.cuda.streams import to_native_stream


def _select_transfers_module(device):
    return host_transfers if device.uses_host_memory else driver_transfers


def _require_writable(target):
    if not target.flags.writeable:
        raise ValueError("assignment destination is read-only")


def copy_to_device_memory(target, source, device, stream):
    """Copies a host array into a device array's memory. Casts as NumPy does.

    With stream 0, the copy is complete on return, as far as the host can tell. With another stream, it may still be
    running, but the source may be modified at once unless it is pinned.
    """
    _require_writable(target)
    if target.size:
        _select_transfers_module(device).copy_to_device_memory(target, source, device, stream)


def copy_to_host_memory(target, source, device, stream):
    """Copies a device array's memory into a host array.

    The copy is complete on return, unless there is a stream and the target is pinned.
    """
    _require_writable(target)
    if target.size:
        _select_transfers_module(device).copy_to_host_memory(target, source, device, stream)


def copy_between_devices(target, target_device, source, source_device, stream):
    """Copies between the memory of two device arrays, on one device or two. Casts as NumPy does.

    On one device, the copy runs in the order of ``stream``. Between devices, it first waits for the source device and
    is complete on return.
    """
    _require_writable(target)
    if not target.size:
        return
    if target_device is source_device:
        _select_transfers_module(target_device).copy_on_device(
            target, source, target_device, stream
        )
    elif source_device.uses_host_memory:
        source_device.synchronize()
        copy_to_device_memory(target, source, target_device, stream)
        if stream:  # kernels of the source's device do not wait for that stream
            to_native_stream(stream, target_device).synchronize()
    elif target_device.uses_host_memory:
        target_device.synchronize()
        source_device.synchronize()
        driver_transfers.copy_to_host_memory(target, source, source_device, 0)
    else:
        driver_transfers.copy_between_gpus(target, target_device, source, source_device, stream)


def reshape_compatible_source(target, source):
    """Rejects a copy between arrays of different shapes or dtypes, apart from axes of extent 1.

    Returns the source in the target's shape.
    """
    if target.dtype != source.dtype:
        raise TypeError(
            f"incompatible dtype: cannot copy {source.dtype} to {target.dtype}; convert one with astype first"
        )
    if target.shape == source.shape:
        return source
    if [n for n in target.shape if n != 1] != [n for n in source.shape if n != 1]:
        raise ValueError(f"incompatible shape: cannot copy {source.shape} to {target.shape}")
    return source.reshape(target.shape)
