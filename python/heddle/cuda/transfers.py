"""Copies between arrays, in stream order, with CUDA's rules about when host memory may be used again.

Device arrays are given as the NumPy arrays that see their memory (``DeviceNDArray._window``), source and target with
equal shapes. A window of a GPU's memory has a layout only: the host must not read it.
"""

from heddle.cuda import driver_transfers, host_transfers
from heddle.cuda.streams import native_stream


def _transfers_of(device):
    return host_transfers if device.uses_host_memory else driver_transfers


def _require_writable(target):
    if not target.flags.writeable:
        raise ValueError("assignment destination is read-only")


def to_device_memory(target, source, device, stream):
    """Copies a host array into a device array's memory; the source is cast as NumPy casts.

    With stream 0 the copy is done on return, as far as the host can tell. With a stream it may not be, but the source
    may be changed at once unless it is pinned.
    """
    _require_writable(target)
    if target.size:
        _transfers_of(device).to_device_memory(target, source, device, stream)


def to_host_memory(target, source, device, stream):
    """Copies a device array's memory into a host array.

    Done on return, unless there is a stream and the target is pinned.
    """
    _require_writable(target)
    if target.size:
        _transfers_of(device).to_host_memory(target, source, device, stream)


def between_devices(target, target_device, source, source_device, stream):
    """Copies from one device array's memory to another's, of the same device or of two; the source is cast.

    On one device the copy happens in the order of ``stream``. From one device to another it waits for the source's
    device first, and is done on return.
    """
    _require_writable(target)
    if not target.size:
        return
    if target_device is source_device:
        _transfers_of(target_device).on_one_device(target, source, target_device, stream)
    elif source_device.uses_host_memory:
        source_device.synchronize()
        to_device_memory(target, source, target_device, stream)
        if stream:  # kernels of the source's device do not wait for that stream
            native_stream(stream, target_device).synchronize()
    elif target_device.uses_host_memory:
        target_device.synchronize()
        source_device.synchronize()
        driver_transfers.to_host_memory(target, source, source_device, 0)
    else:
        driver_transfers.between_gpus(target, target_device, source, source_device, stream)


def check_compatible(target, source):
    """Refuses a copy between arrays of different shapes or dtypes. An axis of extent 1 more or less is no difference.

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
